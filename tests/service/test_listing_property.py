"""Whatever others do between two listings, the incremental one is equal to a full one once the portal is quiet."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbsync.service.snapshot import Snapshot

from .world import PORTAL, MovedClock, a_sandbox, a_service, fill, observe

pytestmark = pytest.mark.slow

ARTICLES = 60

edits = st.one_of(
    st.tuples(st.just("edit"), st.integers(0, ARTICLES - 1), st.sampled_from(["title", "content"])),
    st.tuples(st.just("publish"), st.integers(0, ARTICLES - 1)),
    st.tuples(st.just("delete"), st.integers(0, ARTICLES - 1)),
    st.tuples(st.just("move"), st.integers(0, ARTICLES - 1), st.sampled_from(["en", "fr"])),
    st.tuples(st.just("create"), st.integers(0, 30)),
    st.tuples(st.just("later"), st.integers(1, 4000)),
    st.tuples(st.just("list")),
)


@contextmanager
def a_portal():
    clock = MovedClock(100_000.0)
    with (
        tempfile.TemporaryDirectory() as folder,
        a_sandbox(Path(folder), clock=clock) as sandbox,
        a_service(sandbox.base_url) as service,
    ):
        fill(sandbox, ARTICLES)
        yield clock, sandbox.panel, service


def act(panel, turn, work, *rest):
    if work == "create":
        for place in range(rest[0]):
            panel.create(PORTAL, f"New {place}", "x", slug=f"new-{turn}-{place}")
        return
    slug = f"a-{rest[0]:03}"
    if panel.article(slug) is None:
        return
    if work == "edit":
        panel.edit(slug, **{rest[1]: f"Edited in turn {turn}"})
    elif work == "publish":
        panel.publish(slug)
    elif work == "delete":
        panel.delete(slug)
    elif work == "move":
        panel.edit(slug, locale=rest[1])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(edits, max_size=12))
def test_an_incremental_listing_equals_a_full_one_whatever_others_did_between(steps):
    with a_portal() as (clock, panel, service):
        known = Snapshot()
        observe(service, known)
        for turn, (work, *rest) in enumerate(steps):
            if work == "later":
                clock.ago_s = max(0.0, clock.ago_s - rest[0])
            elif work == "list":
                observe(service, known)
            else:
                act(panel, turn, work, *rest)
        seen, fresh = observe(service, known), observe(service, full=True)
        by_id = {article.remote_id: article for article in seen.articles}
        assert by_id == {article.remote_id: article for article in fresh.articles}
        assert seen.complete
        assert fresh.complete
