"""One request to the practice panel, and how it is answered: a page, a few sentences, another page."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from kbsync.site.practice_pages import PracticeFrame, PracticeNote, PracticePage, render_practice

from .auth import World
from .http import HTML_TYPE, redirect, respond
from .panel import Panel

PREFIX = "/-/panel"

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    # Stricter, the browser would send forms without their origin.
    "referrer-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of somebody who may use the panel.

    `segments` are the decoded parts of the path below `/-/panel`; `form` is what a POST sent, else what the query says.
    """

    world: World
    user_id: int
    segments: tuple[str, ...]
    form: Mapping[str, str]
    origin: str
    next_step: str
    token: str

    @property
    def panel(self) -> Panel:
        """The person who uses the panel; this runs in the server's thread already."""
        return Panel(lambda work: work(self.world), self.user_id)

    def may_edit(self, account_id: int) -> bool:
        """Whether the person is an administrator of an account."""
        user = self.world.store.user(self.user_id, account_id)
        return user is not None and user.role == "administrator"


def note(status: int, title: str, *sentences: str) -> Response:
    """A few sentences instead of a page, for everyone."""
    return page(PracticeNote(PracticeFrame(title, PREFIX, ""), sentences), status)


def page(found: PracticePage, status: int = 200) -> Response:
    """A page of the panel."""
    return respond(status, render_practice(found), HTML_TYPE, HEADERS)


def go(visit: Visit, path: str) -> Response:
    """To another page of the panel. The address is whole, so that a password in the present one is left behind."""
    return redirect(f"{visit.origin}{path}", "no-store", 303)
