"""Videos beside the sources: uploaded as images are, shown by a player, in the width that both sides may write."""

import json
import re
from pathlib import Path

import pytest

from builders import write_files
from kbsync.content.images import look_at
from kbsync.sandbox import Sandbox

from .project import PIXEL, Project, a_checkout
from .test_images import bodies, uploads

pytestmark = pytest.mark.slow

CLIP = b"\0\0\0\x18ftypisom\0\0\2\0isommp41" + b"\0\0\0\x08mdat"
START = "content/en/start.md"
ADDRESS = re.compile(r"http://[^\s)?]+/clip-[0-9a-f]{20}\.mp4")


def with_clip(folder: Path, sandbox: Sandbox, link: str = "[A clip](clip.mp4?cw_video_width=480px)") -> Project:
    text = f"---\ntitle: Start\nstatus: published\n---\nWatch:\n\n{link}\n"
    return a_checkout(folder, sandbox, {START: text, "content/en/clip.mp4": CLIP})


def test_a_video_is_uploaded_once_and_its_width_is_a_part_of_the_text_on_both_sides(tmp_path, portal):
    project = with_clip(tmp_path / "project", portal)
    assert project.push()["upload"] == 1
    (address,) = ADDRESS.findall(bodies(portal)["start"])
    assert bodies(portal)["start"] == f"Watch:\n\n[A clip]({address}?cw_video_width=480px)\n"
    assert project.run("plan", "--check", "--full").code == 0
    project.run("push", "--publish")
    assert project.run("verify").code == 0
    assert "KB416" in project.run("lint", "--service", "4.18", "--against", "4.16").out
    other = with_clip(tmp_path / "other", portal)
    assert other.run("plan", "--full").out.startswith("Plan") and uploads(portal) == 1
    assert "already match" in other.run("push").out and uploads(portal) == 1
    portal.panel.edit("start", content=bodies(portal)["start"].replace("480px", "300px"))
    assert project.run("plan", "--check", "--full").code == 4
    assert project.run("pull", "--theirs", "--force").code == 0
    assert (project.folder / START).read_text().endswith("[A clip](clip.mp4?cw_video_width=300px)\n")
    assert project.run("plan", "--check", "--full").code == 0


def test_a_video_that_the_panel_uploaded_comes_as_a_file(tmp_path, portal):
    project = with_clip(tmp_path / "project", portal)
    project.push()
    (project.folder / "tour.mp4").write_bytes(CLIP + b"more")
    done = project.run("api", "POST", "upload", "-f", "attachment=@tour.mp4")
    url = json.loads(done.out)["file_url"]
    portal.panel.edit("start", content=f"Watch:\n\n[A tour]({url}?cw_video_width=300px)\n")
    assert project.run("pull", "--theirs", "--force").code == 0
    assert "[A tour](images/tour.mp4?cw_video_width=300px)" in (project.folder / START).read_text()
    assert (project.folder / "content/en/images/tour.mp4").read_bytes() == CLIP + b"more"
    assert project.run("plan", "--check", "--full").code == 0


@pytest.mark.parametrize(
    ("link", "files", "said"),
    [
        ("![A clip](clip.mp4)", {}, "is a video, and `![...]` shows images only."),
        ("[A clip](clip.mp4)", {"content/en/clip.mp4": b"words"}, "is not an image or a video that browsers show."),
        ("[A clip](clip.mp4)", {"content/en/clip.mp4": CLIP + b"x" * 5_000_000}, "[assets] max_kb allows 5,000 kB."),
        ("![A clip](clip.mp4)", {"content/en/clip.mp4": PIXEL}, ""),
        ("[A clip](none.mp4)", {}, "warning KB303 The video en/none.mp4 does not exist."),
        ("[A clip](Clip.mp4)", {}, "Did you mean `clip.mp4`?"),
    ],
)
def test_what_cannot_be_shown_is_an_error(tmp_path, portal, link, files, said):
    project = with_clip(tmp_path / "project", portal, link)
    write_files(project.folder, files)
    done = project.run("lint")
    is_error = said and "KB303" not in said and "Did you mean" not in said
    assert (done.code, said in " ".join(done.out.split())) == (3 if is_error else 0, True)


@pytest.mark.parametrize("brand", ["isom", "iso6", "mp42", "avc1", "M4V ", "dash"])
def test_a_video_is_known_by_its_bytes(brand):
    assert look_at("a", b"\0\0\0\x18ftyp" + brand.encode() + b"\0" * 40).kind == "video/mp4"


@pytest.mark.parametrize("brand", ["avif", "heic", "qt  ", "M4A "])
def test_other_files_of_its_kind_are_no_videos(brand):
    assert look_at("a", b"\0\0\0\x18ftyp" + brand.encode() + b"\0" * 40).kind != "video/mp4"
