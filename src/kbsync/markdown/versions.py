"""The version of the portal, which decides what HTML it makes of a text."""

import re
from typing import NamedTuple, Self


class Version(NamedTuple):
    """A version of the service, as far as pages depend on it."""

    major: int
    minor: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The version in a text such as `4.16.2`.

        Raises:
            ValueError: the text does not begin with a version.
        """
        found = _VERSION.match(text)
        if found is None:
            raise ValueError(f"not a version: {text!r}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")

V4_10 = Version(4, 10)
V4_16 = Version(4, 16)

KNOWN = (V4_10, V4_16)
"""The versions whose HTML was recorded. Source: docs/service.md, sections 9 and 20."""

NEWEST = KNOWN[-1]
"""What is rendered where nothing says which version the portal has."""
