"""A portal that somebody filled with ill will, and pulls that end early: nothing outside the folder, nothing in part."""

import os
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from kbsync.app.file_transaction import HEAD, JOURNAL, MADE, PULL, Changes, Journal, Transaction
from kbsync.errors import ContentError
from kbsync.files import store_sealed
from kbsync.sandbox import Sandbox
from kbsync.sandbox.api_upload import PIXEL

KEY = b"a key"
ELSEWHERE = "http://127.0.0.1:9/rails/active_storage/blobs/redirect/x/y.png"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "content"
    found.mkdir()
    return found


def begun(folder: Path, root: Path, key: bytes = KEY) -> Transaction:
    return Transaction(Changes(folder, root, lambda: key), PULL)


def ready(stage: Transaction) -> None:
    """As it is when a pull is killed that has everything."""
    body = msgspec.msgpack.encode(Journal(PULL, stage.steps))
    assert store_sealed(stage.folder / JOURNAL, HEAD, body, stage.changes.key())


def upload(asked: httpx.Client, name: str, data: bytes) -> str:
    answer = asked.post("upload", files={"attachment": (name, data, "image/png")})
    return str(answer.raise_for_status().json()["file_url"])


def test_a_hostile_portal_stays_inside_its_folder(remote: Any, portal: Sandbox, asked: httpx.Client):
    remote.clear()
    image = upload(asked, "../../../evil.png", PIXEL)
    again = f"![a]({image}) ![b]({image}?cw_image_height=9px)"
    large = upload(asked, "large.png", PIXEL + bytes(6_000_000))
    script = upload(asked, "page.png", b"<html><script>alert(1)</script></html>")
    portal.panel.create("handbook", "\x1b[31mRed\x1b[0m", again, slug="../../outside", locale="en")
    portal.panel.create("handbook", "Con", again, slug="CON", locale="en")
    portal.panel.create("handbook", "Con 2", f"![x]({large}) ![y]({script}) ![z]({ELSEWHERE})", slug="con", locale="en")
    portal.panel.create("handbook", "Merge", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", slug="merge", locale="en")
    portal.panel.create("handbook", "Link", "[m](/hc/handbook/articles/merge)", slug="links", locale="en")
    portal.panel.create("handbook", "Far", "Text.", slug="far", locale="../x")
    around = set(remote.folder.parent.iterdir())
    done = remote.run("pull")
    assert done.code == 4 and "\x1b" not in done.out + done.err
    assert "Merge (merge): its text on the portal would be an error in a file: A merge left its" in done.words
    assert "3 images stay on the portal only" in done.out and "large.png in en/" in done.out
    assert "it has more than 5,000 kB ([assets] max_kb)" in done.out
    assert "it is not an image that browsers show" in done.out
    assert set(remote.folder.parent.iterdir()) == around
    root = remote.folder / "content"
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()) == [
        "_images.json", "en/con-article-2.md", "en/con-article.md", "en/images/evil.png", "en/links.md",
        "en/outside.md",
    ]  # fmt: skip
    assert (root / "en/images/evil.png").read_bytes() == PIXEL
    outside = (root / "en/outside.md").read_text()
    assert outside.endswith("![a](images/evil.png) ![b](images/evil.png?cw_image_height=9px)\n")
    # What does not become a file is not linked to as one.
    assert "](/hc/handbook/articles/merge)" in (root / "en/links.md").read_text()
    assert remote.run("plan", "--check").code == 0


def test_an_image_that_was_changed_in_the_files_is_uploaded(remote: Any, portal: Sandbox, asked: httpx.Client):
    remote.clear()
    image = upload(asked, "shot.png", PIXEL)
    portal.panel.create("handbook", "One", f"![a]({image})", slug="one", locale="en")
    assert remote.run("pull").code == 0
    assert "uploaded" not in remote.run("push").out
    (remote.folder / "content/en/images/shot.png").write_bytes(PIXEL + b"\0")
    assert "1 image" in remote.run("plan").out


