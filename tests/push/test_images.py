"""Images beside the sources: uploaded once, recognised by whoever comes after, never in the way of what needs none."""

import re
import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import cast
from urllib.request import urlopen

import pytest

from builders import write_files
from kbsync import Project as Opened
from kbsync.app.reading import read_content
from kbsync.errors import LedgerError
from kbsync.model import Action, Change, Plan
from kbsync.push.uploads import ImageAddresses, Uploads, upload_all
from kbsync.sandbox import Behaviour, Sandbox
from kbsync.service.client import Service
from repo import Repo, a_repo, needs_git

from .project import PIXEL, Project, a_checkout
from .world import PORTAL, a_sandbox

pytestmark = pytest.mark.slow

GUIDE = "content/en/guide/start.md"
TREE = {
    ".gitignore": ".kbsync/\n",
    "content/en/guide/_category.md": "---\nname: Guide\n---\n",
    GUIDE: "---\ntitle: Start\n---\nLook: ![the button](images/a.png)\n",
    "content/en/guide/more.md": '---\ntitle: More\n---\nThe same ![again](images/a.png "A") and ![b][pic]\n\n[pic]: images/b.png\n',
    "content/en/guide/plain.md": "---\ntitle: Plain\n---\nWords.\n",
    "content/en/guide/images/a.png": PIXEL,
    "content/en/guide/images/b.png": PIXEL + b"b",
}
ADDRESS = re.compile(r"http://[^\s)]+-[0-9a-f]{20}\.png")


def bodies(portal: Sandbox) -> dict[str, str]:
    return {article.slug: article.content for article in portal.panel.articles(PORTAL)}


def uploads(portal: Sandbox) -> int:
    return sum(1 for request in portal.requests if request.path.endswith("/upload"))


def test_each_image_is_uploaded_once_and_shown_where_it_stands(project: Project, portal: Sandbox):
    planned = project.run("plan")
    assert "2 images" in planned.out and "content/en/guide/images" not in bodies(portal)
    summary = project.push()
    assert (summary["upload"], summary["create"], uploads(portal)) == (2, 4, 2)
    start, more = bodies(portal)["start"], bodies(portal)["more"]
    (address,) = ADDRESS.findall(start)
    assert start == f"Look: ![the button]({address})\n"
    assert more.startswith(f'The same ![again]({address} "A") and ![b][pic]\n\n[pic]: http://')
    with urlopen(address) as reply:
        assert reply.read() == PIXEL
    assert project.run("push").out.startswith("Everything is up to date")
    assert project.run("plan", "--check", "--full").code == 0 and uploads(portal) == 2


def test_another_image_of_the_same_name_is_uploaded_and_only_its_articles_change(project: Project, portal: Sandbox):
    project.push()
    write_files(project.folder, {"content/en/guide/images/b.png": PIXEL + b"other"})
    summary = project.push()
    assert (summary["upload"], summary["update"], uploads(portal)) == (1, 1, 3)
    assert project.run("plan", "--check").code == 0


def test_a_width_is_sent_with_its_image_and_is_a_part_of_the_text_on_both_sides(project: Project, portal: Sandbox):
    wide = "![the button](images/a.png?cw_image_width=300px&raw=true)"
    write_files(project.folder, {"content/en/guide/start.md": f"---\ntitle: Start\n---\nLook: {wide}\n"})
    project.push()
    (address,) = ADDRESS.findall(bodies(portal)["start"])
    assert bodies(portal)["start"] == f"Look: ![the button]({address}?cw_image_width=300px)\n"
    assert project.run("plan", "--check", "--full").code == 0
    portal.panel.edit("start", content=bodies(portal)["start"].replace("300px", "200px"))
    assert project.run("plan", "--check", "--full").code == 4
    narrow = wide.replace("300px", "200px")
    write_files(project.folder, {"content/en/guide/start.md": f"---\ntitle: Start\n---\nLook: {narrow}\n"})
    assert project.run("plan", "--check", "--full").code == 0


def test_the_address_of_a_image_that_has_not_moved_is_no_edit_in_the_panel(project: Project, portal: Sandbox):
    project.push()
    shutil.rmtree(project.folder / ".kbsync")
    summary = project.push()
    assert (summary["upload"], summary["adopt"], summary["held"], uploads(portal)) == (0, 4, 0, 2)


