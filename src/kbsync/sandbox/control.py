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
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import msgspec

from .auth import TOKEN_HEADERS, administrator_with
from .faults import Fault, Kind, random_faults
from .http import NO_CACHE, Halt, Response, refusal
from .setup import Setup
from .store import apply_setup

if TYPE_CHECKING:
    from .app import App

PREFIX = "/-/"


@dataclass(frozen=True, slots=True)
class Control:
    """One request to these addresses."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""

    @property
    def is_json(self) -> bool:
        """Whether the body is declared as JSON."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


@dataclass(frozen=True, slots=True)
class Chance:
    """The body of `POST /-/sandbox/random`."""

    seed: int
    rate: float
    kinds: list[Kind]


def is_control(path: str) -> bool:
    """Whether a path belongs to the sandbox itself."""
    return path.startswith(PREFIX)


def respond_to_control(app: "App", call: Control) -> Response:
    """Answer one of the sandbox's own addresses."""
    if f"{call.path}/".startswith("/-/panel/"):
        from .practice_panel import show_practice

        return show_practice(app.world, call, app.next_step)
    found = _OPERATIONS.get((call.method, call.path.rstrip("/")))
    if found is None:
        return refusal(404, {"error": "The sandbox has no such address."})
    if call.method == "POST" and not call.is_json:
        return refusal(415, {"error": "Send JSON, with the header content-type: application/json."})
    try:
        return found(app, call)
    except Halt as halt:
        return halt.response


def _read(body: bytes, shape: type) -> object:
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.DecodeError as exc:
        raise Halt(refusal(400, {"error": str(exc)})) from exc


def _json(value: object) -> Response:
    return Response(200, msgspec.json.encode(value), headers=(NO_CACHE,))


def _list_faults(app: "App", _call: Control) -> Response:
    return _json([asdict(fault) for fault in app.faults.waiting])


def _add_fault(app: "App", call: Control) -> Response:
    fault = _read(call.body, Fault)
    if isinstance(fault, Fault):
        app.faults.add(fault)
    return _list_faults(app, call)


def _clear_faults(app: "App", call: Control) -> Response:
    app.faults.clear()
    app.held.release()
    return _list_faults(app, call)


def _follow_chance(app: "App", call: Control) -> Response:
    chance = _read(call.body, Chance)
    if isinstance(chance, Chance):
        app.faults.follow(random_faults(chance.seed, chance.rate, chance.kinds))
    return _json({})


def _list_requests(app: "App", _call: Control) -> Response:
    return _json(list(app.log))


def _forget_requests(app: "App", _call: Control) -> Response:
    app.log.clear()
    return _json([])


def _show_index(app: "App", _call: Control) -> Response:
    from .public import show_index

    return show_index(app.world)


def _apply_setup(app: "App", call: Control) -> Response:
    store = app.world.store
    if administrator_with(store, call.headers.get(TOKEN_HEADERS[0], "")) is None:
        raise Halt(refusal(401, {"error": "This needs an administrator's token. Restart the sandbox for a new one."}))
    setup = _read(call.body, Setup)
    if isinstance(setup, Setup):
        try:
            apply_setup(store, setup)
        except sqlite3.Error as exc:
            raise Halt(refusal(422, {"error": str(exc)})) from exc
    return _json({})


_OPERATIONS: dict[tuple[str, str], Callable[["App", Control], Response]] = {
    ("GET", "/-/sandbox"): _show_index,
    ("GET", "/-/sandbox/faults"): _list_faults,
    ("POST", "/-/sandbox/faults"): _add_fault,
    ("DELETE", "/-/sandbox/faults"): _clear_faults,
    ("POST", "/-/sandbox/random"): _follow_chance,
    ("GET", "/-/sandbox/requests"): _list_requests,
    ("DELETE", "/-/sandbox/requests"): _forget_requests,
    ("POST", "/-/sandbox/setup"): _apply_setup,
}
