"""Players, and the width that an address asks for; the HTML of a sized one against html5lib."""

import re

import html5lib
import pytest

from kbsync.lint.upgrade import Versions, _differences
from kbsync.markdown.embeds import EMBEDS, pixels, player, width_in
from kbsync.markdown.html import render_html
from kbsync.markdown.versions import V4_16, V4_17, V4_18

ADDRESSES = {
    "youtube": "https://www.youtube.com/watch?v=a1&cw_video_width=480px",
    "loom": "https://www.loom.com/share/a1?cw_video_width=480px",
    "vimeo": "https://vimeo.com/12?cw_video_width=480px",
    "mp4": "https://example.com/a'1.mp4?cw_video_width=480px",
    "arcade tab": "https://app.arcade.software/share/a1?embed_mobile=tab&cw_video_width=480px",
    "arcade": "https://app.arcade.software/share/a1?cw_video_width=480px",
    "wistia": "https://acme.wistia.com/medias/a1?cw_video_width=480px",
    "bunny": "https://player.mediadelivery.net/play/1/a1?cw_video_width=480px",
    "codepen": "https://codepen.io/ana/pen/a1?cw_video_width=480px",
    "guidejar": "https://www.guidejar.com/guides/a1?cw_video_width=480px",
    "gist": "https://gist.github.com/ana/beef?cw_video_width=480px",
}
WALK = html5lib.getTreeWalker("etree")
SERIALIZE = html5lib.serializer.HTMLSerializer(
    quote_attr_values="always",
    omit_optional_tags=False,
    minimize_boolean_attributes=False,
    alphabetical_attributes=False,
)


def as_html5(html: str) -> str:
    """What an HTML5 parser makes of a player whose first element fills its box."""
    fragment = html5lib.parseFragment(html)
    root = fragment[0]
    root.set("style", f"{root.get('style', '')} width: 100%; height: auto;".strip())
    return "".join(SERIALIZE.serialize(WALK(fragment)))


def test_every_player_has_an_address_here():
    assert len(ADDRESSES) == len(EMBEDS)


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_s160_a_player_with_a_width_is_in_a_box_and_written_by_an_html5_parser(address):
    plain = player(address.replace("480px", "480"), V4_18)
    assert player(address, V4_18) == f'<div style="width: 480px; max-width: 100%;">{as_html5(plain)}</div>'


def test_s160_the_width_of_a_video_is_not_in_its_source():
    html = render_html(f"[clip]({ADDRESSES['mp4']})", V4_17)
    assert "cw_video_width" not in html
    assert html.startswith('<p><div style="width: 480px; max-width: 100%;"><video width="640" height="360" controls=""')


def test_before_4_17_no_player_has_a_width():
    for address in ADDRESSES.values():
        assert "max-width" not in player(address, V4_16)
    assert 'embed/a1?t=3"' in player("https://youtu.be/a1?t=3", V4_16)
    assert 'embed/a1"' in player("https://youtu.be/a1?t=3", V4_17)


@pytest.mark.parametrize(
    ("query", "px"),
    [
        ("cw_video_width=1px", 1),
        ("cw_video_width=2000px", 2000),
        ("a=1;cw_video_width=30px", 30),
        ("cw_video_width=%33px", 3),
        ("cw_video_width=0px", None),
        ("cw_video_width=2001px", None),
        ("cw_video_width=50%25", None),
        ("cw_video_width=50", None),
        ("cw_video_width=5px&b=%zz", None),
        ("cw_video_width=5px&b=ü", None),
        ("cw_video_width=5em&cw_video_width=5px", None),
        (f"cw_video_width={'9' * 5000}px", None),
        ("b=1#cw_video_width=5px", None),
    ],
)
def test_which_widths_count(query, px):
    address = f"https://example.com/a.mp4?{query}"
    assert pixels(width_in(address, "cw_video_width")) == px
    assert bool(re.match("<div style", player(address, V4_18))) is (px is not None)


def test_an_upgrade_tells_of_players_with_a_width():
    body = f"Look:\n\n[clip]({ADDRESSES['vimeo']})\n"
    kinds, line = _differences(body, Versions(V4_18, V4_16))
    assert (dict(kinds), line) == ({"player": 1}, 2)
    assert not _differences(body, Versions(V4_18, V4_17))[0]
