"""Moments as people write them: a date, or a date and a time with a zone. Pure.

A date alone is the start of that day in the time zone of the project; a time without a zone could be anybody's.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
TIME = re.compile(rf"({DATE.pattern})[Tt ]([0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}})?)")
MOMENT = re.compile(rf"{TIME.pattern} ?([Zz]|[-+][0-9]{{2}}:?[0-9]{{2}})")

EXAMPLES = "`2026-12-01` or `2026-12-01T09:00+01:00`"


def read_moment(text: str, zone: str = "") -> datetime | None:
    """What somebody wrote; None where it is no date, or has a time without a zone.

    Args:
        text: `2026-12-01`, `2026-12-01T09:00Z`, `2026-12-01 09:00:30 +01:00`.
        zone: the name of the time zone whose day a date alone is; "" for UTC.
    """
    try:
        if DATE.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=zone_of(zone))
        if found := MOMENT.fullmatch(text):
            return datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3].upper()}")
    except ValueError:
        return None  # There is no such day, hour or offset.
    return None


def lacks_zone(text: str) -> bool:
    """Whether this is a date and a time, and nothing says of which zone."""
    return bool(TIME.fullmatch(text))


def zone_of(name: str) -> tzinfo:
    """A time zone by its name; "" is UTC.

    Raises:
        LookupError: this machine knows no such zone.
    """
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ValueError, OSError) as exc:  # A path, or a folder of zones.
        raise LookupError(name) from exc


def seconds_of(moment: str) -> float:
    """Seconds since 1970 of a moment in ISO 8601 with an offset."""
    return datetime.fromisoformat(moment).timestamp()
