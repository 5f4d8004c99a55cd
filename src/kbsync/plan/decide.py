"""The verdict of one field, by the table at the head of `plan/build.py`. Pure."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from kbsync.model import Status, Value


class Verdict(Enum):
    """What becomes of one field."""

    NOTHING = "nothing"
    SEND = "send"
    DRIFT = "drift"
    SETTLE = "settle"
    CONFLICT = "conflict"
    ADOPT = "adopt"


class Absent(Enum):
    """Stands where there is no base for a field; None is a value that a field may have."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


def decide(
    desired: Value | Status,
    base: Value | Status | Absent,
    observed: Value | Status,
    older: Collection[Value] = (),
) -> Verdict:
    """One field's verdict, by the table at the head of `plan/build.py`.

    Args:
        desired, base, observed: the field's values.
        older: values that older revisions of the source compile to, from git history.
    """
    if base is ABSENT:
        if desired == observed:
            return Verdict.ADOPT
        return Verdict.SEND if observed in older else Verdict.CONFLICT
    if desired == observed:
        return Verdict.NOTHING if desired == base else Verdict.SETTLE
    if observed == base:
        return Verdict.SEND
    return Verdict.DRIFT if desired == base else Verdict.CONFLICT


HELD = (Verdict.DRIFT, Verdict.CONFLICT)
"""Verdicts that wait for a person."""

EMPTY = (None, "", ())
"""Values over which nothing can be lost."""
