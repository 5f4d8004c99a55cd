"""Decide what is held. Nothing is sent; the next push follows the decision, or the file takes the portal's value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from kbsync.app.lease import held_lock
from kbsync.app.options import PlanOptions, gone_files, named
from kbsync.app.planning.plan import Planned, make_plan
from kbsync.app.pulling.pull import Pulled, take_fields
from kbsync.app.pulling.take import SHOWN, Texts, base_of, begun_with, merge, take
from kbsync.app.reading import Reading, read_sound
from kbsync.app.sides import recorded
from kbsync.app.workspace import Workspace
from kbsync.command import command_line
from kbsync.errors import ContentError
from kbsync.ledger import Ledger
from kbsync.markdown.uploaded import body_digest, by_key
from kbsync.model import DRAFTS, Action, Base, Desired, Fields, Held, Observed, Plan, Reason
from kbsync.plan.resolve import Side, resolve_fields, resolve_gone, undecided
from kbsync.report.body_diff import difference
from kbsync.service.client import Service

FIELDS = (Reason.DRIFT, Reason.CONFLICT, Reason.STAGED, Reason.BEHIND)
DECIDABLE = (*FIELDS, Reason.GONE, Reason.UNKNOWN)

REPLACED = "The next push replaces it with your file, which has the pending edit now."
NEWER_STAYS = "The portal keeps its version until your files have that commit."

LEFT_PENDING = "It stays pending. Your file has nothing to send, so nothing has to be decided."

Answer = Side | Literal["file", "merge"]
"""Whose value counts; `file`: the portal's, and the file gets it; `merge`: both, and the file gets them."""


