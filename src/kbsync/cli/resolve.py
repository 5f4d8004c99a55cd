"""`kbsync resolve`: decide what is held. Nothing is sent; the next push follows the decision."""

from __future__ import annotations

import sys

import click

from kbsync.app.options import PlanOptions
from kbsync.app.reading import TreeRefused
from kbsync.app.resolve import Decision, Open
from kbsync.cli.commands import common_options, filled
from kbsync.cli.findings import report_refusal
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode, UsageError
from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS
from kbsync.model import Plan, Reason, visible
from kbsync.plan.resolve import Side
from kbsync.report.vocabulary import REASONS
from kbsync.words import did_you_mean, field_names

NAMES = tuple(dict.fromkeys((*ARTICLE_FIELDS, *CATEGORY_FIELDS, "locale", "status")))
OTHER_NAMES = {"body": "content"}
"""What plans call a field, where that is another word."""
SHOWN_NAMES = tuple("body" if name == "content" else name for name in NAMES)

EARLIER: dict[str, str] = {"theirs": "keep the portal's value", "ours": "send your file"}
TAKEN = "written into your file"

CHOICES: dict[str, Side | None] = {"o": "ours", "t": "theirs", "s": None}
ASK = "Keep [o]urs (file), [t]heirs (portal) or [s]kip?"
ASK_STAGED = "Send [o]urs, leave [t]heirs pending, [w]rite theirs into your file or [s]kip?"
OF_STAGED: dict[str, Side | None] = {**CHOICES, "w": "take"}


@click.command("resolve")
@click.argument("selectors", nargs=-1)
@click.option("--ours", "side", flag_value="ours", help="Use your file. The next push sends it.")
@click.option("--theirs", "side", flag_value="theirs", help="Keep the portal's value. kbsync does not ask again.")
@click.option("--take", "side", flag_value="take", help="Write an edit that is pending in the panel into your file.")
@click.option("--field", "names", multiple=True, metavar="NAME", help="Only this field, for example title or body.")
@click.option("--publish", is_flag=True, help="Include statuses, like `plan --publish`.")
@click.option("--release", callback=filled, metavar="NAME", help="Include the statuses of this release.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    selectors: tuple[str, ...],
    side: Side | None,
    names: tuple[str, ...],
    publish: bool,
    release: str,
) -> int:
    """Decide what needs your decision. Nothing is sent until the next push.

    SELECTORS limit it: paths, locale:fr, category:billing. Without --ours or --theirs, kbsync shows each one and asks.
    An edit that is pending in the panel is discarded with --ours, left alone with --theirs, and written into your file
    with --take. An article that was deleted on the portal is created again with --ours. To let it go, delete its file.
    You can change a decision until the next push: name the file again, with the other option.
    """
    options = Options.of(ctx)
    fields = tuple(map(_field, names))
    if side is None and not sys.stdin.isatty():
        raise UsageError("Not a terminal, so kbsync cannot ask.", hint="Add `--ours` or `--theirs`.")
    project = options.open_project()

    def choose(found: Open) -> Side | None:
        return side or _ask(found, options)

    try:
        wanted = PlanOptions(selectors, publish=publish, release=release)
        resolved = project.resolve(wanted, choose, names=fields, report=lambda decision: _report(decision, options))
    except TreeRefused as exc:
        return report_refusal(project.workspace, exc.reading, options, form="text", schema="")
    if not resolved.decisions:
        click.echo("Nothing needs your decision." if not names else "Nothing needs your decision in these fields.")
        if not selectors:
            _report_decided(resolved.plan, options)
    elif resolved.left < len(resolved.decisions):
        options.note("Nothing was sent. Run `kbsync plan` to see what the next push will do.")
    return ExitCode.HELD if resolved.left else ExitCode.DONE


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
    """One line a decision; a person who skips it knows that."""
    held = decision.held
    if decision.side or decision.why:
        what = REASONS[held.reason] if decision.why else field_names(decision.fields) or REASONS[held.reason]
        side = TAKEN if decision.side == "take" else decision.side
        say(f"{visible(held.path or held.slug)}  {what}: {options.pasteable(decision.why) or side}")


def _report_decided(plan: Plan, options: Options) -> None:
    """Say how to come back to an earlier decision, where somebody may look for that."""
    for items, side in ((plan.kept, "theirs"), (plan.overruled, "ours")):
        if items:
            more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
            options.note(f"{items[0].path}{more}: you decided to {EARLIER[side]}. Name a file to decide again.")


def _ask(found: Open, options: Options) -> Side | None:
    from kbsync.report.text import held_text

    click.echo(held_text(found.held, options.style()), nl=False)
    if found.decided is not None:
        click.echo(f"      You decided to {EARLIER[found.decided]}.")
    for line in found.difference():
        say(f"      {line}")
    is_staged = found.held.reason is Reason.STAGED
    choices, question = (OF_STAGED, ASK_STAGED) if is_staged else (CHOICES, ASK)
    answer = click.prompt(f"      {question}", type=click.Choice(list(choices)), default="s", show_choices=False)
    return choices[answer]
