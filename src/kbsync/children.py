"""Processes that kbsync starts. Nothing of the current folder is imported or run.

Python puts the working folder first where it looks for modules (`python -c`, `python -m`, and so the children of a
process pool under spawn and forkserver), and a `.` in PATH makes a file there a program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

SAFE_PATH = "PYTHONSAFEPATH"
"""Set, it keeps Python from putting the working folder where it looks for modules."""


def trusted_path(entries: Iterable[str], folder: str) -> list[str]:
    """Where modules are looked for, without the working folder; it stays where kbsync itself was loaded from it."""
    home = os.path.realpath(Path(__file__).parent.parent)
    here = os.path.realpath(folder)
    return [entry for entry in entries if home == here or os.path.realpath(Path(folder, entry)) != here]


def leave_folder_out() -> None:
    """Stop looking for modules in the working folder, from here on."""
    sys.path[:] = trusted_path(sys.path, _working_folder())


@contextmanager
def importing_nothing_from_here() -> Iterator[None]:
    """A block in which a process pool may be made: its children look for modules where this process does, not here."""
    folder = _working_folder()
    before = {name: os.environ.get(name) for name in (SAFE_PATH, "PYTHONPATH")}
    path = sys.path[:]
    os.environ[SAFE_PATH] = "1"
    if before["PYTHONPATH"] is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join(trusted_path(before["PYTHONPATH"].split(os.pathsep), folder))
    sys.path[:] = trusted_path(path, folder)
    try:
        yield
    finally:
        sys.path[:] = path
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def find_program(name: str, environ: Mapping[str, str], *, outside: Iterable[Path]) -> str | None:
    """The absolute path of a program by PATH, passing by some folders; None where it is not found.

    Entries of PATH that are not absolute are passed by as well. A name with a folder in it is taken as it is.
    A folder that has the user's home below it, such as `/`, is no project's, and programs in it are not passed by.
    """
    if Path(name).name != name:
        return str(Path(name).absolute())
    home = os.path.realpath(Path.home()) if "HOME" in environ or os.name == "nt" else os.sep
    shut = [folder for place in outside if not _is_in(home, folder := os.path.realpath(place))]
    ends = environ.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else [""]
    for entry in environ.get("PATH", os.defpath).split(os.pathsep):
        for end in ends:
            place = Path(entry, name + end)
            if _may_run(place, shut):
                return str(place)
    return None


def _may_run(place: Path, shut: Iterable[str]) -> bool:
    # In this order: of a folder that may not be searched, `is_file` raises what `access` answers.
    if not place.is_absolute() or not os.access(place, os.X_OK) or not place.is_file():
        return False
    # Neither the folder nor what a link in it leads to.
    reals = (os.path.realpath(place.parent), os.path.realpath(place))
    return not any(_is_in(real, folder) for folder in shut for real in reals)


def _is_in(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


def _working_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return os.sep  # It was deleted: nothing can be in it.
