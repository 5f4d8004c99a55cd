"""`kbsync new`: write the file of a new article, category or translation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options, say
from kbsync.files import relative
from kbsync.model import visible

if TYPE_CHECKING:
    from kbsync.app.moving.new import NewFile, NewFiles

PATH = click.Path()


@click.group("new")
def group() -> None:
    """Write the file of a new article, category or translation. Overwrites nothing."""


@group.command("article")
@click.argument("path", type=PATH)
@click.option("--title", default="", metavar="TEXT", help="Its title.  [default: from the file name]")
@with_options
def article(options: Options, path: str, title: str) -> int:
    """Write the file of a new article, as a draft.

    PATH is where it goes, such as `en/billing/refunds`.
    """
    return _made(options, lambda files: files.article(path, title))


@group.command("category")
@click.argument("folder", type=PATH)
@click.option("--name", default="", metavar="TEXT", help="Its name.  [default: from the folder]")
@with_options
def category(options: Options, folder: str, name: str) -> int:
    """Write the `_category.md` of a new category.

    FOLDER is its folder, such as `en/billing`.
    """
    return _made(options, lambda files: files.category(folder, name))


@group.command("translation")
@click.argument("path", type=PATH)
@click.option("--locale", default="", metavar="CODE", help="PATH is the original; write its translation.")
@click.option("--of", default="", metavar="PATH", help="The original.  [default: the same path in the default locale]")
@with_options
def translation(options: Options, path: str, locale: str, of: str) -> int:
    """Write the file of a translation, with the original in it.

    PATH is the translation, such as `fr/billing/refunds.md`.
    """
    return _made(options, lambda files: files.translation(path, locale, of))


def _made(options: Options, make: Callable[[NewFiles], NewFile]) -> int:
    """Print the path, which a script may want, and what to do next."""
    made = make(options.open_project().new_files())
    say(visible(relative(made.path)))
    for note in made.notes:
        options.note(note)
    return 0


command = group
