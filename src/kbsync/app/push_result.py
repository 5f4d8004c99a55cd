"""How a push went, or why it was refused: what its command knows without loading what plans and sends."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kbsync.errors import ExitCode, LedgerError, PlanRefused, ServiceError
from kbsync.model import Action, Outcome, Plan


class TooManyRemovals(PlanRefused):
    """The plan removes more than it may; it is still worth to be looked at."""

    def __init__(self, plan: Plan, message: str, *, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.plan = plan


class Pushed(msgspec.Struct):
    """How a push went. `stopped` means that somebody pressed Ctrl-C; `broken` is what ended it before its time.

    `run` is its number in the ledger. `reading` are those of its requests that only read the portal: a plan estimates
    all others. `nothing` is the sentence for a push without changes (default: up to date); `again` is the command for
    the rest, where that is not a plain push, and `anew` the one that plans the rest again, where `again` does not.
    """

    plan: Plan
    outcomes: list[Outcome] = msgspec.field(default_factory=list)
    requests: int = 0
    seconds: float = 0.0
    stopped: bool = False
    broken: LedgerError | None = None
    nothing: str = ""
    again: str = ""
    anew: str = ""
    run: int | None = None
    reading: int = 0

    @property
    def exit_code(self) -> ExitCode:
        """Interrupted, nothing at all could be done, partly failed, held, or done; the first that is true."""
        if self.broken is not None:
            return self.broken.exit_code
        if self.stopped and _any(self.outcomes, "skipped"):
            return ExitCode.INTERRUPTED
        if _any(self.outcomes, "failed"):
            return ServiceError.exit_code if self._could_nothing else ExitCode.PARTLY_FAILED
        if self.plan.held or _any(self.outcomes, "skipped"):
            return ExitCode.HELD
        return ExitCode.DONE

    @property
    def _could_nothing(self) -> bool:
        """Whether nothing at all could be done."""
        done = any(o.outcome == "done" and o.change.action is not Action.ADOPT for o in self.outcomes)
        return not done and any(outcome.hopeless for outcome in self.outcomes)


def _any(outcomes: Sequence[Outcome], word: str) -> bool:
    return any(outcome.outcome == word for outcome in outcomes)
