"""Links that open a file in the writer's editor."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from kbsync.config import Settings
from kbsync.errors import KbsyncError
from kbsync.files import real_path
from kbsync.site.writer_panel import Broken

_PLACE = re.compile(r"(?P<file>[^\n]+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?: ")
"""How a message about a file begins."""


def editor_url(settings: Settings, file: Path, line: int = 1, column: int = 1) -> str:
    """The address that opens a file at a place."""
    template = settings.preview.editor
    place = real_path(file).as_posix()
    words = {"path": quote(place, safe="/:"), "line": str(line), "column": str(column)}
    # In vscode://file/{path} the first slash of the path is there already, in x://open?file={path} it does not.
    template = template.replace("/{path}", "/" + words["path"].removeprefix("/"))
    for word, value in words.items():
        template = template.replace("{" + word + "}", value)
    return template


def no_content(settings: Settings) -> Broken:
    """The content folder is not there any more."""
    message = f"There is no folder `{settings.content.root}`. The pages show what was in it, until it is back."
    return Broken(message, title="The content folder is gone.")


def broken_settings(settings: Settings, error: KbsyncError) -> Broken:
    """What is wrong with kbsync.toml, or with a file that it names, with a link to the line."""
    file, line, column = settings.path, 1, 1
    if place := _PLACE.match(error.message):
        named = Path(place["file"])
        # A message names files from the current folder on.
        if named.is_file():
            file = named
        line, column = int(place["line"]), int(place["column"] or 1)
    hint = f" {error.hint}" if error.hint else ""
    url = editor_url(settings, file, line, column)
    return Broken(f"{error.message}{hint}", file.name, url, "The last valid settings are still in use.")
