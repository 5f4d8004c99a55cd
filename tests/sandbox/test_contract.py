"""The recorded exchanges of the real service, sent to the sandbox: its answers must be the recorded ones, byte for byte
but for what is another at each time (clock, port, signatures)."""

import json
import re
from dataclasses import replace

import pytest

from kbsync.markdown.html import render_html

from .recordings import Exchange, differences, load, send
from .scenes import ARBITRARY, LEFT_OUT, OTHER_ADDRESS, SCENES, SCENES_4_2, STATUS_ONLY, TIED
from .world import Clock, a_sandbox

EXCHANGES = load()
OLD_MARK = "[4.2.0] "
RECORDED_NAMES = frozenset({"evil.example"})
"""The service was asked by this Host name, too; the sandbox answers to it only because it is told that it is its own."""

OLD = {exchange.name.removeprefix(OLD_MARK): exchange for exchange in EXCHANGES if exchange.name.startswith(OLD_MARK)}


class Player:
    """Sends the exchanges of a scene; what an answer invented (an address, an ETag) replaces what was recorded."""

    def __init__(self, sandbox) -> None:
        self.sandbox = sandbox
        self.renamed = {}
        self.etag = None

    def play(self, exchange: Exchange):
        path = exchange.path
        for recorded, given in self.renamed.items():
            path = path.replace(recorded, given)
        headers = dict(exchange.headers)
        if "If-None-Match" in headers:
            headers["If-None-Match"] = self.etag
        source = "127.0.0.2" if exchange.number in OTHER_ADDRESS else "127.0.0.1"
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


def play_scene(tmp_path, scene, compare):
    """Play a scene; every difference that `compare` finds, and how many exchanges were compared."""
    found, count = [], 0
    clock = Clock()
    with a_sandbox(tmp_path, scene.setup, scene.behaviour, clock=clock, names=RECORDED_NAMES) as sandbox:
        player = Player(sandbox)
        for exchange in EXCHANGES[scene.first : scene.last + 1]:
            if exchange.number in scene.before:
                scene.before[exchange.number](sandbox)
            if exchange.number in LEFT_OUT:
                continue
            wrong = compare(exchange, player.play(exchange))
            count += 1
            if wrong:
                found.append(f"{exchange.number} {exchange.name}: " + "\n    ".join(wrong))
    return found, count


def in_order_of_id(reply):
    told = json.loads(reply.body)
    told["payload"].sort(key=lambda row: row["id"])
    return replace(reply, body=json.dumps(told))


def positions(body):
    return re.findall(r'"position":(\d+),', body)


def compare_all(exchange, reply):
    if exchange.number in STATUS_ONLY:
        return [] if exchange.reply.status == reply.status else [f"status {reply.status}"]
    recorded = exchange.reply
    if exchange.number in TIED:
        kept = positions(recorded.body)
        return [] if kept and positions(reply.body)[: len(kept)] == kept else ["another order of positions"]
    if exchange.number in ARBITRARY:
        recorded, reply = in_order_of_id(recorded), in_order_of_id(reply)
    wrong = differences(recorded, reply)
    if not wrong and "| Handbook)" in exchange.reply.body and "T pub-en" in exchange.reply.body:
        body = render_html("Body of **pub-en**\n")
        wrong = [] if f"<article>\n{body}</article>" in reply.body else ["the rendered body is not on the page"]
    return wrong


def compare_old(exchange, reply):
    recorded = OLD.get(exchange.name)
    if recorded is None:
        return [] if exchange.reply.status == reply.status else [f"status {reply.status}, not {exchange.reply.status}"]
    return differences(recorded.reply, reply)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_10_did(tmp_path, scene):
    found, count = play_scene(tmp_path, scene, compare_all)
    left_out = [number for number in LEFT_OUT if scene.first <= number <= scene.last]
    assert not found, "\n".join(found)
    assert count == scene.last - scene.first + 1 - len(left_out)


@pytest.mark.parametrize("scene", SCENES_4_2, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_2_did(tmp_path, scene):
    found, _ = play_scene(tmp_path, scene, compare_old)
    assert not found, "\n".join(found)


def test_every_recorded_exchange_is_replayed_or_left_out_for_a_reason():
    replayed = {number for scene in SCENES for number in range(scene.first, scene.last + 1)} - set(LEFT_OUT)
    old_names = {EXCHANGES[number].name for scene in SCENES_4_2 for number in range(scene.first, scene.last + 1)}
    replayed |= {exchange.number for exchange in OLD.values() if exchange.name.removeprefix(OLD_MARK) in old_names}
    assert replayed | set(LEFT_OUT) == set(range(len(EXCHANGES)))
    assert len(EXCHANGES) == 686
    assert len(replayed) == 683
    assert len(STATUS_ONLY) == 3