@dataclass(frozen=True, slots=True)
class Open:
    """Something that a person may decide now.

    Args:
        held: what it is.
        decided: by an earlier decision: `theirs`, `ours`, or None.
        difference: the lines in which the two bodies differ, as `diff -u` writes them; read when asked for.
        is_gone: its file is gone, and the question is whether the pending edit goes along with the article.
        is_third: what readers see, a pending edit and the file are three texts, and this is about one of them.
    """

    held: Held
    decided: Side | None
    difference: Callable[[], Iterator[str]]
    is_gone: bool = False
    is_third: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of one held item; `side` is None where it stays held, with the reason in `why`, if there is one."""

    held: Held
    fields: tuple[str, ...]
    side: Answer | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """How it went: what was looked at, the plan that it was taken from, and what came into files."""

    decisions: tuple[Decision, ...]
    plan: Plan
    pulled: Pulled | None = None

    @property
    def left(self) -> int:
        """How many items stay held."""
        return sum(decision.side is None for decision in self.decisions)


Choose = Callable[[Open], Answer | None]
"""Decides whose value counts; None: leave it held."""


def resolve(
    workspace: Workspace,
    options: PlanOptions,
    choose: Choose,
    *,
    names: Sequence[str] = (),
    report: Callable[[Decision], None] = lambda decision: None,
) -> Resolved:
    """Decide what is held, one item after the other.

    Args:
        workspace: the project.
        options: which items, and whether statuses are looked at.
        choose: is asked for each item that can be decided.
        names: the fields that are decided; none: all.
        report: is called with each decision as it is made; for files that get a value, once they have it.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: a file with uncommitted work would change; everything else is decided.
    """
    reading = read_sound(workspace)
    ledger = workspace.open_ledger()
    try:
        with workspace.open_service() as service, held_lock(ledger, workspace, wait=False, break_lock=False) as lease:
            record = recorded(workspace, ledger)
            gone = gone_files(
                workspace.content_root, reading.desired, record.bases, replace(options, overwrite=options.selectors)
            )
            # A release is planned whole, and so is what is removed; what is asked is limited below.
            asked = replace(options, selectors=()) if options.release or gone else options
            planned = make_plan(workspace, reading, service, record, asked)
            ledger.settle(lease.target, planned.recovery.settled)
            decisions = _Decisions(planned.reading, service, planned)
            there = [selector for selector in options.selectors if selector not in gone]
            paths = named(workspace.content_root, reading.desired, there) | frozenset(gone.values())
            made = []
            for held in _asked(planned.plan, names, paths):
                made.append(decisions.decide(held, choose, names))
                if not _is_written_last(made[-1]):
                    report(made[-1])
            decisions.record(ledger, lease.target)
            pulled = decisions.put_into_files(workspace)
            for decision in filter(_is_written_last, made):
                report(decision)
    finally:
        ledger.close()
    return Resolved(tuple(made), planned.plan, pulled)


def _is_written_last(decision: Decision) -> bool:
    """Whether its file gets the value after everything is decided, if it may be changed."""
    return decision.side == "file" and decision.held.reason is not Reason.STAGED


def _asked(plan: Plan, names: Sequence[str], paths: frozenset[str]) -> list[Held]:
    """What is to be decided. An earlier decision is asked for again only where its file is named.

    The plan also has the categories that the named files need. An edit that is pending comes before what readers see
    of the same article: it was begun with that text. Fields that are named are those that readers see, never an edit of
    them that is pending.
    """
    known = [*plan.held, *plan.kept, *plan.overruled, *plan.panel_edits] if paths else [*plan.held]
    first = {item.path: place for place, item in reversed([*enumerate(known)])}
    known.sort(key=lambda item: (first[item.path], item.reason is not Reason.STAGED))
    # A command that names fields is about what it names, whatever else somebody did in the panel meanwhile.
    if names:
        known = [item for item in known if item.reason is not Reason.STAGED and set(item.fields) & set(names)]
    return [item for item in known if not paths or item.path in paths]


@dataclass(slots=True)
class _Decisions:
    """What is decided so far, until it is recorded."""

    reading: Reading
    service: Service
    planned: Planned
    bases: dict[tuple[str, object], Base] = field(default_factory=dict)
    forgotten: list[Base] = field(default_factory=list)
    remade: set[tuple[str, str, str]] = field(default_factory=set)
    into_files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    taken: dict[str, Answer] = field(default_factory=dict)
    written: dict[str, Fields] = field(default_factory=dict)

    def decide(self, held: Held, choose: Choose, names: Sequence[str]) -> Decision:
        """Decide one item."""
        fields = tuple(name for name in held.fields if not names or name in names)
        desired = self._desired(held)
        if desired is None and held.reason is Reason.STAGED:
            return self._decide_gone(held, choose)
        # Who an article is can be decided for all of it, and what newer files published field by field.
        is_other = held.reason is (Reason.UNKNOWN if held.fields else Reason.BEHIND)
        if desired is None or held.reason not in DECIDABLE or is_other:
            return Decision(held, fields, None, held.hint)
        if held.path in self.taken and held.reason in FIELDS:
            return self._replace_shown(held, desired, fields)
        is_third = not DRAFTS.keys().isdisjoint(held.fields) and self._has_three(held)
        side = choose(Open(held, self._decided(held), lambda: self._difference(held), is_third=is_third))
        return Decision(held, fields, None) if side is None else self._follow(held, desired, fields, side)

    def _why_not(self, held: Held, side: Answer) -> str:
        """Why this cannot be decided so; "" where it can."""
        if side == "merge":
            return self._why_not_merged(held)
        if side == "file" and held.kind == "portal":
            return f"kbsync does not write {held.path}. Copy the value into it by hand."
        if side == "theirs" and held.reason is Reason.BEHIND:
            # Older files decide nothing for all others.
            return NEWER_STAYS
        if held.reason in FIELDS or side == "ours":
            return ""
        if side == "file":
            return "The portal has no value to put into the file. Nothing was decided."
        return "To let it go, delete the file. Nothing was decided."

    def _follow(self, held: Held, desired: Desired, fields: tuple[str, ...], side: Answer) -> Decision:
        """Do what was decided, or keep it until all is recorded."""
        if side == "theirs" and held.reason is Reason.BEHIND and self._takes_back(held, fields):
            return Decision(held, fields, side, NEWER_STAYS)
        if why := self._why_not(held, side):
            return Decision(held, fields, None, why)
        if side == "theirs" and self._is_noted(held):
            return self._leave_pending(held)
        if held.reason is Reason.STAGED:
            return self._follow_staged(held, desired, fields, side)
        if held.reason is Reason.GONE:
            self.forgotten += [base for base in self.planned.recovery.bases if _is_of(base, held)]
        elif held.reason is Reason.UNKNOWN:
            self.remade.add((held.kind, held.locale, held.slug))
        elif side == "file":
            self.into_files[held.path] = (*self.into_files.get(held.path, ()), *fields)
        elif side != "merge":
            self._decide_fields(held, desired, fields, side)
        return Decision(held, fields, side)

    def _follow_staged(self, held: Held, desired: Desired, fields: tuple[str, ...], side: Answer) -> Decision:
        if side == "merge" or side == "file":
            return self._take(held, desired, fields, merges=side == "merge")
        # The panel keeps title and body of an edit together, and so does a decision about it.
        self._decide_fields(held, desired, tuple(DRAFTS.values()), side)
        return Decision(held, tuple(DRAFTS[name] for name in fields), side)

    def _decide_gone(self, held: Held, choose: Choose) -> Decision:
        """Whether an edit that is pending goes along with an article whose file is gone."""
        side = choose(Open(held, self._decided(held), lambda: self._difference(held), is_gone=True))
        fields, base = tuple(DRAFTS[name] for name in held.fields), self._base(held)
        if side in {"file", "merge"} or base is None:
            return Decision(held, fields, None, "The file is gone. Bring it back first. Nothing was decided.")
        if side == "ours" or side == "theirs":
            observed = next(item for item in self.planned.portal.everything or () if _is_of(item, held))
            self.bases[held.kind, held.remote_id] = resolve_gone(base, observed, side)
        return Decision(held, fields, side)

    def _replace_shown(self, held: Held, desired: Desired, fields: Sequence[str]) -> Decision:
        """Let the pending edit, which the file has by now, go to readers in the place of the text that they see."""
        texts = tuple(name for name in fields if name in DRAFTS)
        if texts:
            self._decide_fields(held, desired, texts, "ours")
        if len(texts) == len(fields):
            return Decision(held, texts, self.taken[held.path], REPLACED)
        rest = tuple(name for name in fields if name not in DRAFTS)
        again = command_line("resolve", held.path)
        why = f"Your file has the pending edit now. Commit it, then run `{again}` again."
        return Decision(held, rest, None, why)

    def _desired(self, held: Held) -> Desired | None:
        return next((item for item in self.planned.desired if (item.kind, item.path) == (held.kind, held.path)), None)

    def record(self, ledger: Ledger, target: str) -> None:
        """Write the decisions into the ledger."""
        ledger.record(target, self.bases.values(), forgotten=self.forgotten)
        unknown = self.planned.recovery.unknown
        entries = [e for e in unknown if e.action == Action.CREATE and (e.kind, e.locale, e.slug) in self.remade]
        ledger.settle(target, {entry.entry: None for entry in entries})

    def put_into_files(self, workspace: Workspace) -> Pulled | None:
        """Give the files what they were decided to get."""
        if not self.into_files:
            return None
        return take_fields(workspace, self.service, self.planned, self.into_files)

    def _decided(self, held: Held) -> Side | None:
        plan = self.planned.plan
        return "theirs" if held in plan.kept else "ours" if held in plan.overruled else None

    def _decide_fields(self, held: Held, desired: Desired, fields: Sequence[str], side: Side) -> None:
        observed = next(item for item in self.planned.portal.everything or () if _is_of(item, held))
        key = (held.kind, held.remote_id)
        base = self.bases.get(key) or self._base(held)
        agreed = {value.name: value.leaves[0] for value in held.values if value.leaves}
        written = self.written.get(held.path, {})
        self.bases[key] = resolve_fields(desired, base, observed, fields, side, agreed, written)

    def _base(self, held: Held) -> Base | None:
        """What was agreed on before, where that is known."""
        return next((base for base in self.planned.recovery.bases if _is_of(base, held)), None)

    def _is_noted(self, held: Held) -> bool:
        """Whether it is a pending edit that nothing of ours would touch, unless somebody decided to discard it."""
        plan = self.planned.plan
        discards = (change.remote_id for change in plan.changes if change.discards_staged)
        return held in plan.panel_edits or (held in plan.overruled and held.remote_id in discards)

    def _takes_back(self, held: Held, fields: Collection[str]) -> bool:
        """Forget what was decided before about some fields; whether there was something."""
        base = self._base(held)
        if base is None or base.overruled.keys().isdisjoint(fields):
            return False
        self.bases[held.kind, held.remote_id] = undecided(base, fields)
        return True

    def _leave_pending(self, held: Held) -> Decision:
        """Nothing is decided: once the file changes, a push that would lose the edit is held."""
        self._takes_back(held, DRAFTS.values())
        return Decision(held, tuple(DRAFTS[name] for name in held.fields), "theirs", LEFT_PENDING)

    def _why_not_merged(self, held: Held) -> str:
        """Why an edit cannot be merged with what the file says; "" where it can."""
        if held.reason not in FIELDS or held.kind == "portal":
            return "There is nothing to merge. Nothing was decided."
        if held.reason is Reason.BEHIND:
            # Of what was decided already no way was looked for.
            return f"{held.way or 'Run `git pull`.'} Nothing was decided."
        if held.reason is not Reason.STAGED:
            return f"`{command_line('pull', held.path)}` merges what readers see. Nothing was decided."
        if any(other.reason not in FIELDS for other in self._beside(held)):
            return "What readers see differs from your file, too. Decide about that first."
        return ""

    def _beside(self, held: Held) -> list[Held]:
        """What else needs a decision about title or body of the same article: what readers see."""
        plan = self.planned.plan
        others = (item for item in (*plan.held, *plan.kept, *plan.overruled) if item.path == held.path)
        return [
            item for item in others if item.reason is not Reason.STAGED and not DRAFTS.keys().isdisjoint(item.fields)
        ]

    def _has_three(self, held: Held) -> bool:
        """Whether title or body of the article are held both as readers see them and in a pending edit."""
        plan = self.planned.plan
        staged = (item for item in (*plan.held, *plan.kept, *plan.overruled) if item.reason is Reason.STAGED)
        return any(item.path == held.path for item in staged) and bool(self._beside(held))

    def _take(self, held: Held, desired: Desired, fields: tuple[str, ...], *, merges: bool) -> Decision:
        """Write the edit that is pending into the file, alone or with what the file changes."""
        shown, edit = self._shown_and_pending(held)
        try:
            if merges:
                edit = self._merged(held, desired, shown, edit)
            take(self.reading.compiler, held.path, title=edit.title or None, body=edit.body)
        except ContentError as exc:
            return Decision(held, fields, None, f"{exc.message} {exc.hint}")
        self.taken[held.path] = "merge" if merges else "file"
        texts = (edit.title or desired.title, body_digest(edit.body))
        self.written[held.path] = dict(zip((*DRAFTS, *DRAFTS.values()), (*texts, *texts), strict=True))
        if merges:
            # What is pending is in the file by now.
            self._decide_fields(held, desired, tuple(DRAFTS.values()), "ours")
        return Decision(held, fields, "merge" if merges else "file")

    def _shown_and_pending(self, held: Held) -> tuple[Texts, Texts]:
        """What readers see of an article, and the edit that is pending in the panel."""
        assert held.remote_id is not None
        seen, live, staged = self.service.read_article(held.remote_id, locale=held.locale)
        shown = Texts(str(seen.fields.get("title") or ""), by_key(live or ""))
        body = shown.body if staged is None else by_key(staged)
        return shown, Texts(str(seen.staged.get("title") or shown.title), body)

    def _merged(self, held: Held, desired: Desired, shown: Texts, edit: Texts) -> Texts:
        """The pending edit with what the file changes, and with what readers see where that was edited, too."""
        compiler, common = self.reading.compiler, shown
        ours = Texts(desired.title, compiler.content_of(held.path))
        if self._beside(held):
            base = base_of(compiler, held.path, self._base(held))
            ours = merge(base, ours, shown, what=SHOWN)
            common = begun_with(base, shown, edit)
        return merge(common, ours, edit)

    def _difference(self, held: Held) -> Iterator[str]:
        if "content" not in held.fields or held.remote_id is None or held.kind != "article":
            return
        _, live, staged = self.service.read_article(held.remote_id, locale=held.locale)
        is_pending = held.reason is Reason.STAGED
        theirs = by_key((staged if is_pending else live) or "")
        before = "pending in the panel" if is_pending else "portal"
        compiler = self.reading.compiler
        if held.path in compiler.tree.sources:
            ours, after = compiler.content_of(held.path), "your file"
        else:
            ours, after = by_key(live or ""), "what readers see"
        yield from difference(theirs, ours, before=before, after=after)


def _is_of(item: Base | Observed, held: Held) -> bool:
    return (item.kind, item.remote_id) == (held.kind, held.remote_id)
