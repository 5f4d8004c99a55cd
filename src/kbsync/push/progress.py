"""What became of the changes of a run so far, and what follows for those to come. Nothing is sent or recorded here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from kbsync.ledger.values import Ended, Entry, EntryResult
from kbsync.model import Change, Kind, Outcome, RemoteId
from kbsync.plan.portal_settings import is_waiting, with_made
from kbsync.plan.result import Result
from kbsync.plan.translation_links import is_unresolved, resolve


@dataclass(slots=True)
class Progress:
    """The changes of a run by their entries in the journal, and how they went.

    Args:
        changes: what is behind the entries; of what another runner offered, filled when it is taken.
        phases: of the entries that this run offered.
    """

    changes: dict[int, Change]
    phases: Mapping[int, int] = field(default_factory=dict)
    failed: set[tuple[str, str, str]] = field(default_factory=set)
    made: dict[tuple[Kind, str], RemoteId] = field(default_factory=dict)
    reported: set[int] = field(default_factory=set)
    trouble: bool = False
    hopeless: str = ""
    _results: list[EntryResult] = field(default_factory=list)

    @property
    def has_results(self) -> bool:
        """Whether there are results that were not recorded yet."""
        return bool(self._results)

    def is_over_before(self, phase: int) -> bool:
        """Whether everything that this run offered for earlier phases has its outcome."""
        return self.reported.issuperset(entry for entry, its in self.phases.items() if its < phase)

    def take_results(self) -> list[EntryResult]:
        """The results that were not recorded yet; whoever takes them records them."""
        results, self._results = self._results, []
        return results

    def resolved(self, entry: int) -> Change:
        """The change behind an entry. One of what this run made has its id by now."""
        change = self.changes[entry]
        made = self.made.get((change.kind, change.path))
        if change.remote_id is None and made is not None:
            change = replace(change, remote_id=made)
        change = self.changes[entry] = with_made(resolve(change, self.made), self.made)
        return change

    def reason_to_skip(self, change: Change) -> str:
        """Why a change is not sent after what went wrong before; "" where it is."""
        if change.is_removal and self.trouble:
            return "Nothing is removed when another change failed."
        category = change.after.get("category")
        if category is not None and ("category", change.locale, str(category)) in self.failed:
            return f"Its category `{category}` could not be created."
        if (change.kind, change.locale, change.slug) in self.failed:
            return f"An earlier change of this {change.kind} failed."
        if is_unresolved(change):
            return f"The {change.kind} that it translates was not created."
        if is_waiting(change):
            return "Something that it shows as popular was not created."
        return ""

    def skip(self, entry: int, reason: str) -> Outcome:
        """Leave a change out."""
        change = self.changes[entry]
        self.failed.add((change.kind, change.locale, change.slug))
        self._results.append(EntryResult(entry, "skipped", error=reason))
        self.reported.add(entry)
        return Outcome(change, "skipped", change.remote_id, reason)

    def cancel(self, entry: int, state: Ended, reason: str) -> None:
        """Leave out what was taken and not begun."""
        self._results.append(EntryResult(entry, state, error=reason))

    def take(self, entry: int, result: Result) -> Outcome:
        """Note how a change went."""
        change = self.changes[entry]
        state: Ended = "unknown" if result.journal == "pending" else result.outcome
        self._results.append(
            EntryResult(
                entry,
                state,
                result.base,
                result.removed,
                result.remote_id,
                result.error,
                result.hint,
            )
        )
        if result.outcome != "done":
            self.trouble = True
            self.hopeless = self.hopeless or (result.error if result.hopeless else "")
            self.failed.add((change.kind, change.locale, change.slug))
        if result.remote_id is not None:
            self.made[change.kind, change.path] = result.remote_id
        self.reported.add(entry)
        return Outcome(
            change, result.outcome, result.remote_id, result.error, result.hint, result.hopeless, result.held
        )

    def left(self, entries: Iterable[int], reason: str) -> Iterable[Outcome]:
        """The outcomes of changes that were given up in the journal; those of other runners are not ours."""
        for entry in entries:
            if entry in self.changes:
                self.reported.add(entry)
                yield Outcome(self.changes[entry], "skipped", self.changes[entry].remote_id, reason)

    def learn(self, entry: Entry) -> None:
        """Note how a change went that may have been another runner's."""
        change = entry.change
        if entry.state in {"failed", "skipped", "unknown"}:
            self.trouble = True
            self.failed.add((change.kind, change.locale, change.slug))
        elif entry.state == "done" and change.remote_id is not None:
            self.made[change.kind, change.path] = change.remote_id


def outcome_of(entry: Entry) -> Outcome:
    """How a change went that another runner took."""
    change = entry.change
    if entry.state in {"done", "settled"}:
        return Outcome(change, "done", change.remote_id)
    if entry.state in {"waiting", "taken", "pending"}:
        return Outcome(change, "skipped", change.remote_id, "Left to the other runners.")
    word: Literal["skipped", "failed"] = "skipped" if entry.state == "skipped" else "failed"
    return Outcome(change, word, change.remote_id, entry.error, entry.hint)
