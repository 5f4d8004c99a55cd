"""The verdict of one field, by the table at the head of `plan/build.py`. Pure."""

from __future__ import annotations

from enum import Enum

from kbsync.model import Agreed, Status, Value


class Verdict(Enum):
    """What becomes of one field."""

    NOTHING = "nothing"
    SEND = "send"
    DRIFT = "drift"
    SETTLE = "settle"
    CONFLICT = "conflict"
    ADOPT = "adopt"


class Absent(Enum):
    """The base of a field that has none; None is a value that a field may have."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


def decide(
    desired: Value | Status, base: Value | Status | Absent, observed: Value | Status, proof: bool | None = None
) -> Verdict:
    """One field's verdict, by the table at the head of `plan/build.py`.

    `proof` is what git history proves of the portal's value (`plan/known.py`); None where it proves nothing.
    """
    if base is ABSENT:
        if desired == observed:
            return Verdict.ADOPT
        return Verdict.CONFLICT if proof is None else Verdict.SEND if proof else Verdict.DRIFT
    if desired == observed:
        return Verdict.NOTHING if desired == base else Verdict.SETTLE
    if observed == base:
        return Verdict.SEND
    if desired == base:
        return Verdict.DRIFT
    return Verdict.SEND if proof else Verdict.CONFLICT


HELD = (Verdict.DRIFT, Verdict.CONFLICT)
"""Verdicts that wait for a person."""

EMPTY = (None, "", ())
"""Values over which nothing can be lost."""


def to_be_sent(verdict: Verdict) -> Verdict:
    """The verdict where somebody says that ours shall go out."""
    return Verdict.SEND if verdict in HELD else verdict


def overwritten(verdict: Verdict, agreed: Value | Absent) -> Agreed | None:
    """What was agreed on of a field whose value is overwritten only on request; None of any other field."""
    if verdict not in HELD:
        return None
    return () if agreed is ABSENT else (agreed,)
