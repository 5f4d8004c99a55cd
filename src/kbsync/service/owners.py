"""Which slugs another portal of the installation has, although the API of this one does not show it.

The public address of a slug answers 500 where another portal has it, and 404 where no portal has (docs/service.md, S1,
S2 and section 9). A 500 proves nothing by itself: a service in trouble answers the same, and so does one that does not
know the host which it is asked under. So a slug that no portal has is looked up once as well: only where that is a 404
does a 500 count.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from kbsync.errors import ServiceError

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

TAKEN = 500
FREE = 404

NO_SUCH_SLUG = "kbsync-looks-whether-a-free-slug-is-a-404"
"""What no article is called."""


class Owners(msgspec.Struct, eq=False):
    """What the public addresses of slugs say. For all threads of one client.

    `ask` gives the status of a slug's public address; with False it does so in a single try.
    """

    ask: Callable[[str, bool], int]
    _is_telling: bool | None = None
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def is_elsewhere(self, slug: str) -> bool:
        """Whether another portal has this slug; one look-up. False where that cannot be found out."""
        try:
            return self.ask(slug, False) == TAKEN and self._is_told()
        except ServiceError:
            return False

    def elsewhere(self, slugs: Sequence[str], pool: ThreadPoolExecutor) -> frozenset[str]:
        """Those of the slugs that another portal has; none where that cannot be found out.

        The first one is asked alone: it shows whether the others are worth a request. Nothing was refused yet, so what
        answers 500 is asked once more when all others were.
        """
        if not slugs:
            return frozenset()
        try:
            first = self.ask(slugs[0], False)
            if first not in {200, TAKEN, FREE} or (first == TAKEN and not self._is_told()):
                return frozenset()
            taken = [slugs[0]] if first == TAKEN else []
            taken += self._taken(slugs[1:], pool)
            return frozenset(self._taken(taken, pool) if taken and self._is_told() else ())
        except ServiceError:
            return frozenset()

    def _taken(self, slugs: Sequence[str], pool: ThreadPoolExecutor) -> list[str]:
        answers = pool.map(lambda slug: self.ask(slug, False), slugs)
        return [slug for slug, status in zip(slugs, answers, strict=True) if status == TAKEN]

    def _is_told(self) -> bool:
        """Whether a free slug is a 404 here; asked once."""
        with self._lock:
            if self._is_telling is None:
                self._is_telling = self.ask(NO_SUCH_SLUG, True) == FREE
            return self._is_telling
