"""What a remembered plan leaves unpublished is kept beside it, and shown as another plan shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from cli.test_plan_cache import REFUNDS, records, settle, told, told_anew
from kbsync.app.kept_unpublished import PIECE_ROWS, KeptUnpublished, encoded
from kbsync.model import Unpublished
from kbsync.sandbox import Sandbox

if TYPE_CHECKING:
    from conftest import Project


def some(number: int) -> list[Unpublished]:
    return [
        Unpublished(
            kind="article",
            path=f"en/{at}.md",
            locale="en",
            slug=f"a-{at}",
            title=f"{at}",
            remote_id=at,
            hint="Publish.",
        )
        for at in range(number)
    ]


@pytest.mark.parametrize("number", [1, PIECE_ROWS, PIECE_ROWS + 1, 3 * PIECE_ROWS - 1])
def test_what_is_kept_is_what_was_there(number: int):
    items = some(number)
    kept = KeptUnpublished(encoded(items), number)
    assert len(kept) == number
    assert list(kept) == items
    assert [kept[0], kept[-1], *kept[:3], *kept[number - 1 :]] == [items[0], items[-1], *items[:3], items[-1]]
    with pytest.raises(IndexError):
        kept[number]


def test_a_few_of_them_are_found_by_their_paths_and_replaced():
    items = some(3 * PIECE_ROWS)
    kept = KeptUnpublished(encoded(items), len(items))
    # `en/12.md` is also the end of no other path, and the beginning of none: `en/120.md` is not it.
    assert kept.places_of({"en/12.md", f"en/{PIECE_ROWS}.md", "en/1", "fr/3.md"}) == [12, PIECE_ROWS]
    renamed = structs.replace(items[12], title="Another")
    now = kept.with_rows({12: renamed, 13: items[13]})
    assert list(now) == [*items[:12], renamed, *items[13:]]
    assert list(KeptUnpublished(encoded(now), len(now))) == list(now)
    assert kept.with_rows({13: items[13]}) is kept


@pytest.mark.slow
def test_a_remembered_plan_shows_what_it_leaves_unpublished_and_none_is_used_without_that(
    remote: Project, portal: Sandbox
):
    remote.write(REFUNDS, "---\ntitle: Refund a charge\nstatus: published\n---\nText.\n")
    assert remote.run("push").code == 0
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    settle(remote)
    remote.run("plan")
    assert records(remote)
    expected = told_anew(remote)
    assert REFUNDS.removeprefix("content/") in expected[1]
    assert told(remote) == expected
    (file,) = (remote.folder / ".kbsync" / "cache").glob("unpublished-*")
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole.replace(b"Refund", b"Refuse")):
        file.write_bytes(damaged)
        assert told(remote) == expected
    file.unlink()
    assert told(remote) == expected
