"""Uploads and the addresses they are read from. Source: docs/service.md, section 5."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

import msgspec
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kbsync.hosts import LOOPBACK

from .auth import Call, World
from .http import NO_CACHE, REVALIDATE, Halt, answer, redirect, refusal, respond
from .records import Blob
from .refusals import crashed
from .store import Store

STORAGE_URL_S = 300
"""How long an address in the storage is valid. Source: docs/service.md, section 5."""

FOREVER = {"cache-control": "max-age=3155695200, public"}

INERT = {"content-security-policy": "sandbox"}
"""An upload may be a page, and a page of this origin could do what the sandbox's own pages can."""

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
"""An image of one point."""

MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
"""First bytes that decide the type, whatever the upload says."""


FETCHED = ("image/", "video/")
MAX_FETCHED_BYTES = 40 * 1024 * 1024
"""What 4.16 takes by address. Source: docs/service.md, S143."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    """What is signed: a file, and for an address in the storage the second when it ends."""

    blob_id: int
    exp: int | None = None
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it came in."""

    name: str
    kind: str
    data: bytes


async def upload(call: Call) -> Response:
    """A file in the field `attachment`, or one at an address; anybody in the account may.

    Raises:
        Halt: 422 without such a field, 500 where it is text.
    """
    url = _external_url(call)
    if url is not None:
        return _keep(call, await asyncio.to_thread(_fetch, url, is_4_16=call.world.behaviour.is_4_16))
    missing = Halt(refusal(422, {"error": "No file or URL provided"}))
    # An unfinished body holds no file, as far as the service is concerned, and starlette would leave it open.
    if not (await call.request.body()).rstrip().endswith(b"--"):
        raise missing
    try:
        async with call.request.form() as form:
            return _keep(call, await _read(form["attachment"]))
    except (HTTPException, KeyError) as exc:
        raise missing from exc


async def _read(field: UploadFile | str) -> _File:
    if isinstance(field, str):
        raise crashed()
    kind = (field.content_type or "application/octet-stream").partition(";")[0].strip()
    return _File(field.filename or "", kind, await field.read())


def _keep(call: Call, file: _File) -> Response:
    """Store a file. The same bytes again are another file with another address."""
    blob_id, key = call.store.take_id("blobs"), secrets.token_hex(14)
    filename = file.name.replace("\\", "/").rsplit("/", 1)[-1]
    kind = next((kind for magic, kind in MAGIC if file.data.startswith(magic)), file.kind)
    values = (blob_id, key, call.account_id, filename, kind, file.data)
    call.store.run("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?)", values)
    signed = _sign(call.store, _Ticket(blob_id))
    url = f"http://{call.request.headers['host']}/rails/active_storage/blobs/redirect/{signed}/{quote(filename)}"
    if call.world.behaviour.is_old:
        return answer({"file_url": url, "blob_key": key, "blob_id": blob_id})
    return answer({"file_url": url, "blob_id": signed})


def _external_url(call: Call) -> str | None:
    """The address that an upload shall be fetched from, if it names one and no file.

    The sandbox asks only itself: no other machine, and nothing else on this one. The address that comes back is
    the one it listens at, by number. 4.16 asks no private address unless it is told to (S143).

    Raises:
        Halt: 422 for an invalid address, or one not on this machine; 500, as for a closed port, for another port.
    """
    url, behaviour = call.params.get("external_url"), call.world.behaviour
    if not url or not (isinstance(url, str) or behaviour.is_4_16):
        return None
    is_refused = behaviour.is_4_16 and not behaviour.fetches_from_private
    parts = urlsplit(url) if isinstance(url, str) and not is_refused else SplitResult("", "", "", "", "")
    if parts.scheme not in {"http", "https"} or parts.hostname not in LOOPBACK:
        raise Halt(refusal(422, {"error": "Invalid URL provided"}))
    host, port = call.request.scope["server"]
    if parts.scheme != "http" or _port_of(parts) != port:
        raise _unanswered()
    name = f"[{host}]" if ":" in host else host
    return urlunsplit(("http", f"{name}:{port}", parts.path, parts.query, ""))


def _port_of(parts: SplitResult) -> int | None:
    try:
        return parts.port or 80
    except ValueError:
        return None


