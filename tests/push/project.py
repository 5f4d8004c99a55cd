"""A folder in which kbsync runs, for tests of whole commands against a portal of its own."""

import base64
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders import Files, write_files
from commands import Done, run_here
from kbsync.sandbox import Sandbox

from .world import PORTAL, TOKEN

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SETTINGS = {"KBSYNC_TOKEN": TOKEN, "KBSYNC_PACE__REQUESTS_PER_MINUTE": "60000", "COLUMNS": "100"}


@dataclass(frozen=True)
class Project:
    """A checkout."""

    folder: Path

    def run(self, *arguments: str, **environ: str) -> Done:
        return run_here(arguments, folder=self.folder, environ=os.environ | SETTINGS | environ)

    def plan(self, **environ: str) -> dict[str, Any]:
        """The summary of a plan."""
        return dict(json.loads(self.run("plan", "--format", "json", **environ).out)["summary"])

    def push(self, **environ: str) -> dict[str, Any]:
        """The summary of a push."""
        return dict(json.loads(self.run("push", "--format", "json", **environ).out)["summary"])


def a_checkout(folder: Path, portal: Sandbox, files: Files, more: str = "") -> Project:
    """These files, and the settings for a portal; `more` may begin with keys of [content]."""
    config = f'[service]\nbase_url = "{portal.base_url}"\nportal = "{PORTAL}"\n[content]\ndefault_locale = "en"\n{more}'
    return Project(write_files(folder, {**files, "kbsync.toml": config}))