@needs_git
def test_a_fresh_clone_recognises_its_images_and_older_ones_out_of_git(tmp_path: Path, portal: Sandbox):
    repo: Repo = a_repo(a_checkout(tmp_path / "origin", portal, TREE).folder)
    repo.commit("first")
    first = Project(repo.clone(tmp_path / "first").folder)
    assert first.push()["upload"] == 2
    write_files(repo.folder, {"content/en/guide/images/a.png": PIXEL + b"new", GUIDE: TREE[GUIDE] + "More.\n"})
    repo.commit("second")
    second = Project(repo.clone(tmp_path / "second").folder)
    summary = second.push()
    assert (summary["upload"], summary["update"], summary["held"], uploads(portal)) == (1, 2, 0, 3)
    third = Project(repo.clone(tmp_path / "third").folder)
    assert third.plan()["held"] == 0 and third.push()["upload"] == 0


def test_past_the_hour_s_quota_the_rest_waits_and_what_needs_no_image_does_not(project: Project, portal: Sandbox):
    assert "KB506" in project.run("plan", "--format", "json", KBSYNC_PACE__UPLOADS_PER_HOUR="1").out
    pushed = project.run("push", KBSYNC_PACE__UPLOADS_PER_HOUR="1")
    assert pushed.code == 4
    assert "Push again in" in pushed.out and {"plain", "start"} <= set(bodies(portal)) <= {"plain", "start", "more"}
    assert uploads(portal) == 1
    again = project.push()
    assert (again["upload"], again["create"], uploads(portal)) == (1, 1, 2)
    assert set(bodies(portal)) == {"plain", "start", "more"}


def test_a_refused_upload_leaves_its_articles_and_removes_nothing(project: Project, portal: Sandbox):
    project.push()
    write_files(project.folder, {"content/en/guide/images/b.png": PIXEL + b"other"})
    (project.folder / "content/en/guide/plain.md").unlink()
    portal.faults.follow(lambda number: None)
    before = bodies(portal)
    removing = {"KBSYNC_PUSH__REMOVED": "delete", "KBSYNC_PUSH__MAX_REMOVALS": "100%"}
    pushed = project.run("push", KBSYNC_PACE__UPLOADS_PER_HOUR="2", **removing)
    assert pushed.code == 4 and "Nothing is removed when another change failed." in pushed.out
    assert bodies(portal) == before


def test_a_saved_plan_uploads_and_sends_what_it_says(project: Project, portal: Sandbox):
    assert project.run("plan", "--out", "plan.json").code == 0
    pushed = project.run("push", "plan.json")
    assert pushed.code == 0, pushed.out + pushed.err
    assert uploads(portal) == 2 and project.run("plan", "--check").code == 0


def test_a_saved_plan_of_a_runner_without_a_ledger_knows_where_images_are(project: Project, portal: Sandbox):
    project.push()
    write_files(project.folder, {GUIDE: str(TREE[GUIDE]).replace("Look", "See")})
    assert project.run("plan", "--out", "plan.json").code == 0
    assert project.run("push", "plan.json").code == 0
    assert uploads(portal) == 2 and bodies(portal)["start"].startswith("See: ![the button](http://")


def test_a_plan_after_an_edit_of_an_article_with_a_image_asks_for_no_upload(project: Project, portal: Sandbox):
    project.push()
    project.run("plan")
    write_files(project.folder, {GUIDE: str(TREE[GUIDE]).replace("Look", "See")})
    summary = project.plan()
    assert (summary["upload"], summary["update"], summary["held"]) == (0, 1, 0)


def test_with_base_url_nothing_is_uploaded_and_without_a_way_it_is_an_error(tmp_path: Path, portal: Sandbox):
    elsewhere = a_checkout(tmp_path / "a", portal, TREE, more='[assets]\nbase_url = "https://cdn.example.com/kb/"\n')
    assert elsewhere.push()["upload"] == 0
    assert bodies(portal)["start"] == "Look: ![the button](https://cdn.example.com/kb/en/guide/images/a.png)\n"
    nowhere = a_checkout(tmp_path / "b", portal, TREE)
    refused = nowhere.run("plan", KBSYNC_SERVICE__PROFILE="documented")
    assert refused.code == 3 and "KB323" in refused.err and "[assets] base_url" in refused.err


@pytest.mark.parametrize(
    ("data", "settings", "code"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", {}, "KB320"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<svg/>", {}, "KB320"),
        (b"no image", {}, "KB320"),
        (PIXEL + b"x" * 2_000, {"KBSYNC_ASSETS__MAX_KB": "1"}, "KB321"),
        (PIXEL[:16] + (9000).to_bytes(4) + PIXEL[20:], {}, "KB322"),
    ],
)
def test_what_cannot_be_a_image_is_an_error(project: Project, data: bytes, settings: dict[str, str], code: str):
    write_files(project.folder, {"content/en/guide/images/b.png": data})
    linted = project.run("lint", **settings)
    assert linted.code == 3 and linted.out.count(code) == 1, linted.out


