"""An article that takes too long to be rendered."""

import asyncio
from itertools import count
from pathlib import Path

from kbsync.preview.live import Live
from kbsync.preview.views import Deadline
from kbsync.site.pages import render
from preview.workshop import REFUNDS, TREE, a_shop

SLOW = {"en/billing/slow.md": "---\ntitle: Slow\n---\n" + "a *b\n" * 1_000 + "\nThe end.\n"}


def test_the_page_of_an_article_that_takes_too_long_says_so_and_the_others_are_shown(tmp_path: Path):
    shop = a_shop(tmp_path, TREE | SLOW)
    hundredths = count()

    async def pages() -> tuple[str, str]:
        # Each look at this clock takes 10 ms: five seconds are five hundred steps of the parser.
        live = Live(shop.live_tree.project, lambda: None, deadline=Deadline(lambda: next(hundredths) / 100))
        live.live_tree = shop.live_tree
        return tuple(render(live.page_at(url, media=False)) for url in ("/en/articles/slow", REFUNDS))

    slow, other = asyncio.run(pages())
    assert "takes longer than 5 seconds to render" in slow
    assert "The end." not in slow
    assert "takes longer" not in other
    assert "Now." in other


def test_the_same_article_is_shown_where_there_is_time(tmp_path: Path):
    assert "The end." in a_shop(tmp_path, TREE | SLOW).html("/en/articles/slow")