def _fetch(url: str, *, is_4_16: bool) -> _File:
    """Read a file from an address. Blocks; called outside of the server's thread.

    Raises:
        Halt: 422 where it is not there, and from 4.16 where it is no image or video or too large; 500 where there is
            no answer.
    """
    try:
        with build_opener(ProxyHandler({}), _Staying()).open(url, timeout=10) as reply:
            kind = reply.headers.get_content_type()
            if is_4_16 and not kind.startswith(FETCHED):
                raise _not_taken("File type not supported (only images and videos are allowed)")
            data = reply.read(MAX_FETCHED_BYTES + 1 if is_4_16 else -1)
            if is_4_16 and len(data) > MAX_FETCHED_BYTES:
                raise _not_taken("File exceeds the maximum allowed size")
            return _File(urlsplit(url).path.rsplit("/", 1)[-1], kind, data)
    except HTTPError as exc:
        message = f"Failed to fetch file from URL: {exc.code} {exc.reason}"
        raise Halt(refusal(422, {"error": message})) from exc
    except (URLError, OSError) as exc:
        raise _unanswered() from exc


class _Staying(HTTPRedirectHandler):
    """Follows a redirect only to where the request went."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        """The next request; None makes the redirect itself the answer, which is an error."""
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _not_taken(reason: str) -> Halt:
    return Halt(refusal(422, {"error": reason}))


def _unanswered() -> Halt:
    return Halt(refusal(500, {"error": "An unexpected error occurred"}))


def show_redirect(world: World, request: Request) -> Response:
    """`/rails/active_storage/blobs/redirect/<signed id>/<any name>`: 302 to an address that is new each time."""
    blob = _signed_blob(world.store, request)
    expires = int(world.store.clock()) + STORAGE_URL_S
    ticket = _sign(world.store, _Ticket(blob.id, expires, secrets.token_hex(4)))
    url = f"http://{request.headers['host']}/rails/active_storage/disk/{ticket}/{quote(blob.filename, safe='')}"
    return redirect(url, f"max-age={STORAGE_URL_S}, private")


def show_proxy(world: World, request: Request) -> Response:
    """`/rails/active_storage/blobs/proxy/<signed id>/<any name>`: the file itself."""
    return _file(_signed_blob(world.store, request), FOREVER)


def show_icon(_world: World, _request: Request) -> Response:
    """A file of the service's own, such as an upload by address may name."""
    return respond(200, PIXEL, "image/png", FOREVER)


def show_disk(world: World, request: Request) -> Response:
    """`/rails/active_storage/disk/<ticket>/<any name>`: the file, for five minutes."""
    ticket = _read_signed(world.store, request)
    if ticket.exp is None or ticket.exp < world.store.clock():
        raise _no_blob()
    return _file(_blob(world.store, ticket.blob_id), REVALIDATE)


def _file(blob: Blob, cache: dict[str, str]) -> Response:
    plain = blob.filename.encode("ascii", "replace").decode().replace('"', "%22")
    disposition = f"inline; filename=\"{plain}\"; filename*=UTF-8''{quote(blob.filename)}"
    return respond(200, blob.data, blob.content_type, {"content-disposition": disposition, **cache, **INERT})


def _sign(store: Store, ticket: _Ticket) -> str:
    packed = base64.urlsafe_b64encode(msgspec.json.encode(ticket)).decode()
    return f"{packed}--{_digest(store, packed)}"


def _digest(store: Store, packed: str) -> str:
    return hmac.new(store.secret("blobs").encode(), packed.encode(), hashlib.sha1).hexdigest()


def _read_signed(store: Store, request: Request) -> _Ticket:
    packed, _, digest = unquote(request.path_params["signed"]).rpartition("--")
    if not hmac.compare_digest(_digest(store, packed).encode(), digest.encode()):
        raise _no_blob()
    return msgspec.json.decode(base64.urlsafe_b64decode(packed), type=_Ticket)


def _signed_blob(store: Store, request: Request) -> Blob:
    ticket = _read_signed(store, request)
    if ticket.exp is not None:
        raise _no_blob()
    return _blob(store, ticket.blob_id)


def _blob(store: Store, blob_id: int) -> Blob:
    found = store.row("SELECT id, key, filename, content_type, data FROM blobs WHERE id = ?", (blob_id,))
    if found is None:
        raise _no_blob()
    return Blob(*found)


def _no_blob() -> Halt:
    return Halt(respond(404, kind="text/html", headers=NO_CACHE))
