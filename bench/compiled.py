"""Write what the content tree compiles to, as `slow_portal.py --load` takes it: a portal that is in step already.

    python bench/compiled.py FILE        (from a folder with a kbsync.toml)

A push of 100,000 creates takes minutes; adopting them takes the time of one listing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from kbsync.app.project import Project
from kbsync.app.reading import read_content

NAMES = {"meta_title": "title", "meta_description": "description", "tags": "tags"}


def main(file: Path) -> None:
    reading = read_content(Project.open().workspace)
    rows: list[dict[str, Any]] = []
    for item in reading.desired:
        fields: dict[str, Any] = dict(item.fields)
        meta = {NAMES[name]: fields.pop(name) for name in NAMES if name in fields}
        row = {"kind": item.kind, "locale": item.locale, "path": item.path, "original": item.root_path, **fields}
        if item.kind == "article":
            row |= {"content": reading.compiler.content_of(item.path), "meta": meta}
        rows.append(row)
    file.write_bytes(msgspec.msgpack.encode(rows))


main(Path(sys.argv[1]))
