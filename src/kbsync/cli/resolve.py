"""`kbsync resolve`: decide what is held. Nothing is sent; the next push follows the decision."""

from __future__ import annotations

import sys

import click

from kbsync.app.options import PlanOptions
from kbsync.app.reading import TreeRefused
from kbsync.app.resolve import Decision, Open
from kbsync.cli.commands import common_options
from kbsync.cli.findings import report_refusal
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode, UsageError
from kbsync.model import ARTICLE_FIELDS, CATEGORY_FIELDS, Plan, visible
from kbsync.plan.resolve import Side
from kbsync.words import did_you_mean

NAMES = tuple(dict.fromkeys((*ARTICLE_FIELDS, *CATEGORY_FIELDS, "locale", "status")))
OTHER_NAMES = {"body": "content"}
"""What plans call a field, where that is another word."""

EARLIER = {"theirs": "left as the portal has it", "ours": "the next push sends it"}

CHOICES: dict[str, Side | None] = {"o": "ours", "t": "theirs", "s": None}


@click.command("resolve")
@click.argument("selectors", nargs=-1)
@click.option("--ours", "side", flag_value="ours", help="The source stands: the next push sends it.")
@click.option("--theirs", "side", flag_value="theirs", help="The portal's value stays, and is not told again.")
@click.option("--field", "names", multiple=True, metavar="NAME", help="Only this field, for example title or body.")
@click.option("--publish", is_flag=True, help="Look at statuses too, as `plan --publish` does.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, /, *, selectors: tuple[str, ...], side: Side | None, names: tuple[str, ...], publish: bool
) -> int:
    """Decide what is held: drift, conflict, gone, unknown. Nothing is sent; the next push follows.

    SELECTORS limit it: paths, locale:fr, category:billing. Without --ours or --theirs each one is shown and asked for.
    What somebody deleted on the portal (gone) is made again with --ours; to let it go, delete the source. A decision
    can be changed until the push that follows it: name the file again, with the other side.
    """
    options = Options.of(ctx)
    fields = tuple(map(_field, names))
    if side is None and not sys.stdin.isatty():
        raise UsageError("nobody is there to ask", hint="say `--ours` or `--theirs`, or run it in a terminal")
    project = options.open_project()

    def choose(found: Open) -> Side | None:
        return side or _ask(found, options)

    try:
        wanted = PlanOptions(selectors, publish=publish)
        resolved = project.resolve(wanted, choose, names=fields, report=lambda decision: _report(decision, options))
    except TreeRefused as exc:
        return report_refusal(project.workspace, exc.reading, options, form="text", schema="")
    if not resolved.decisions:
        click.echo("Nothing is held." if not names else "Nothing is held in these fields.")
        if not selectors:
            _report_decided(resolved.plan, options)
    elif resolved.left < len(resolved.decisions):
        options.note("Run `kbsync plan` to see what follows.")
    return ExitCode.HELD if resolved.left else ExitCode.DONE


def _field(name: str) -> str:
    """The field that a user means.

    Raises:
        UsageError: there is no such field.
    """
    found = OTHER_NAMES.get(name, name)
    if found in NAMES:
        return found
    hint = did_you_mean(name, (*NAMES, *OTHER_NAMES)) or f"the fields are: {', '.join(NAMES)}"
    raise UsageError(f"--field: there is no field `{name}`", hint=hint)


def _report(decision: Decision, options: Options) -> None:
    """One line a decision; a person who skips it knows that."""
    held = decision.held
    if decision.side or decision.why:
        what = held.reason if decision.why else ", ".join(decision.fields) or held.reason
        say(f"{visible(held.path or held.slug)}  {what}: {options.pasteable(decision.why) or decision.side}")


def _report_decided(plan: Plan, options: Options) -> None:
    """Say how to come back to an earlier decision, where somebody may look for that."""
    for items, side in ((plan.kept, "theirs"), (plan.overruled, "ours")):
        if items:
            more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
            options.note(
                f"{items[0].path}{more}: {EARLIER[side]}, by an earlier decision. Name a file to decide it again."
            )


def _ask(found: Open, options: Options) -> Side | None:
    from kbsync.report.text import held_text

    click.echo(held_text(found.held, options.style()), nl=False)
    if found.decided is not None:
        click.echo(f"      {EARLIER[found.decided]}, by an earlier decision")
    for line in found.difference():
        say(f"      {line}")
    answer = click.prompt(
        "      keep [o]urs, [t]heirs, or [s]kip", type=click.Choice(list(CHOICES)), default="s", show_choices=False
    )
    return CHOICES[answer]
