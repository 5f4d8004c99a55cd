"""Playing recorded exchanges against a sandbox."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from .recordings import Exchange, differences, send
from .world import Clock, a_sandbox

RECORDED_NAMES = frozenset({"evil.example", "docs.example.com"})
"""The service was asked by these Host names, too; the sandbox answers to them only because it is told that they are its
own."""


class Player:
    """Sends the exchanges of a scene; what an answer invented (an address, an ETag) replaces what was recorded."""

    def __init__(self, sandbox, other_address) -> None:
        self.sandbox = sandbox
        self.other_address = other_address
        self.renamed = {}
        self.etag = None

    def play(self, exchange: Exchange):
        path = exchange.path
        for recorded, given in self.renamed.items():
            path = path.replace(recorded, given)
        headers = dict(exchange.headers)
        if "If-None-Match" in headers:
            headers["If-None-Match"] = self.etag
        source = "127.0.0.2" if exchange.number in self.other_address else "127.0.0.1"
        reply = send(self.sandbox.base_url, replace(exchange, path=path, headers=headers), source)
        self.etag = reply.etag
        self._remember(exchange, reply)
        return reply

    def _remember(self, exchange, reply):
        if '"file_url"' in exchange.reply.body and '"file_url"' in reply.body:
            old, new = (json.loads(text)["file_url"].split("/")[-2] for text in (exchange.reply.body, reply.body))
            self.renamed[old] = new
            # The recording of a tampered address has one character more after the dashes.
            self.renamed[old.replace("--", "--0")] = new.replace("--", "--0")
        if "/disk/" in (exchange.reply.location or "") and reply.location:
            self.renamed[exchange.reply.location.split("/")[-2]] = reply.location.split("/")[-2]


def play_scene(tmp_path, scene, exchanges, compare, *, left_out=(), other_address=()):
    """Play a scene; every difference that `compare` finds."""
    found = []
    with a_sandbox(tmp_path, scene.setup, scene.behaviour, clock=Clock(), names=RECORDED_NAMES) as sandbox:
        player = Player(sandbox, other_address)
        played = exchanges[scene.first : scene.last + 1]
        assert len(played) == scene.last - scene.first + 1
        for exchange in played:
            if exchange.number in scene.before:
                scene.before[exchange.number](sandbox)
            if exchange.number in left_out:
                continue
            if wrong := compare(exchange, player.play(exchange)):
                found.append(f"{exchange.number} {exchange.name}: " + "\n    ".join(wrong))
    return "\n".join(found)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compares answers whole, but for some, by number: of these the status alone, positions, or rows in any order."""

    status_only: Collection[int]
    tied: Collection[int]
    any_order: Collection[int]

    def __call__(self, exchange, reply):
        recorded, number = exchange.reply, exchange.number
        if number in self.status_only:
            return other_status(recorded, reply)
        if number in self.tied:
            kept = positions(recorded.body)
            return [] if kept and positions(reply.body)[: len(kept)] == kept else ["another order of positions"]
        if number in self.any_order:
            recorded, reply = rows_in_order(recorded), rows_in_order(reply)
        return differences(recorded, reply)


def other_status(recorded, reply):
    return [] if recorded.status == reply.status else [f"status {reply.status}, not {recorded.status}"]


def positions(body):
    return re.findall(r'"position":(\d+),', body)


def rows_in_order(reply):
    told = json.loads(reply.body)
    rows = told["payload"] if "payload" in told else told["portal"]["categories"]
    rows.sort(key=json.dumps)  # Each begins with its id or its name.
    return replace(reply, body=json.dumps(told, separators=(",", ":")))
