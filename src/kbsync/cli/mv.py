"""`kbsync mv`: rename or move an article, an image or a folder, with every link to it."""

from __future__ import annotations

from dataclasses import replace

import click

from kbsync.app.moving.move import MoveRequest
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options, say_patch
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative
from kbsync.report.moved import moved_patch, moved_text
from kbsync.words import count

PATH = click.Path()
"""For completion: a shell then offers files and folders."""


@click.command("mv")
@click.argument("source", type=PATH, required=False)
@click.argument("to", type=PATH, required=False)
@click.option("--slug", default="", metavar="SLUG", help="Give the article or category another slug.")
@click.option("--category", default="", metavar="SLUG", help="Move the article to this category.")
@click.option("--locale", default="", metavar="CODE", help="Move it to another language.")
@click.option("--keep-slug", is_flag=True, help="Keep the address: write the old slug into the file.")
@click.option("--only", is_flag=True, help="Leave the files at the same path in other locales where they are.")
@click.option("--dry-run", is_flag=True, help="Show what would change, as a list and a patch. Changes nothing.")
@click.option("--finish", is_flag=True, help="Finish a move that was interrupted.")
@with_options
def command(
    options: Options,
    /,
    *,
    source: str | None,
    to: str | None,
    slug: str,
    category: str,
    locale: str,
    keep_slug: bool,
    only: bool,
    dry_run: bool,
    finish: bool,
) -> int:
    """Rename or move an article, an image or a folder. Changes your files; the portal follows with the next push.

    SOURCE is a file or a folder, TO its new path, or a folder that ends with a slash. Links in all languages follow,
    images that only this article shows go along, and so do the translations at the same path. If the slug changes, the
    old one is kept in `aliases`, so that kbsync updates the same article.
    """
    project = options.open_project()
    if finish:
        if source is not None:
            raise UsageError("`--finish` takes no path.", hint="Run `kbsync mv --finish`.")
        number = project.finish_move()
        options.note(
            f"Finished the move of {count(number, 'file')}. Run `kbsync plan` to see what the next push will do."
        )
        return ExitCode.DONE
    if source is None:
        raise UsageError("Name the file or folder to move.", hint="Run `kbsync mv --help` for examples.")
    request = MoveRequest(source, to or "", slug, category, locale, keep_slug=keep_slug, only=only)
    relocation = project.move(request, dry_run=dry_run)
    click.echo(moved_text(relocation, options.style(), dry_run=dry_run), nl=False)
    if dry_run:
        prefix = relative(project.workspace.content_root)
        for line in moved_patch(replace(relocation, notes=()), "" if prefix == "." else f"{prefix}/"):
            say_patch(line)
    for note in relocation.notes:
        options.note(note)
    if not dry_run:
        options.note("Run `kbsync plan` to see what the next push will do.")
    return ExitCode.DONE
