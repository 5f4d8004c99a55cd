"""The header that the token goes into. It has several forms, and which of them arrives is found out once.

nginx, unless it is told otherwise, and some other proxies drop headers whose names have underscores. The service takes
the name with hyphens for the same header (docs/service.md, section 1).
"""

from __future__ import annotations

import threading

import msgspec

UNAUTHORIZED = 401

TOKEN_HEADERS = ("api_access_token: {token}",)
"""Of a profile that extends no other one and does not say. Source: docs/service.md, section 11."""


class TokenHeader(msgspec.Struct, eq=False):
    """Which form is sent, for all threads of one transport. No request has two of them.

    Args:
        forms: such as `api_access_token: {token}`, in the order in which they are tried.
    """

    forms: tuple[str, ...] = TOKEN_HEADERS
    _place: int = 0
    _is_settled: bool = False
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    @property
    def form(self) -> str:
        """The form to send."""
        return self.forms[self._place]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of headers that did not arrive, where another one did."""
        return tuple(form.partition(":")[0] for form in self.forms[: self._place]) if self._is_settled else ()

    def is_another(self, sent: str, status: int) -> bool:
        """Whether a request that went out with this form is to be sent again, with the form of now.

        A 401 comes before anything is done, so every request may be. Where no form is taken, the first one stays, and
        the others are not tried again.
        """
        with self._lock:
            place = self.forms.index(sent)
            if status != UNAUTHORIZED:
                if status < 300 and not self._is_settled:
                    self._place, self._is_settled = place, True
                return False
            if place == self._place and not self._is_settled:
                self._place = (place + 1) % len(self.forms)
                self._is_settled = self._place == 0
                return not self._is_settled
            return place != self._place


def header_of(form: str, token: str) -> dict[str, str]:
    """A form with the token in it."""
    name, _, value = form.partition(":")
    return {name: value.strip().replace("{token}", token)}
