"""The panel to practice with, below `/-/panel`: a person edits in the browser what kbsync publishes to the sandbox.

GET  /-/panel                                  to the list of the first portal
GET  /-/panel/portals/PORTAL/LOCALE            list: articles by category, in order
GET  /-/panel/portals/PORTAL/LOCALE/new/ID     form of a new article in a category, 0 for none
POST /-/panel/portals/PORTAL/LOCALE/new/ID
GET  /-/panel/articles/ID                      form of an article
POST /-/panel/articles/ID                      what `practice_actions` lists
GET  /-/panel/articles/ID/delete               question
GET  /-/panel/assets/NAME                      style and scripts

It is for browsers of this machine that send an administrator's token: as the password of HTTP Basic, which a browser
keeps for this port alone, where a cookie would also go to a server of somebody else on another port. As the browser
sends it along with requests of other pages too, a form must come from a page of this origin and name its token.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from kbsync.hosts import LOOPBACK

from .auth import World, administrator_with
from .http import media_type, parts_of
from .params import FORM
from .practice_actions import act
from .practice_views import show
from .practice_visit import Visit, note

NEXT_STEP = (
    "Edit as a colleague would. Then run `kbsync plan` in your project to see what kbsync makes of it "
    "(`kbsync plan --publish` also compares statuses)."
)
"""What follows an edit."""

MAX_FIELDS = 20
"""A form here has six at most."""


async def show_practice(world: World, request: Request, next_step: str) -> Response:
    """Answer a request to the panel."""
    host, body = request.headers["host"], await request.body()
    if (urlsplit(f"//{host}").hostname or "") not in LOOPBACK:
        return note(404, "Not here", "The practice panel is only for browsers of the machine that runs the sandbox.")
    segments = parts_of(request.path_params.get("path", ""))
    token = _password(request.headers.get("authorization", ""))
    user_id = administrator_with(world.store, token)
    if user_id is None:
        return _ask_for_token()
    mark = hmac.new(token.encode(), b"practice panel", hashlib.sha256).hexdigest()
    is_form = request.method == "POST"
    form = _fields(body if is_form else request.scope["query_string"])
    if is_form and not _is_own_form(request, form, mark):
        return note(
            403,
            "Nothing was changed",
            "This form is not from this panel, or from before the sandbox was started again.",
            "Go back, copy what you wrote, and reload the page.",
        )
    visit = Visit(world, user_id, segments, form, f"http://{host}", next_step or NEXT_STEP, mark)
    return act(visit) if is_form else show(visit)


def _is_own_form(request: Request, form: Mapping[str, str], mark: str) -> bool:
    """The guard of the server has compared the origin with the host already; here it must be there."""
    is_sent = media_type(request) == FORM and "origin" in request.headers
    return is_sent and hmac.compare_digest(form.get("token", "").encode(), mark.encode())


def _fields(raw: bytes) -> dict[str, str]:
    """The fields of a form; none where they are too many, or not UTF-8."""
    try:
        found = parse_qs(raw.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}


def _password(header: str) -> str:
    """The password of HTTP Basic, "" without one."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(encoded.strip(), validate=True).decode("utf-8").partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _ask_for_token() -> Response:
    answer = note(
        401,
        "Open the panel from the terminal",
        "`kbsync sandbox` and `kbsync demo` print the address of this panel, with its password. Open that address.",
        "If your browser asks for a name and a password: the name can be anything, the password is the part of the "
        "address between `panel:` and `@`.",
    )
    answer.headers["www-authenticate"] = 'Basic realm="kbsync practice panel", charset="UTF-8"'
    return answer
