"""The recorded exchanges of the real service, sent to the sandbox: its answers must be the recorded ones, byte for byte
but for what is another at each time (clock, port, signatures)."""

import pytest

from kbsync.markdown.html import render_html

from .player import Comparison, other_status, play_scene
from .recordings import FIXTURE, differences, load
from .scenes import ARBITRARY, LEFT_OUT, OTHER_ADDRESS, SCENES, SCENES_4_2, STATUS_ONLY, TIED

EXCHANGES = load(FIXTURE)
OLD_MARK = "[4.2.0] "

OLD = {exchange.name.removeprefix(OLD_MARK): exchange for exchange in EXCHANGES if exchange.name.startswith(OLD_MARK)}


COMPARE = Comparison(STATUS_ONLY, TIED, ARBITRARY)


def play(tmp_path, scene, compare):
    return play_scene(tmp_path, scene, EXCHANGES, compare, left_out=LEFT_OUT, other_address=OTHER_ADDRESS)


def compare_all(exchange, reply):
    wrong = COMPARE(exchange, reply)
    if not wrong and "| Handbook)" in exchange.reply.body and "T pub-en" in exchange.reply.body:
        body = render_html("Body of **pub-en**\n")
        wrong = [] if f"<article>\n{body}</article>" in reply.body else ["the rendered body is not on the page"]
    return wrong


def compare_old(exchange, reply):
    recorded = OLD.get(exchange.name)
    return differences(recorded.reply, reply) if recorded else other_status(exchange.reply, reply)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_10_did(tmp_path, scene):
    assert play(tmp_path, scene, compare_all) == ""


@pytest.mark.parametrize("scene", SCENES_4_2, ids=lambda scene: f"{scene.first}-{scene.last}")
def test_the_sandbox_answers_as_chatwoot_4_2_did(tmp_path, scene):
    assert play(tmp_path, scene, compare_old) == ""


def test_every_recorded_exchange_is_replayed_or_left_out_for_a_reason():
    replayed = {number for scene in SCENES for number in range(scene.first, scene.last + 1)} - set(LEFT_OUT)
    old_names = {EXCHANGES[number].name for scene in SCENES_4_2 for number in range(scene.first, scene.last + 1)}
    replayed |= {exchange.number for exchange in OLD.values() if exchange.name.removeprefix(OLD_MARK) in old_names}
    assert replayed | set(LEFT_OUT) == set(range(len(EXCHANGES)))
    assert len(EXCHANGES) == 686
    assert len(replayed) == 683
    assert len(STATUS_ONLY) == 3
