"""The recorded exchanges of 4.16.2, sent to the sandbox: its answers must be the recorded ones, byte for byte but for
what is another at each time (clock, port, signatures)."""

import json
import re
from dataclasses import replace

import pytest

from kbsync.sandbox import V4_16

from .player import play_scene
from .recordings import FIXTURE_4_16, differences, load, steady
from .scenes_4_16 import ANY_ORDER, LEFT_OUT, MAIN, SCENES, SITEMAP, STATUS_ONLY, TIED

EXCHANGES = load(FIXTURE_4_16)


def positions(body):
    return re.findall(r'"position":(\d+),', body)


def sorted_rows(value):
    """A value whose lists are in order of what is in them."""
    if isinstance(value, dict):
        return {name: sorted_rows(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return sorted((sorted_rows(inner) for inner in value), key=json.dumps)
    return value


def rows_in_order(reply):
    return replace(reply, body=json.dumps(sorted_rows(json.loads(steady(reply.body)))))


def compare(exchange, reply):
    recorded, number = exchange.reply, exchange.number
    if number in STATUS_ONLY:
        return [] if recorded.status == reply.status else [f"status {reply.status}"]
    if number in TIED:
        kept = positions(recorded.body)
        return [] if kept and positions(reply.body)[: len(kept)] == kept else ["another order of positions"]
    if number in SITEMAP:
        same = sorted(steady(recorded.body).split("\n")) == sorted(steady(reply.body).split("\n"))
        return [] if same else ["other lines"]
    if number in ANY_ORDER:
        recorded, reply = rows_in_order(recorded), rows_in_order(reply)
    return differences(recorded, reply)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_16_did(tmp_path, scene):
    behaviour = scene.behaviour if scene.behaviour.is_4_16 else V4_16
    scene = replace(scene, setup=MAIN, behaviour=replace(behaviour, accounts_without_api=frozenset({3})))
    found, count = play_scene(tmp_path, scene, EXCHANGES, compare, left_out=LEFT_OUT)
    left_out = [number for number in LEFT_OUT if scene.first <= number <= scene.last]
    assert not found, "\n".join(found)
    assert count == scene.last - scene.first + 1 - len(left_out)


def test_every_recorded_exchange_is_replayed_or_left_out_for_a_reason():
    replayed = {number for scene in SCENES for number in range(scene.first, scene.last + 1)} - set(LEFT_OUT)
    assert replayed | set(LEFT_OUT) == set(range(len(EXCHANGES)))
    assert (len(EXCHANGES), len(LEFT_OUT), len(STATUS_ONLY)) == (566, 12, 1)
