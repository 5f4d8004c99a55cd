"""kbsync.toml and the environment: what they can say (`settings.py`), how they are read, and what is refused."""

from kbsync.config.load import CONFIG_NAME, find_config, read_settings
from kbsync.config.places import written_at
from kbsync.config.settings import (
    SANDBOX,
    AssetsSettings,
    ContentSettings,
    LedgerSettings,
    LintSettings,
    PaceSettings,
    PreviewSettings,
    PushSettings,
    ServiceSettings,
    Settings,
    Verdict,
)

__all__ = [
    "CONFIG_NAME",
    "SANDBOX",
    "AssetsSettings",
    "ContentSettings",
    "LedgerSettings",
    "LintSettings",
    "PaceSettings",
    "PreviewSettings",
    "PushSettings",
    "ServiceSettings",
    "Settings",
    "Verdict",
    "find_config",
    "read_settings",
    "written_at",
]