def test_nothing_is_written_through_a_link_that_leads_outside(tmp_path: Path):
    outside, root = tmp_path / "outside", tmp_path / "content"
    outside.mkdir()
    (root / "en").mkdir(parents=True)
    (root / "en/billing").symlink_to(outside)
    stage = begun(tmp_path / "changes", root)
    stage.write("en/a.md", b"a")
    stage.write("en/billing/b.md", b"b")
    with pytest.raises(ContentError, match="outside of the content folder"):
        stage.commit()
    assert list(outside.iterdir()) == [] and not (root / "en/a.md").exists()


def test_a_pull_that_was_killed_halfway_is_finished_by_the_next(tmp_path: Path, root: Path):
    (root / "old.md").write_bytes(b"old")
    (root / "edited.md").write_bytes(b"somebody was here")
    stage = begun(tmp_path / "changes", root)
    stage.write("new/a.md", b"a")
    stage.write("old.md", b"new", before=b"old")
    stage.write("edited.md", b"ours", before=b"as it was")
    ready(stage)
    (root / "new").mkdir()
    (root / "new/a.md").write_bytes(b"a")  # It came so far.
    assert len(stage.changes.finish(PULL)) == 3
    assert {path.name: path.read_bytes() for path in root.rglob("*.md")} == {
        "a.md": b"a", "old.md": b"new", "edited.md": b"somebody was here",
    }  # fmt: skip
    assert stage.changes.finish(PULL) == []


def test_a_pull_that_was_killed_before_it_had_everything_changes_nothing(tmp_path: Path, root: Path):
    stage = begun(tmp_path / "changes", root)
    stage.write("a.md", b"a")
    assert stage.changes.finish(PULL) == []
    assert stage.folder.exists()
    os.utime(stage.folder, (0, 0))
    assert stage.changes.finish(PULL) == []
    assert not stage.folder.exists() and list(root.iterdir()) == []


def test_what_somebody_wrote_meanwhile_stays(tmp_path: Path, root: Path):
    (root / "a.md").write_bytes(b"somebody's")
    stage = begun(tmp_path / "changes", root)
    stage.write("a.md", b"ours")
    stage.write("b.md", b"ours too")
    seen: list[tuple[int, int]] = []
    assert stage.commit(lambda done, of: seen.append((done, of))) == {"a.md": MADE}
    assert seen == [(1, 2), (2, 2)]
    assert ((root / "a.md").read_bytes(), (root / "b.md").read_bytes()) == (b"somebody's", b"ours too")


def test_nothing_is_pushed_or_moved_while_files_of_a_pull_are_missing(remote: Any):
    stage = begun(remote.folder / ".kbsync/changes", remote.folder / "content", remote.seal_key)
    stage.write("en/billing/new.md", b"---\ntitle: New\n---\nText.\n")
    ready(stage)
    for command in (("plan",), ("push",), ("mv", "content/en/billing/refunds.md", "content/en/billing/money.md")):
        assert remote.run(*command).ended(3, "", "A pull was interrupted", "Run `kbsync pull`")
    assert remote.run("pull").code == 0
    assert (remote.folder / "content/en/billing/new.md").exists()
    assert remote.run("plan").code == 0


def test_what_an_earlier_pull_loaded_is_not_loaded_again(remote: Any, portal: Sandbox, asked: httpx.Client):
    remote.clear()
    image = upload(asked, "shot.png", PIXEL)
    portal.panel.create("handbook", "One", f"![a]({image})", slug="one", locale="en")
    assert remote.run("pull", "--dry-run").code == 0  # It keeps what it loaded, as one that is killed does.
    portal.panel.sql("DELETE FROM blobs")
    assert remote.run("pull").says(0, "with 1 image")
    assert (remote.folder / "content/en/images/shot.png").read_bytes() == PIXEL
