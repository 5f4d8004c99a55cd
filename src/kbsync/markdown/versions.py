"""The version of the service, which decides what it can do and what HTML it makes of a text."""

import re
from typing import NamedTuple, Self


class Version(NamedTuple):
    """A version of the service: what it does differs from one minor version to the next, not within one."""

    major: int
    minor: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The version in a text such as `4.16.2`; `4` is 4.0.

        Raises:
            ValueError: the text does not begin with a version.
        """
        found = _VERSION.match(text)
        if found is None:
            raise ValueError(f"not a version: {text!r}")
        return cls(int(found[1]), int(found[2] or 0))

    @classmethod
    def or_newest(cls, text: str) -> "Version":
        """The version in a text; the newest known one where it has none."""
        try:
            return cls.of(text)
        except ValueError:
            return NEWEST

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


_VERSION = re.compile(r"([0-9]{1,4})(?:\.([0-9]{1,4}))?")

V4_2 = Version(4, 2)
V4_10 = Version(4, 10)
V4_16 = Version(4, 16)
V4_17 = Version(4, 17)
V4_18 = Version(4, 18)

KNOWN = (V4_10, V4_16, V4_17, V4_18)
"""The versions whose HTML is known. Source: docs/service.md, sections 9 and 20, recorded; S160, read in its code."""

NEWEST = KNOWN[-1]
"""What is rendered, and what the service is taken for, where nothing says which version it has."""

OBSERVED = (V4_2, V4_10, V4_16)
"""The versions whose behavior was observed. Source: docs/service.md, section 12."""
