"""The recorded exchanges of 4.16.2, sent to the sandbox: its answers must be the recorded ones, byte for byte but for
what is another at each time (clock, port, signatures)."""

from dataclasses import replace

import pytest

from kbsync.sandbox import V4_16

from .player import Comparison, play_scene
from .recordings import FIXTURE_4_16, load, steady
from .scenes_4_16 import ANY_ORDER, LEFT_OUT, MAIN, SCENES, SITEMAP, STATUS_ONLY, TIED

EXCHANGES = load(FIXTURE_4_16)


COMPARE = Comparison(STATUS_ONLY, TIED, ANY_ORDER)


def compare(exchange, reply):
    if exchange.number in SITEMAP:
        same = sorted(steady(exchange.reply.body).split("\n")) == sorted(steady(reply.body).split("\n"))
        return [] if same else ["other lines"]
    return COMPARE(exchange, reply)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_16_did(tmp_path, scene):
    behaviour = scene.behaviour if scene.behaviour.is_4_16 else V4_16
    scene = replace(scene, setup=MAIN, behaviour=replace(behaviour, accounts_without_api=frozenset({3})))
    assert play_scene(tmp_path, scene, EXCHANGES, compare, left_out=LEFT_OUT) == ""


def test_every_recorded_exchange_is_replayed_or_left_out_for_a_reason():
    replayed = {number for scene in SCENES for number in range(scene.first, scene.last + 1)} - set(LEFT_OUT)
    assert replayed | set(LEFT_OUT) == set(range(len(EXCHANGES)))
    assert (len(EXCHANGES), len(LEFT_OUT), len(STATUS_ONLY)) == (566, 12, 1)
