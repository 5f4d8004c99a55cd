"""The sandbox's own addresses, below `/-/`: not part of the service, and not counted.

       /-/panel, and below   the panel to practice with, for a browser: `practice_panel`
GET    /-/sandbox            page: every article of every portal, drafts included, with a link
GET    /-/sandbox/faults     the faults that wait, as JSON
POST   /-/sandbox/faults     one fault, as an object with the fields of `faults.Fault`
DELETE /-/sandbox/faults     behave again, also to what the fault `hold` has stopped
POST   /-/sandbox/random     {"seed": 1, "rate": 0.1, "kinds": ["reset", "status"]}: fail by chance, repeatably
GET    /-/sandbox/requests   the log: [[method, path, status, seconds], …]
DELETE /-/sandbox/requests   forget the log
POST   /-/sandbox/setup      a `setup.Setup`: make what is missing of it; needs an administrator's token

What is posted must say that it is JSON: a form on a page of another site cannot.
"""

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kbsync.site.server import send_asset

from .auth import TOKEN_HEADERS, administrator_with
from .faults import Fault, Kind, random_faults
from .http import NO_CACHE, Halt, media_type, refusal, respond
from .setup import Setup
from .store import apply_setup

if TYPE_CHECKING:
    from .app import App

PREFIX = "/-/"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chance:
    """The body of `POST /-/sandbox/random`."""

    seed: int
    rate: float
    kinds: list[Kind]


async def _read(request: Request, shape: type[T]) -> T:
    """The body of a request.

    Raises:
        Halt: 415 where it does not say that it is JSON, 400 where it is something else than asked for.
    """
    if media_type(request) != "application/json":
        raise Halt(refusal(415, {"error": "Send JSON, with the header content-type: application/json."}))
    try:
        return msgspec.json.decode(await request.body(), type=shape)
    except msgspec.DecodeError as exc:
        raise Halt(refusal(400, {"error": str(exc)})) from exc


def _json(value: object) -> Response:
    return respond(200, msgspec.json.encode(value), headers=NO_CACHE)


async def _list_faults(app: "App", _request: Request) -> Response:
    return _json([asdict(fault) for fault in app.faults.waiting])


async def _add_fault(app: "App", request: Request) -> Response:
    app.faults.add(await _read(request, Fault))
    return await _list_faults(app, request)


async def _clear_faults(app: "App", request: Request) -> Response:
    app.faults.clear()
    app.held.release()
    return await _list_faults(app, request)


async def _follow_chance(app: "App", request: Request) -> Response:
    chance = await _read(request, Chance)
    app.faults.follow(random_faults(chance.seed, chance.rate, chance.kinds))
    return _json({})


async def _list_requests(app: "App", _request: Request) -> Response:
    return _json(list(app.log))


async def _forget_requests(app: "App", _request: Request) -> Response:
    app.log.clear()
    return _json([])


async def _show_index(app: "App", _request: Request) -> Response:
    from .public import show_index

    return show_index(app.world)


async def _apply_setup(app: "App", request: Request) -> Response:
    store, setup = app.world.store, await _read(request, Setup)
    if administrator_with(store, request.headers.get(TOKEN_HEADERS[0], "")) is None:
        return refusal(401, {"error": "This needs an administrator's token. Restart the sandbox for a new one."})
    try:
        apply_setup(store, setup)
    except sqlite3.Error as exc:
        return refusal(422, {"error": str(exc)})
    return _json({})


async def _show_practice(app: "App", request: Request) -> Response:
    from .practice_panel import show_practice

    return await show_practice(app.world, request, app.next_step)


_OPERATIONS: tuple[tuple[str, str, Callable[["App", Request], Awaitable[Response]]], ...] = (
    ("GET", "/-/sandbox", _show_index),
    ("GET", "/-/sandbox/faults", _list_faults),
    ("POST", "/-/sandbox/faults", _add_fault),
    ("DELETE", "/-/sandbox/faults", _clear_faults),
    ("POST", "/-/sandbox/random", _follow_chance),
    ("GET", "/-/sandbox/requests", _list_requests),
    ("DELETE", "/-/sandbox/requests", _forget_requests),
    ("POST", "/-/sandbox/setup", _apply_setup),
    ("GET POST", "/-/panel", _show_practice),
    ("GET POST", "/-/panel/{path:path}", _show_practice),
)


def control_routes(app: "App") -> Iterator[Route]:
    """The sandbox's own addresses."""
    yield Route("/-/panel/assets/{name}", send_asset)
    for methods, path, handler in _OPERATIONS:
        yield Route(path, partial(handler, app), methods=methods.split())
