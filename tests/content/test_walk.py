"""Walking the tree: what is a source, what cannot be looked at, and that nothing there can stop or lead astray."""

import os
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from builders import read_content, somebody_else, write_files
from kbsync.content.tree import read_tree
from kbsync.errors import ContentError
from kbsync.memory import Memory


def found(root: Path) -> list[tuple[str, str]]:
    return sorted((finding.code, finding.path) for finding in read_tree(root, memory=None).findings)


def test_sources_are_the_visible_markdown_files_in_path_order_and_everything_else_is_kept_by_name(tmp_path):
    write_files(tmp_path, {
        "z.md": "# Z\nx", "en/b/deep/er/a.md": "# A\nx", "en/a.md": "# A\nx", "en/a.txt": "x", "en/images/e.png": b"\0",
        ".git/b.md": "x", "en/.c.md": "x", "en/.obsidian/d.md": "x", "en/README.MD": "x", "en/a.md.orig": "x",
        ".git/f.png": b"\0", "en/.Git/f.png": b"\0", ".kbsync/f.png": b"\0", "en/.f.png": b"\0", "en/.g/.h/f.PNG": b"\0",
        "en/.g/f.txt": "x", "README.md": "# R\nx", "en/readme.md": "x",
    })  # fmt: skip
    tree = read_tree(tmp_path, memory=None)
    assert list(tree.sources) == ["en/a.md", "en/b/deep/er/a.md", "z.md"]
    assert set(tree.others) == {
        "en/a.txt", "en/images/e.png", "en/README.MD", "en/a.md.orig", "en/.g/.h/f.PNG", "README.md", "en/readme.md",
    }  # fmt: skip
    assert tree.findings == []


def test_a_root_that_is_no_folder_is_an_error_with_a_way_out(tmp_path):
    (tmp_path / "file").touch()
    for root in (tmp_path / "nowhere", tmp_path / "file", tmp_path / ("x" * 300)):
        with pytest.raises(ContentError, match="There is no content folder") as caught:
            read_tree(root, memory=None)
        assert "kbsync.toml" in caught.value.hint


def test_the_root_itself_may_be_a_link(tmp_path):
    write_files(tmp_path / "real", {"en/a.md": "# A\nx"})
    (tmp_path / "root").symlink_to("real")
    assert list(read_tree(tmp_path / "root", memory=None).sources) == ["en/a.md"]


def test_links_inside_the_tree_are_followed(tmp_path):
    write_files(tmp_path, {"en/a.md": "# A\nx", "shared/b.md": "# B\nx"})
    (tmp_path / "en/c.md").symlink_to("a.md")
    (tmp_path / "en/s").symlink_to("../shared")
    tree = read_tree(tmp_path, memory=None)
    assert list(tree.sources) == ["en/a.md", "en/c.md", "en/s/b.md", "shared/b.md"] and tree.findings == []


@pytest.mark.parametrize(
    ("link", "target", "message"),
    [
        ("en/out.md", "../../secret.md", "The link leads out of the content folder."),
        ("en/out", "../../", "The link leads out of the content folder."),
        ("en/etc", "/etc", "The link leads out of the content folder."),
        ("en/twice.md", "out2.md", "The link leads out of the content folder."),
        ("en/near", "../../content-of-others", "The link leads out of the content folder."),
        ("en/nothing.md", "gone.md", "The link points to nothing."),
        ("en/self.md", "self.md", "The link leads in a circle, to itself."),
        ("en/there.md", "back.md", "The link leads in a circle, to itself."),
        ("en/up", ".", "The link leads to a folder above it."),
        ("en/b/up", "..", "The link leads to a folder above it."),
    ],
)
def test_a_link_that_leaves_the_root_points_to_nothing_or_goes_in_circles_is_an_error(tmp_path, link, target, message):
    root = write_files(tmp_path / "content", {"en/a.md": "# A\nx", "en/b/c.md": "# C\nx"})
    write_files(tmp_path, {"secret.md": "# secret\nx", "content-of-others/d.md": "# D\nx"})
    (root / "en/out2.md").symlink_to(tmp_path / "secret.md")
    (root / "en/back.md").symlink_to("there.md")
    (root / link).symlink_to(target)
    tree = read_tree(root, memory=None)
    assert list(tree.sources) == ["en/a.md", "en/b/c.md"]
    told = {finding.path: (finding.code, finding.message.partition(" kbsync")[0]) for finding in tree.findings}
    assert told[link] == ("KB115", message)
    assert all(finding.level == "error" and finding.hint for finding in tree.findings)


