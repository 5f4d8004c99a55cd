"""What kbsync.toml can say, as immutable values with their defaults.

The keys are explained in content/en/configuration/kbsync-toml.md. Annotations are no text here: see `model.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

SANDBOX = "sandbox"
"""The `base_url` of the embedded service."""


class ServiceSettings(msgspec.Struct, frozen=True):
    """Which portal, and how to reach it. `version` is that of the service; with "" it is asked."""

    base_url: str = SANDBOX
    account_id: int = 1
    portal: str = "handbook"
    profile: str = "chatwoot"
    timeout_s: float = 30.0
    token_command: str | list[str] = ""
    allow_http: bool = False
    version: str = ""


class ContentSettings(msgspec.Struct, frozen=True):
    """Where the files are. Without `locales`, every folder below the root is one.

    `slug_prefix` is before every slug that is made of a file's name.
    """

    root: str = "content"
    default_locale: str = "en"
    locales: list[str] = msgspec.field(default_factory=list)
    slug_prefix: str = ""


class PushSettings(msgspec.Struct, frozen=True):
    """How far a push may go. `timezone` is that of a date without a time; "" is UTC."""

    publish: bool = False
    live: Literal["update", "stage", "hold"] = "update"
    removed: Literal["report", "archive", "delete"] = "report"
    max_removals: str = "10%"
    timezone: str = ""

    @property
    def max_fraction(self) -> float:
        """The share of the articles published by kbsync that one plan may remove, 0.0 to 1.0."""
        return float(self.max_removals.rstrip("%")) / 100


class PaceSettings(msgspec.Struct, frozen=True):
    """How fast. Zero: the number in the profile."""

    requests_per_minute: int = 0
    concurrency: int = 4
    uploads_per_hour: int = 0


class LedgerSettings(msgspec.Struct, frozen=True):
    """Where kbsync's own record is kept.

    `ref` is that of a ledger in git; with "" kbsync names it after the portal.
    """

    url: str = "sqlite:.kbsync/ledger.db"
    ref: str = ""

    @property
    def place(self) -> str:
        """The address as messages show it: without user name, password and parameters."""
        if self.url.startswith(("sqlite:", "git:")):
            return self.url
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


Verdict = Literal["error", "warning", "off"]


class AssetsSettings(msgspec.Struct, frozen=True):
    """The images of articles. `base_url` is where something else publishes them; with "" kbsync uploads them.

    `max_kb` is a file's size in units of 1,000 bytes, `max_pixels` its longer side.
    """

    base_url: str = ""
    max_kb: int = 5_000
    max_pixels: int = 8_000
    allow_svg: bool = False

    @property
    def max_bytes(self) -> int:
        """The largest file, in bytes."""
        return self.max_kb * 1_000


class LintSettings(msgspec.Struct, frozen=True):
    """Which findings are left out, and which get another level: codes, or beginnings of codes."""

    ignore: list[str] = msgspec.field(default_factory=list)
    levels: dict[str, Verdict] = msgspec.field(default_factory=dict)


class PreviewSettings(msgspec.Struct, frozen=True):
    """The address that opens a file in an editor, with {path}, {line} and {column} in it; "" for no links."""

    editor: str = "vscode://file/{path}:{line}:{column}"


class Settings(msgspec.Struct, frozen=True):
    """Everything in kbsync.toml, with the environment variables on top.

    `path` is the file that was read; the content root and the ledger are relative to its folder. `state` is the folder
    for kbsync's own files, where that is not `.kbsync` beside it.
    """

    path: Path
    service: ServiceSettings = msgspec.field(default_factory=ServiceSettings)
    content: ContentSettings = msgspec.field(default_factory=ContentSettings)
    push: PushSettings = msgspec.field(default_factory=PushSettings)
    authors: Mapping[str, int] = msgspec.field(default_factory=dict)
    pace: PaceSettings = msgspec.field(default_factory=PaceSettings)
    ledger: LedgerSettings = msgspec.field(default_factory=LedgerSettings)
    lint: LintSettings = msgspec.field(default_factory=LintSettings)
    assets: AssetsSettings = msgspec.field(default_factory=AssetsSettings)
    preview: PreviewSettings = msgspec.field(default_factory=PreviewSettings)
    state: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of kbsync.toml."""
        return self.path.parent

    @property
    def content_root(self) -> Path:
        """The folder of the Markdown files."""
        return self.folder / self.content.root

    @property
    def state_folder(self) -> Path:
        """Where kbsync keeps its own files: ledger, caches, the sandbox's data."""
        return self.state or self.folder / ".kbsync"

    @property
    def is_sandbox(self) -> bool:
        """Whether the portal is in the embedded sandbox."""
        return self.service.base_url == SANDBOX
