"""`kbsync resolve`: decide what is held. Nothing is sent; the next push follows the decision."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import click

from kbsync.cli.commands import common_options
from kbsync.cli.lint import tell_errors
from kbsync.cli.planning import Planned, make_plan
from kbsync.cli.policy import Wishes, named
from kbsync.cli.pushing import held_lock
from kbsync.cli.screen import Options, say
from kbsync.cli.workspace import Reading, Workspace
from kbsync.errors import ExitCode, UsageError
from kbsync.ledger.contract import Ledger
from kbsync.model import ARTICLE_FIELDS, CATEGORY_FIELDS, Action, Base, Desired, Held, Observed, Reason, visible
from kbsync.plan.resolve import Side, resolve_fields
from kbsync.service.client import Service

FIELDS = (Reason.DRIFT, Reason.CONFLICT)
DECIDABLE = (*FIELDS, Reason.GONE, Reason.UNKNOWN)
NAMES = tuple(dict.fromkeys((*ARTICLE_FIELDS, *CATEGORY_FIELDS, "locale", "status")))
OTHER_NAMES = {"body": "content"}
"""What plans call a field, where that is another word."""

KEPT = "left as the portal has it"
OVERRULED = "the next push sends it"

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
    names = tuple(map(_field, names))
    if side is None and not sys.stdin.isatty():
        raise UsageError("nobody is there to ask", hint="say `--ours` or `--theirs`, or run it in a terminal")
    workspace = Workspace(options.read_settings(), options)
    reading = workspace.read_content()
    if reading.errors:
        return tell_errors(workspace, reading, form="text", schema="")
    ledger = workspace.open_ledger()
    try:
        with (
            workspace.open_service() as service,
            held_lock(ledger, workspace, wait=False, break_lock=False) as part,
        ):
            record = workspace.recorded(ledger)
            planned = make_plan(workspace, reading, service, record, Wishes(selectors, publish=publish))
            ledger.settle(part.target, planned.recovery.settled)
            desk = Desk(workspace, reading, service, planned)
            code = desk.decide_all(side, names, named(workspace, reading.desired, selectors))
            _record(ledger, part.target, planned, desk)
    finally:
        ledger.close()
    return code


def _field(name: str) -> str:
    """The field that a user means.

    Raises:
        UsageError: there is no such field.
    """
    found = OTHER_NAMES.get(name, name)
    if found in NAMES:
        return found
    near = get_close_matches(name, (*NAMES, *OTHER_NAMES), n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"the fields are: {', '.join(NAMES)}"
    raise UsageError(f"--field: there is no field `{name}`", hint=hint)


@dataclass(slots=True)
class Desk:
    """Where a person decides, one after the other, and what came of it."""

    workspace: Workspace
    reading: Reading
    service: Service
    planned: Planned
    bases: dict[tuple[str, object], Base] = field(default_factory=dict)
    forgotten: list[Base] = field(default_factory=list)
    remade: set[tuple[str, str, str]] = field(default_factory=set)

    def decide_all(self, side: Side | None, names: Sequence[str], paths: frozenset[str]) -> ExitCode:
        """Go through what is held; 4 where something stays so.

        Args:
            side: whose value stands; None: ask.
            names: the fields that are decided; none: all.
            paths: the files that were named; none: all. The plan also has the categories that they need.
        """
        desired = {item.path: item for item in self.reading.desired}
        # What somebody decided already is decided anew only where its file is named.
        plan = self.planned.plan
        known = (*plan.held, *plan.kept, *plan.overruled) if paths else plan.held
        held = [
            item for item in known if (not names or set(item.fields) & set(names)) and (not paths or item.path in paths)
        ]
        if not held:
            click.echo("Nothing is held." if not names else "Nothing is held in these fields.")
            self._tell_of_decided(paths)
            return ExitCode.DONE
        decided = sum(self._decide(item, desired.get(item.path), side, names) for item in held)
        left = len(held) - decided
        if decided:
            self.workspace.options.note("Run `kbsync plan` to see what follows.")
        return ExitCode.HELD if left else ExitCode.DONE

    def _tell_of_decided(self, paths: frozenset[str]) -> None:
        """Say how to come back to an earlier decision, where somebody may look for that."""
        plan = self.planned.plan
        for items, what in ((plan.kept, KEPT), (plan.overruled, OVERRULED)):
            if items and not paths:
                more = f" and {len(items) - 1:,} more" if len(items) > 1 else ""
                self.workspace.options.note(
                    f"{items[0].path}{more}: {what}, by an earlier decision. Name a file to decide it again."
                )

    def _decide(self, held: Held, desired: Desired | None, side: Side | None, names: Sequence[str]) -> bool:
        where = visible(held.path or held.slug)
        if held.reason not in DECIDABLE or desired is None:
            say(f"{where}  {held.reason}: {self.workspace.options.pasteable(held.hint)}")
            return False
        chosen = side or self._ask(held)
        if chosen is None:
            return False
        fields = [name for name in held.fields if not names or name in names]
        if held.reason in FIELDS:
            self._decide_fields(held, desired, fields, chosen)
        elif chosen == "theirs":
            say(f"{where}  {held.reason}: to let it go, delete the source; nothing was decided")
            return False
        elif held.reason is Reason.GONE:
            self.forgotten += [base for base in self.planned.recovery.bases if _is_of(base, held)]
        else:
            self.remade.add((held.kind, held.locale, held.slug))
        say(f"{where}  {', '.join(fields) or held.reason}: {chosen}")
        return True

    def _decide_fields(self, held: Held, desired: Desired, fields: list[str], side: Side) -> None:
        observed = next(item for item in self.planned.portal.items or () if _is_of(item, held))
        key = (held.kind, held.remote_id)
        base = self.bases.get(key) or next((b for b in self.planned.recovery.bases if _is_of(b, held)), None)
        self.bases[key] = resolve_fields(desired, base, observed, fields, side)

    def _ask(self, held: Held) -> Side | None:
        from kbsync.report.text import held_text

        click.echo(held_text(held, self.workspace.options.style()), nl=False)
        plan = self.planned.plan
        if held in (*plan.kept, *plan.overruled):
            click.echo(f"      {KEPT if held in plan.kept else OVERRULED}, by an earlier decision")
        for line in self._body_difference(held):
            say(f"      {line}")
        answer = click.prompt(
            "      keep [o]urs, [t]heirs, or [s]kip", type=click.Choice(list(CHOICES)), default="s", show_choices=False
        )
        return CHOICES[answer]

    def _body_difference(self, held: Held) -> Iterator[str]:
        """The lines in which the two bodies differ, as `diff -u` writes them."""
        if "content" not in held.fields or held.remote_id is None or held.kind != "article":
            return
        from kbsync.report.difference import difference

        theirs = self.service.read_article(held.remote_id, locale=held.locale)[1] or ""
        yield from difference(theirs, self.reading.compiler.content_of(held.path), before="portal", after="source")


def _is_of(item: Base | Observed, held: Held) -> bool:
    return (item.kind, item.remote_id) == (held.kind, held.remote_id)


def _record(ledger: Ledger, target: str, planned: Planned, desk: Desk) -> None:
    ledger.record(target, desk.bases.values(), forgotten=desk.forgotten)
    unknown = planned.recovery.unknown
    entries = [e for e in unknown if e.action == Action.CREATE and (e.kind, e.locale, e.slug) in desk.remade]
    ledger.settle(target, {entry.entry: None for entry in entries})
