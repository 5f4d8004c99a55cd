"""Which sources link to a place: after any changes the same as a look through all of them finds."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kbsync.content.source import Link, Source
from kbsync.preview.live_tree import Backlinks
from preview.workshop import CHARGES, INVOICES, REFUNDS, a_shop

SOME = {CHARGES, INVOICES, REFUNDS}
PATHS = ("a.md", "b.md", "c.md")
TARGETS = ("a.md", "b.md", "images/x.png", "")


def a_source(path: str, targets: list[str]) -> Source:
    links = tuple(Link("link", 1, place + 1, place, place + 1, target, "") for place, target in enumerate(targets))
    return Source(path, "article", b"", links=links)


@given(
    st.dictionaries(st.sampled_from(PATHS), st.lists(st.sampled_from(TARGETS))),
    st.lists(st.tuples(st.sampled_from(PATHS), st.none() | st.lists(st.sampled_from(TARGETS)))),
)
def test_after_any_changes_the_links_are_those_of_the_sources(
    tree: dict[str, list[str]], changes: list[tuple[str, list[str] | None]]
):
    sources = {path: a_source(path, targets) for path, targets in tree.items()}
    backlinks = Backlinks.of(sources)
    for path, targets in changes:
        new = None if targets is None else a_source(path, targets)
        backlinks.replace(path, sources.pop(path, None), new)
        if new:
            sources[path] = new
    for target in TARGETS:
        linking = {path for path, source in sources.items() if any(link.target == target for link in source.links)}
        assert backlinks.linking_to([target]) == linking


def test_a_heading_touches_the_pages_that_link_to_it_now(tmp_path: Path):
    shop = a_shop(tmp_path)
    linking, heading = (
        "---\ntitle: Invoices\n---\nSee [refunds](refunds.md).\n",
        "---\ntitle: Refunds\nstatus: published\n---\n",
    )
    assert shop.save("en/billing/refunds.md", heading + "## One\n").urls & SOME == {REFUNDS, CHARGES}
    shop.save("en/billing/invoices.md", linking)
    assert shop.save("en/billing/refunds.md", heading + "## Two\n").urls & SOME == {REFUNDS, CHARGES, INVOICES}
    shop.save("en/billing/charges.md", "---\ntitle: Charges\nstatus: published\n---\nNo link.\n")
    assert shop.save("en/billing/refunds.md", heading + "## Three\n").urls & SOME == {REFUNDS, INVOICES}
