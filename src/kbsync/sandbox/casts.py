"""How the service's framework turns what was sent into what is stored. Source: docs/service.md, section 4."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .refusals import Problem, crashed

INT4 = 2**31
STATUSES = {"draft": 0, "published": 1, "archived": 2}
STATUS_NAMES = {number: name for name, number in STATUSES.items()}

Scalar: TypeAlias = str | int | float | bool | None

_LEADING_NUMBER = re.compile(r"\s*([+-]?\d+)")
_LATIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "œ": "oe", "Œ": "OE", "đ": "d", "Đ": "D"}
    | {"ł": "l", "Ł": "L", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i", "ħ": "h", "Ħ": "H", "ŧ": "t"}
)


def is_scalar(value: object) -> bool:
    """Whether a value gets past the list of permitted parameters; lists and objects do not."""
    return value is None or isinstance(value, str | int | float | bool)


def taken(params: Mapping[str, Any], casts: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """What of the parameters may be stored, in the types of the columns."""
    return {name: cast(params[name]) for name, cast in casts.items() if name in params and is_scalar(params[name])}


def too_long(state: Mapping[str, Any], limits: Mapping[str, int]) -> list[Problem]:
    """The texts that have more characters than they may, in the order of the limits."""
    return [
        (name, f"{name.capitalize().replace('_', ' ')} is too long (maximum is {limit} characters)")
        for name, limit in limits.items()
        if len(state[name] or "") > limit
    ]


def to_text(value: Scalar) -> str | None:
    """A text column: numbers are written out, true is `t`."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)


def leading_integer(text: str) -> int:
    """The number a text begins with, or 0: `76-foo` is 76, `abc` is 0, `2.5` is 2."""
    found = _LEADING_NUMBER.match(text)
    return int(found[1]) if found else 0


def to_integer(value: Scalar, limit: int = INT4) -> int | None:
    """An integer column; a number beyond the column's range is an exception inside the service."""
    if value is None or value == "":
        return None
    number = leading_integer(value) if isinstance(value, str) else int(value)
    if not -limit <= number < limit:
        raise crashed()
    return number


def to_large_integer(value: Scalar) -> int | None:
    """An integer column of twice the size."""
    return to_integer(value, 2**63)


def to_status(value: Scalar) -> int | None:
    """The status column: 0, 1, 2 or a name; blank is null; anything else, `"1"` too, is an exception."""
    if value is None or value is False or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        if value not in STATUSES:
            raise crashed()
        return STATUSES[value]
    if isinstance(value, bool) or value not in STATUS_NAMES:
        raise crashed()
    return int(value)


def is_blank(text: str | None) -> bool:
    """Whether a presence check refuses a text."""
    return text is None or not text.strip()


def generated_slug(title: str, now_s: float) -> str:
    """The slug that the service makes where none was sent: `<unix seconds>-<title made ascii>`."""
    words = re.sub(r"([A-Z\d]+)([A-Z][a-z])", r"\1_\2", title.replace("::", "/"))
    words = re.sub(r"([a-z\d])([A-Z])", r"\1_\2", words).replace("-", "_")
    plain = unicodedata.normalize("NFKD", words.translate(_LATIN))
    plain = "".join(mark for mark in plain if not unicodedata.combining(mark)).lower()
    plain = re.sub(r"[^a-z0-9\-_]+", "-", plain)
    plain = re.sub(r"-{2,}", "-", plain).strip("-")
    return f"{int(now_s)}-{plain}"