@pytest.mark.parametrize(
    "table", ['ignore = ["KB321", "KB32"]', 'levels = {KB321 = "warning"}', 'levels = {KB3 = "off"}']
)
def test_nothing_can_make_a_image_that_is_too_large_go_to_the_portal(tmp_path: Path, portal: Sandbox, table: str):
    project = a_checkout(tmp_path / "a", portal, TREE, more=f"[assets]\nmax_kb = 1\n[lint]\n{table}\n")
    write_files(project.folder, {"content/en/guide/images/b.png": PIXEL + b"x" * 2_000})
    comment = "\n\n<!-- kbsync-ignore KB321 -->\n![b](images/b.png) <!-- kbsync-ignore KB321 -->\n"
    write_files(project.folder, {GUIDE: f"---\ntitle: Start\nlint_ignore: [KB321]\n---\n# T{comment}"})
    refused = project.run("push")
    assert refused.code == 3 and "KB321" in refused.err and "it cannot be ignored or lowered" in refused.err
    assert uploads(portal) == 0 and not bodies(portal)


def test_an_svg_goes_where_it_is_allowed(project: Project, portal: Sandbox):
    write_files(project.folder, {"content/en/guide/images/b.png": b"<svg xmlns='http://www.w3.org/2000/svg'/>"})
    assert project.push(KBSYNC_ASSETS__ALLOW_SVG="true")["upload"] == 2
    assert re.search(r"-[0-9a-f]{20}\.svg", bodies(portal)["more"])


def test_where_the_service_takes_no_more_images_in_this_hour_the_rest_waits(tmp_path: Path):
    with a_sandbox(tmp_path / "portal", Behaviour(uploads_per_hour=1)) as sandbox:
        project = a_checkout(tmp_path / "project", sandbox, TREE)
        pushed = project.run("push")
        assert pushed.code == 4 and "accepts no more images in this hour" in pushed.out, pushed.out
        assert "failed" not in pushed.out.lower()
        assert {"plain"} <= set(bodies(sandbox)) < {"plain", "start", "more"}


def test_what_a_tree_wants_is_the_same_before_its_images_are_uploaded_and_after(project: Project):
    workspace = Opened.open(project.folder).workspace
    before = read_content(workspace).desired
    project.push()
    assert read_content(workspace).desired == before


class Taking:
    """A service that takes every image, and has it below an address."""

    def __init__(self, address: str) -> None:
        self.address = address

    def upload(self, name: str, data: bytes, kind: str) -> str:
        return f"{self.address}/{name}"


def an_upload(path: str) -> Change:
    return Change(action=Action.UPLOAD, kind="asset", locale="", slug="", path=path, remote_id=None, title=path)


def test_an_upload_that_is_under_way_when_an_error_ends_the_push_is_recorded(project: Project):
    workspace = Opened.open(project.folder).workspace
    compiler = read_content(workspace).compiler
    with closing(workspace.open_ledger()) as ledger:
        service = cast(Service, Taking("https://portal.example.com/rails/active_storage/blobs"))
        uploads = Uploads(service, compiler, ImageAddresses({}, {}), ledger, "x", time.time, per_hour=0)
        first, second = compiler.images.by_path.values()
        asked: list[None] = []

        def stopping() -> bool:
            asked.append(None)
            if len(asked) == 2:
                raise LedgerError("This push lost its lock.")
            return False

        plan = Plan(workspace.target, (an_upload(first.path), an_upload(second.path)))
        with pytest.raises(LedgerError):
            list(upload_all(plan, uploads, stopping, concurrency=2))
        assert list(ledger.images("x")) == [first.key]


def test_an_address_that_nothing_would_recognize_later_is_not_recorded(project: Project):
    workspace = Opened.open(project.folder).workspace
    compiler = read_content(workspace).compiler
    with closing(workspace.open_ledger()) as ledger:
        service = cast(Service, Taking("https://cdn.example.com/67"))
        uploads = Uploads(service, compiler, ImageAddresses({}, {}), ledger, "x", time.time, per_hour=0)
        image = compiler.images.by_path["en/guide/images/a.png"]
        plan = Plan(workspace.target, (an_upload(image.path),))
        (outcome,) = upload_all(plan, uploads, lambda: False, concurrency=1)
        assert outcome.outcome == "failed" and "https://cdn.example.com/" in outcome.error
        assert not ledger.images("x") and not uploads.addresses.known