def test_folders_that_link_to_each_other_have_an_end(tmp_path):
    write_files(tmp_path, {"a/x.md": "# X\nx", "b/y.md": "# Y\nx"})
    (tmp_path / "a/to").symlink_to("../b")
    (tmp_path / "b/to").symlink_to("../a")
    assert list(read_tree(tmp_path, memory=None).sources) == ["a/to/y.md", "a/x.md", "b/to/x.md", "b/y.md"]
    assert found(tmp_path) == [("KB115", "a/to/to"), ("KB115", "b/to/to")]


def test_links_to_links_to_links_do_not_multiply(tmp_path):
    for number in range(30):
        (tmp_path / f"d{number:02}").mkdir()
        for name in ("p", "q"):
            (tmp_path / f"d{number:02}" / name).symlink_to(f"../d{number + 1:02}")
    assert len(found(tmp_path)) < 200


def test_a_folder_named_like_a_source_is_a_folder(tmp_path):
    write_files(tmp_path, {"en/b.md/c.md": "# C\nx"})
    assert list(read_tree(tmp_path, memory=None).sources) == ["en/b.md/c.md"] and found(tmp_path) == []


def test_pipes_sockets_and_devices_are_told_and_not_read():
    with tempfile.TemporaryDirectory() as folder:  # tmp_path may be too long for a socket's name
        root = write_files(Path(folder), {"en/a.md": "# A\nx"})
        os.mkfifo(root / "en/pipe.md")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(root / "en/socket.md"))
            (root / "en/link.md").symlink_to("pipe.md")
            tree = read_tree(root, memory=None)
        assert list(tree.sources) == ["en/a.md"]
        assert found(root) == [("KB102", "en/link.md"), ("KB102", "en/pipe.md"), ("KB102", "en/socket.md")]


def test_a_file_and_a_folder_that_may_not_be_read_are_told_with_the_reason():
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder), {"en/a.md": "# A\nx", "en/b.md": "# B\nx", "en/c/d.md": "# D\nx"})
        root.chmod(0o755)
        (root / "en/b.md").chmod(0)
        (root / "en/c").chmod(0)
        with somebody_else():
            tree = read_tree(root, memory=None)
        (root / "en/c").chmod(0o755)
        assert list(tree.sources) == ["en/a.md"]
        assert sorted((finding.code, finding.path, finding.message) for finding in tree.findings) == [
            ("KB102", "en/b.md", "Cannot be read: Permission denied."),
            ("KB102", "en/c", "Cannot be read: Permission denied."),
        ]


def test_a_name_that_is_not_utf8_is_told_and_goes_no_further(tmp_path):
    write_files(tmp_path / "content", {"en/a.md": "# A\nx"})
    Path(os.fsdecode(os.fsencode(tmp_path / "content/en") + b"/caf\xe9.md")).write_bytes(b"# C\nx")
    Path(os.fsdecode(os.fsencode(tmp_path / "content/en") + b"/d\xe9")).mkdir()
    reading = read_content(tmp_path / "content", memory=Memory(tmp_path))
    assert list(reading.tree.sources) == ["en/a.md"]
    assert [(finding.code, finding.path) for finding in reading.findings] == [
        ("KB102", "en/caf\ufffd.md"), ("KB102", "en/d\ufffd"),
    ]  # fmt: skip


def test_folders_in_folders_in_folders_are_walked_to_the_end(tmp_path):
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(200):
            Path("d").mkdir()
            os.chdir("d")
        Path("a.md").write_text("# A\nx")
    finally:
        os.chdir(here)
    assert list(read_tree(tmp_path, memory=None).sources) == ["d/" * 200 + "a.md"]


def test_a_file_that_comes_and_goes_while_the_tree_is_read_stops_nobody(tmp_path):
    write_files(tmp_path, {f"en/a{number}.md": "# A\nx" for number in range(20)})
    flickering, done = tmp_path / "en/a5.md", threading.Event()

    def flicker() -> None:
        while not done.is_set():
            flickering.unlink()
            flickering.write_text("# A\nx")

    thread = threading.Thread(target=flicker)
    thread.start()
    try:
        for _ in range(150):
            tree = read_tree(tmp_path, memory=None)
            assert len(tree.sources) >= 19
            assert {(finding.code, finding.path) for finding in tree.findings} <= {
                ("KB102", "en/a5.md"), ("KB103", "en/a5.md"),
            }  # fmt: skip
    finally:
        done.set()
        thread.join()
