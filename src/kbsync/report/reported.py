"""What `plan` and `push` printed as JSON, read again: the other end of `data.py`. Pure.

Another version of kbsync may have written it, and in the pull request of a stranger anybody may have: keys that
are not known here are ignored, actions and reasons are called unknown, and nothing is taken for more than text.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import UNSET, structs

from kbsync.model import Action, Change, Plan, Target, visible
from kbsync.plan.rules import FILE_GONE
from kbsync.report.data import plan_report
from kbsync.report.json_types import AsOfEntry, FieldEntry, PlanReport, PushReport
from kbsync.report.value_text import moving

SCHEMAS = {"kbsync.plan/1": "plan", "kbsync.push/1": "push"}
"""By the schema of the object, the command that printed it."""

MOST = 1_000_000_000_000
"""A count beyond this is none; a number of a stranger may have a thousand digits."""


class FieldReport(msgspec.Struct, frozen=True):
    """One field before and after; of a body, its digests."""

    name: str
    before: Any = None
    after: Any = None


class ItemReport(msgspec.Struct, frozen=True, kw_only=True):
    """What something is about."""

    locale: str = ""
    slug: str = ""
    path: str = ""


class ChangeReport(ItemReport, frozen=True, kw_only=True):
    """One change. `outcome` is "" in a plan, and `done`, `failed` or `skipped` after a push."""

    action: str
    kind: str
    title: str = ""
    was: str = ""
    live: bool = False
    staged: bool = False
    fields: tuple[FieldReport, ...] = ()
    outcome: str = ""
    error: str | None = ""
    hint: str = ""
    diff: tuple[str, ...] = ()

    @property
    def is_sent(self) -> bool:
        """Whether it changes the portal; what already matches changes nothing."""
        return self.action != Action.ADOPT

    @property
    def is_removal(self) -> bool:
        return self.action == Action.DELETE or (self.action == Action.ARCHIVE and not self.path)


class ValueReport(msgspec.Struct, frozen=True):
    """Both values of a field that is held."""

    name: str
    portal: Any = None
    ours: Any = None


class HeldReport(ItemReport, frozen=True, kw_only=True):
    """What needs a decision."""

    reason: str
    fields: tuple[str, ...] = ()
    hint: str = ""
    values: tuple[ValueReport, ...] = ()
    diff: tuple[str, ...] = ()
    why: str = ""
    edited_at: str | None = None


class WaitingReport(ItemReport, frozen=True, kw_only=True):
    """What is published later."""

    until: str | None = None
    release: str | None = None


class HintedReport(ItemReport, frozen=True, kw_only=True):
    """What is published in a file and not on the portal, or edited in the panel."""

    title: str = ""
    hint: str = ""


class OtherReport(ItemReport, frozen=True, kw_only=True):
    """What is on the portal and not ours."""

    title: str = ""
    status: str | None = None


class RefusedReport(msgspec.Struct, frozen=True):
    """Why a plan is not carried out."""

    message: str = ""
    hint: str = ""


class FindingReport(msgspec.Struct, frozen=True):
    """An error or a warning."""

    code: str
    level: str
    path: str = ""
    line: int = 1
    column: int = 1
    message: str = ""
    hint: str = ""


class TargetReport(Target, frozen=True):
    """The portal that it is about."""

    profile: Any = ""

    @property
    def digest(self) -> str:
        """Names this portal among others of one repository; letters and digits only."""
        return blake2b(self.key.encode("utf-8", "surrogatepass"), digest_size=8, person=b"comment").hexdigest()


class Report(msgspec.Struct, frozen=True):
    """A plan, or what a push did."""

    schema: str
    target: TargetReport
    summary: dict[str, Any] = {}
    changes: tuple[ChangeReport, ...] = ()
    held: tuple[HeldReport, ...] = ()
    findings: tuple[FindingReport, ...] = ()
    as_of: AsOfEntry | None = None
    waiting: tuple[WaitingReport, ...] = ()
    accepted: tuple[HeldReport, ...] = ()
    unpublished: tuple[HintedReport, ...] = ()
    unmanaged: tuple[OtherReport, ...] = ()
    panel_edits: tuple[HintedReport, ...] = ()
    refused: RefusedReport | None = None

    @property
    def command(self) -> str:
        return SCHEMAS[self.schema]

    def number(self, name: str) -> int:
        """A count of the summary; 0 where it has none."""
        found = self.summary.get(name)
        return found if isinstance(found, int) and 0 <= found < MOST else 0

    @property
    def sent(self) -> tuple[ChangeReport, ...]:
        return tuple(change for change in self.changes if change.is_sent)

    @property
    def errors(self) -> tuple[FindingReport, ...]:
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def warnings(self) -> tuple[FindingReport, ...]:
        return tuple(finding for finding in self.findings if finding.level != "error")

    @property
    def is_unsent(self) -> bool:
        """Whether a push ended before the first change of its plan."""
        planned = sum(self.number(action.value) for action in Action if action is not Action.ADOPT)
        return self.command == "push" and planned > 0 and not self.changes

    @property
    def is_up_to_date(self) -> bool:
        """Whether there was nothing to do, and nobody has to do anything."""
        return not (self.has_news or self.unpublished or self.refused or self.is_unsent)

    @property
    def has_news(self) -> bool:
        """Whether a reviewer should read it. Warnings of the files alone were there before the pull request, mostly."""
        gone = any(finding.code == FILE_GONE.code for finding in self.findings)
        return bool(self.sent or self.held or self.errors or gone)


def read_report(data: bytes) -> Report:
    """What a file holds.

    Raises:
        ValueError: it is not JSON of `plan` or `push`; the message says what is wrong with it.
    """
    try:
        found = msgspec.json.decode(data, type=Report)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise ValueError(str(exc)) from exc
    if found.schema not in SCHEMAS:
        raise ValueError(f"its schema is `{visible(found.schema[:40])}`")
    return found


def report_of(printed: PlanReport | PushReport, changes: Iterable[Change]) -> Report:
    """What would be printed of these changes, as if it had been. Values are as people know them: a program gets ids."""
    entries = [
        structs.replace(entry, fields=[FieldEntry(field.name, *field.shown) for field in moving(change.fields)])
        for entry, change in zip(printed.changes, changes, strict=True)
    ]
    return msgspec.convert(msgspec.to_builtins(structs.replace(printed, changes=entries)), Report)


def report_of_plan(plan: Plan) -> Report:
    """A plan out of a saved plan."""
    return report_of(structs.replace(plan_report(plan), as_of=UNSET), plan.changes)
