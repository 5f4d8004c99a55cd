"""`kbsync resolve`: decide what is held. Nothing is sent: the next push follows, or a file gets the portal's value."""

from __future__ import annotations

import sys

import click

from kbsync.app.options import PlanOptions
from kbsync.app.pulling.resolve import Answer, Decision, Open
from kbsync.cli.calling import with_options
from kbsync.cli.commands import filled
from kbsync.cli.pull import say_pulled
from kbsync.cli.screen import Options, say
from kbsync.command import command_line
from kbsync.errors import ExitCode, UsageError
from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS
from kbsync.model import Plan, Reason, visible
from kbsync.report.text import held_text
from kbsync.report.vocabulary import reason_of
from kbsync.words import did_you_mean, field_names

NAMES = tuple(dict.fromkeys((*ARTICLE_FIELDS, *CATEGORY_FIELDS, "locale", "status")))
OTHER_NAMES = {"body": "content"}
"""What plans call a field, where that is another word."""
SHOWN_NAMES = tuple("body" if name == "content" else name for name in NAMES)

EARLIER: dict[str, str] = {"theirs": "keep the portal's value", "ours": "send your file"}

CHOICES: dict[str, Answer | None] = {"o": "ours", "t": "theirs", "f": "file", "m": "merge", "s": None}
ASK = "Keep [o]urs (file), [t]heirs (portal), put theirs into the [f]ile, or [s]kip?"
ASK_GONE = "Remove the article with this edit ([o]urs), keep both ([t]heirs), or [s]kip?"
ASK_STAGED = "Send [o]urs, leave [t]heirs pending, put theirs into the [f]ile, [m]erge both, or [s]kip?"

SIDES = {
    "file": "into your file",
    "merge": "merged into your file. The next push sends it and discards the pending edit.",
}
"""What the line of a decision says, where that is not the side."""


@click.command("resolve")
@click.argument("selectors", nargs=-1)
@click.option("--ours", "side", flag_value="ours", help="Use your file. The next push sends it.")
@click.option("--theirs", "side", flag_value="theirs", help="Keep the portal's value. kbsync does not ask again.")
@click.option("--into-file", "side", flag_value="file", help="Put the portal's value into your file.")
@click.option("--merge", "side", flag_value="merge", help="Merge an edit that is pending in the panel into your file.")
@click.option("--field", "names", multiple=True, metavar="NAME", help="Only this field, for example title or body.")
@click.option("--publish", is_flag=True, help="Include statuses, like `plan --publish`.")
@click.option("--release", callback=filled, metavar="NAME", help="Include the statuses of this release.")
@with_options
def command(
    options: Options,
    /,
    *,
    selectors: tuple[str, ...],
    side: Answer | None,
    names: tuple[str, ...],
    publish: bool,
    release: str,
) -> int:
    """Decide what needs your decision. Nothing is sent until the next push.

    SELECTORS limit it: paths, slugs, locale:fr, category:billing. Without --ours, --theirs, --into-file or --merge,
    kbsync shows each one and asks. An edit that is pending in the panel is discarded with --ours, left alone with
    --theirs, written into your file with --into-file, and merged with your file with --merge. An article that was
    deleted on the portal is created again with --ours. To let it go, delete its file. If you deleted the file of an
    article with a pending edit, --ours removes the article with the edit, and --theirs keeps both. You can change a
    decision until the next push: name the file again, with the other option.
    """
    fields = tuple(map(_field, names))
    if side is None and not sys.stdin.isatty():
        raise UsageError("Not a terminal, so kbsync cannot ask.", hint="Add `--ours`, `--theirs` or `--into-file`.")
    project = options.open_project()

    left: dict[str, None] = {}

    def choose(found: Open) -> Answer | None:
        if side == "file" and not selectors and found.is_third:
            # Of three texts only the pending one would come into the file: never for all articles at once.
            left[found.held.path] = None
            return None
        return side or _ask(found, options)

    wanted = PlanOptions(selectors, publish=publish, release=release)
    resolved = project.resolve(wanted, choose, names=fields, report=lambda decision: _report(decision, options))
    if resolved.pulled is not None:
        say_pulled(resolved.pulled, options)
    for path in left:
        again = command_line("resolve", path)
        options.note(
            f"{path}: What readers see, the pending edit and your file are three texts. `{again}` shows them and asks."
        )
    if not resolved.decisions:
        click.echo(f"Nothing needs your decision{' in these fields' if names else ''}.")
        if not selectors:
            _report_decided(resolved.plan, options)
    elif any(decision.side in EARLIER for decision in resolved.decisions):
        options.note("Nothing was sent. Run `kbsync plan` to see what the next push will do.")
    return ExitCode.HELD if resolved.left or (resolved.pulled and resolved.pulled.left) else ExitCode.DONE


def _field(name: str) -> str:
    """The field that a user means.

    Raises:
        UsageError: there is no such field.
    """
    found = OTHER_NAMES.get(name, name)
    if found in NAMES:
        return found
    hint = did_you_mean(name, (*NAMES, *OTHER_NAMES)) or f"The fields are: {', '.join(SHOWN_NAMES)}."
    raise UsageError(f"--field: There is no field `{name}`.", hint=hint)


def _report(decision: Decision, options: Options) -> None:
    """A decision in one sentence; a person who skips it knows that."""
    held = decision.held
    if decision.side or decision.why:
        what = reason_of(held) if decision.why else field_names(decision.fields) or reason_of(held)
        came = options.pasteable(decision.why) or SIDES.get(decision.side or "", decision.side or "")
        text = f"{visible(held.path or held.slug)}  {what}: {came}"
        for line in options.style().wrapped(text, hang=4):
            say(line)


def _report_decided(plan: Plan, options: Options) -> None:
    """Say how to come back to an earlier decision, where somebody may look for that."""
    for items, side in ((plan.kept, "theirs"), (plan.overruled, "ours")):
        if items:
            more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
            options.note(f"{items[0].path}{more}: you decided to {EARLIER[side]}. Name a file to decide again.")


def _ask(found: Open, options: Options) -> Answer | None:
    click.echo(held_text(found.held, options.style()), nl=False)
    if found.decided is not None:
        click.echo(f"      You decided to {EARLIER[found.decided]}.")
    for line in found.difference():
        say(f"      {line}")
    is_staged = found.held.reason is Reason.STAGED
    question, letters = (ASK_STAGED, "otfms") if is_staged else (ASK, "otfs")
    if found.is_gone:
        question, letters = ASK_GONE, "ots"
    answer = click.prompt(f"      {question}", type=click.Choice(list(letters)), default="s", show_choices=False)
    return CHOICES[answer]
