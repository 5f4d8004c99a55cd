"""Writes the JSON Schemas that the tests hold stable: `make schemas`, after a change to what kbsync prints or reads."""

from __future__ import annotations

from pathlib import Path

from kbsync.report.schemas import schema_names, schema_text

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "schemas"


def main() -> None:
    """Write each schema, and delete those that there are no more."""
    names = schema_names()
    for path in FOLDER.glob("*.json"):
        if path.stem not in names:
            path.unlink()
    for name in names:
        (FOLDER / f"{name}.json").write_text(schema_text(name) + "\n", "utf-8")


if __name__ == "__main__":
    main()
