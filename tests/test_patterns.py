"""No pattern of the package can take for ever: none repeats a repetition that could be taken apart in two ways."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from patience import GIVE_UP_S
from patterns import Pattern, all_patterns

MANY = 100
"""Repetitions up to this are bounded; names in addresses have 63 letters."""


def repeats_repetition(pattern: Pattern) -> bool:
    flags = pattern.flags & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0)
    return _nested(_parser.parse(pattern.pattern, flags), inside=False)


def _nested(parsed: Iterable[tuple[Any, Any]], *, inside: bool) -> bool:
    for kind, value in parsed:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT":
                many = value[1] > MANY
                if (many and inside) or _nested(value[2], inside=inside or many):
                    return True
            case "SUBPATTERN" if _nested(value[3], inside=inside):
                return True
            case "BRANCH" if any(_nested(branch, inside=inside) for branch in value[1]):
                return True
            # What these have matched is not taken apart again.
            case "POSSESSIVE_REPEAT" if _nested(value[2], inside=False):
                return True
            case "ATOMIC_GROUP" if _nested(value, inside=False):
                return True
            case "ASSERT" | "ASSERT_NOT" if _nested(value[1], inside=False):
                return True
    return False


@pytest.mark.parametrize(
    ("pattern", "nested"),
    [
        (r"(?:a+)*", True), (r"(a|b*)+", True), (r"(?:<!--.*?-->\s*)*<svg", True), (r"(?:a{2,}b)*", True),
        (r"a+b*", False), (r"(?:a++b)*", False), (r"(?>a+b)*", False), (r"(?:ab)*", False), (r"(?:a{0,61}b)*", False),
        (r"(?:a+)?", False), (r"(?=(?:a+)*b)", True),
    ],
)  # fmt: skip
def test_nested_repetition_is_seen_for_what_it_is(pattern, nested):
    assert repeats_repetition(re.compile(pattern)) is nested


def test_no_pattern_has_nested_repetition():
    found = all_patterns()
    assert len(found) > 150, "the search itself is broken"
    assert [f"{module}: {pattern.pattern!r}" for pattern, module in found.items() if repeats_repetition(pattern)] == []


def test_every_pattern_ends_on_repeated_pieces():
    # No clock decides: a pattern that is not linear or so would take years, and the generous end of patience names it.
    child = Path(__file__).with_name("patterns.py")
    try:
        subprocess.run([sys.executable, str(child)], capture_output=True, text=True, timeout=GIVE_UP_S, check=True)
    except subprocess.TimeoutExpired as exc:
        pytest.fail(f"this one does not end: {(exc.stdout or b'').splitlines()[-1]!r}")
