"""`kbsync translate`: what is to be translated, for people, for other tools and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbsync.app.translating.filter_program import Program
from kbsync.app.translating.take_back import take_back
from kbsync.app.translating.translate import OPEN, TranslationFilter, find_owed, hand_off, translate_with
from kbsync.cli.calling import with_options
from kbsync.cli.commands import filled
from kbsync.cli.screen import Options, say
from kbsync.command import command_line
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative, working_folder
from kbsync.model import visible
from kbsync.plan.freshness import Freshness
from kbsync.report.translations import translations_text
from kbsync.words import count

if TYPE_CHECKING:
    from kbsync.app.project import Project

DONE = "Run `kbsync translate --done FILE`, with the file of a translation."
NOT_COMMITTED = (
    "{original} has changes that are not committed. Commit it as it is now. Then kbsync can show what changes later."
)
STILL_MACHINE = (
    "{path} still has `machine: true`, so a machine translation may replace it. If a person has checked the text, "
    "delete that line."
)
NOTHING = "Nothing to translate. Drafts do not count until they are published."
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("translate")
@click.argument("selectors", nargs=-1)
@click.option("--locale", "locales", multiple=True, metavar="CODE", help="Only into this language. Can be repeated.")
@click.option("--stale", is_flag=True, help="Only translations whose original changed since.")
@click.option("--missing", is_flag=True, help="Only translations that do not exist.")
@click.option("--done", is_flag=True, help="Record that these translations are up to date with their originals.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write these articles into a new folder, for translators.")
@click.option("--in", "taken", type=FOLDER, metavar="DIR", help="Take the translated files of such a folder back.")
@click.option(
    "--with",
    "program",
    callback=filled,
    metavar="CMD",
    help="With --out: let this program translate. It gets JSON and prints Markdown.",
)
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    locales: tuple[str, ...],
    stale: bool,
    missing: bool,
    done: bool,
    out: Path | None,
    taken: Path | None,
    program: str,
) -> int:
    """Show which translations are stale or missing, with the words that changed. Hand them to translators.

    SELECTORS limit it: paths of originals or translations, category:billing, status:published. Without --done, --out
    and --in, nothing is written.

    --done writes `translated_from` into the front matter of the translations that you name. Only a later change of the
    original's text makes them stale again; dates do not count.
    """
    asked = any((locales, stale, missing, out, program))
    if done and (not selectors or asked or taken):
        raise UsageError("`--done` takes the paths of translations, and nothing else.", hint=DONE)
    if taken and (selectors or asked):
        raise UsageError("`--in` takes everything of the folder.", hint="Leave the other options out.")
    if program and not out:
        raise UsageError("`--with` needs a folder for the translations.", hint="Add `--out DIR`.")
    project = options.open_project()
    if done:
        return _mark(project, selectors, options)
    if taken:
        return _take_back(project, taken, options)
    chosen = tuple(state for state, is_wanted in ((Freshness.STALE, stale), (Freshness.MISSING, missing)) if is_wanted)
    wanted = TranslationFilter(locales, chosen or OPEN, selectors, working_folder())
    return _hand_off(project, wanted, out, program, options) if out else _show(project, wanted, options)


def _mark(project: Project, files: tuple[str, ...], options: Options) -> int:
    root = project.workspace.content_root
    for marked in project.mark_done(files, here=working_folder()):
        path, original = (visible(relative(root / name)) for name in (marked.path, marked.original))
        what = "is up to date with" if marked.is_new else "already names the current version of"
        say(f"{path} {what} {original}.")
        if marked.is_committed is False:
            options.note(NOT_COMMITTED.format(original=original))
        if marked.is_machine:
            options.note(STILL_MACHINE.format(path=path))
    return ExitCode.DONE


def _show(project: Project, wanted: TranslationFilter, options: Options) -> int:
    owed = find_owed(project.workspace, wanted)
    click.echo(translations_text(owed.items, owed.all_of_locales, options.style()), nl=False)
    if not owed.items:
        say(NOTHING)
    else:
        options.note("To hand them to translators, run `kbsync translate --out DIR` with the same options.")
    return ExitCode.DONE


def _hand_off(project: Project, wanted: TranslationFilter, out: Path, program: str, options: Options) -> int:
    filter_program = Program.of(program) if program else None
    owed = find_owed(project.workspace, wanted)
    if not owed.items:
        say(f"{NOTHING} The folder was not made.")
        return ExitCode.DONE
    written, articles = hand_off(project.workspace, owed, out)
    shown = visible(relative(out))
    terms = f", with {count(written.terms, 'term')} of the glossary" if written.terms else ""
    say(f"{count(len(articles), 'article')} in {shown}{terms}. The files to translate are in {shown}/translate.")
    failed = False
    for done in translate_with(filter_program, owed, articles, out) if filter_program else ():
        failed = failed or done.outcome == "rejected"
        what = f"{visible(done.path)}: "
        if done.outcome == "translated":
            options.note(f"{what}translated.")
        elif done.outcome == "rejected":
            say(f"{what}rejected. {done.reason} See {Path(done.path).name}.rejected.", err=True)
        else:
            options.note(f"{what}left to people, because a person wrote the translation.")
    options.note(f"When they are translated, run `{command_line('translate', options=[('--in', str(out))])}`.")
    return ExitCode.PARTLY_FAILED if failed else ExitCode.DONE


def _take_back(project: Project, folder: Path, options: Options) -> int:
    root = project.workspace.content_root
    refused = untouched = written = 0
    for taken in take_back(project.workspace, folder):
        name = visible(relative(root / taken.path)) if taken.outcome in {"new", "updated"} else visible(taken.path)
        if taken.outcome == "refused":
            refused += 1
            say(f"{name} was not taken. {visible(taken.reason)}", err=True)
        elif taken.outcome == "untouched":
            untouched += 1
        elif taken.name:
            say(f"{name}: new. Translate its name, `{visible(taken.name)}`.")
        else:
            written += 1
            say(f"{name}: {'new, as a draft' if taken.outcome == 'new' else 'updated'}.")
    if untouched:
        options.note(f"{count(untouched, 'file')} with nothing new to take back.")
    if written:
        options.note("Read the changes with `git diff`, and check them with `kbsync lint`.")
    return ExitCode.PARTLY_FAILED if refused else ExitCode.DONE
