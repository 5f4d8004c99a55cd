"""What a folder had at a commit is what git says of each path; what does not concern a trail changes no answer.

What an older text says does not depend on which texts of the file were read before it.
"""

import os
import random
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from builders import read_content, write_files
from kbsync.history.blobs import Blobs
from kbsync.history.raw_log import every
from kbsync.history.repository import SURE_PERCENT, Repository
from kbsync.history.revisions import MANY, Folders, Then
from kbsync.history.trail import Text, Trail
from kbsync.markdown.outline import outline
from kbsync.plan.known import NEVER
from repo import Repo, a_repo, needs_git

from .test_raw_log import wander

pytestmark = needs_git

ODD_PATHS = ("", "/", "./x.md", "../content/x.md", "sub", "sub/", "sub//a.md", "sub/none.md", "x.md/y.md", "a\nb.md")
"""Paths that are none, that are folders, or that mean something else to git than they seem to."""


def a_history(folder, seed: int) -> Repo:
    """Commits of all kinds, with folders, a submodule and a file in the place of a folder."""
    repo = a_repo(folder)
    sub = folder / "content" / "sub"
    sub.mkdir(parents=True)
    for name in ("a.md", "b.md", "c.png", "d.md"):
        (sub / name).write_text(name * 30)
    (folder / "content" / "x.md").write_text("X\n" * 30)
    commit = repo.commit()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},content/sub/module")
    repo.git("commit", "--quiet", "--message", "module")
    wander(repo, random.Random(seed), 15)
    if sub.exists():
        for path in sub.iterdir():
            path.unlink() if path.is_file() else path.rmdir()
        sub.rmdir()
    sub.write_text("a file")
    repo.commit()
    return repo


@pytest.mark.parametrize("seed", range(3))
def test_what_a_folder_had_at_any_commit_is_what_git_says_of_each_path(tmp_path, seed):
    repo = a_history(tmp_path, seed)
    repository = Repository(tmp_path / "content")
    commits = [*repo.git("rev-list", "HEAD").split(), "HEAD", "HEAD^1", "no-such-commit"]
    names = repository.git.ask("log", "--all", "--format=", "--name-only", "-z").split(b"\0")
    paths = sorted({os.fsdecode(name).removeprefix("content/") for name in names})
    places = list(product(commits, [*paths, *ODD_PATHS]))
    with closing(Blobs(repository)) as blobs:
        one_by_one = blobs.read(repository.at(*place) for place in places)
        folders = Folders(repository, blobs)
        found = folders.find(places)
        again = folders.find(reversed(places))
    assert again == found
    expected = {place: blob.oid if (blob := one_by_one.get(repository.at(*place))) else "" for place in places}
    # Of a folder that was not there, git is asked about each path.
    assert found == {place: expected[place] for place in found}
    assert {place for place, oid in expected.items() if oid} - found.keys() <= {
        (commit, path) for commit, path in places if path.startswith(("./", "../"))
    }


def test_few_paths_of_a_folder_are_left_to_git(tmp_path):
    a_history(tmp_path, 0)
    repository = Repository(tmp_path / "content")
    with closing(Blobs(repository)) as blobs:
        folders = Folders(repository, blobs)
        assert folders.find([("HEAD~1", f"sub/{name}.md") for name in "ab"][: MANY - 1]) == {}
        assert blobs.asked == 0


@pytest.mark.parametrize("root", ["content", "content\r"])
def test_a_carriage_return_that_ends_a_name_is_part_of_it(tmp_path, root):
    repo = a_repo(tmp_path)
    for folder in ("content/sub", "content/sub\r", root, f"{root}/sub"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name in "abc":
            (tmp_path / folder / f"{name}.md").write_text(f"{folder!r}, {name}")
    repo.commit()
    repository = Repository(tmp_path / root)
    places = [("HEAD", f"{folder}{name}.md") for folder in ("", "sub/", "sub\r/") for name in "abc"]
    with closing(Blobs(repository)) as blobs:
        # Git would drop it at the end of a request.
        assert blobs.read([repository.at("HEAD", "a.md\r"), repository.at("HEAD", "sub\r")]) == {}
        one_by_one = {place: blobs.read([repository.at(*place)])[repository.at(*place)] for place in places}
        found = Folders(repository, blobs).find(places)
        assert found == {place: blob.oid if (blob := one_by_one[place]) else "" for place in found}


def texts_of(repository: Repository, *, matters, today: frozenset[str], everything: bool) -> list[Text]:
    """What a trail finds: in all that git lists, or in what it says that concerns it."""
    trail = Trail(matters, today.__contains__, lambda entry: entry.percent >= SURE_PERCENT)
    keep = every if everything else trail.concerns
    return [text for commit in repository.log(keep=keep) for text in trail.follow(commit)]


@pytest.mark.parametrize("seed", range(6))
def test_what_does_not_concern_a_trail_may_be_left_out(tmp_path, seed):
    a_history(tmp_path, seed)
    repository = Repository(tmp_path / "content")
    today = frozenset(path.name for path in (tmp_path / "content").glob("*.md"))
    some = frozenset(sorted(today)[::2])
    for matters in (some.__contains__, lambda path: path in some or path not in today, lambda path: path not in today):
        whole = texts_of(repository, matters=matters, today=today, everything=True)
        assert texts_of(repository, matters=matters, today=today, everything=False) == whole


PIECES = (
    b"---",
    b"---\n",
    b"---\r\n",
    b"---\r",
    b"--- \n",
    b"...\n",
    b"\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"title: X\n",
    b"title: X\r\n",
    b"slug: x\n",
    b"# X\n",
    b"text\n",
    b"\xff",
)
HEADS = (b"", b"---\ntitle: X\n", b"---\ntitle: X\n---", b"---\ntitle: X\n---\n", b"---\r\ntitle: X\r\n---\r")
TEXTS = st.builds(bytes.__add__, st.sampled_from(HEADS), st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join))


@pytest.fixture
def root(tmp_path) -> Path:
    write_files(tmp_path / "content", {"en/a/_category.md": "---\nname: A\n---\n", "en/a/x.md": "# X\n"})
    a_repo(tmp_path).commit()
    return tmp_path / "content"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(texts=[b"---\rtitle: X\r---\rtext\n", b"---\rtitle: X\r---\r\ntext\n"])
@example(texts=[b"---\ntitle: X\n", b"---\ntitle: X\n---\nslug: x\n"])
@given(texts=st.lists(TEXTS, min_size=2, max_size=6))
def test_what_an_older_text_says_does_not_depend_on_those_before_it(root, texts):
    compiler, repository = read_content(root).compiler, Repository(root)
    with closing(Blobs(repository)) as blobs:

        def a_reader() -> Then:
            return Then(compiler, repository, blobs)

        def said(then: Then, number: int, data: bytes) -> object:
            text = Text("en/a/x.md", "en/a/x.md", f"{number:040x}", "HEAD", NEVER)
            identity = then.identify(text.name, text.oid, data)
            return identity, then.read(text, data, {"slug"}, ()), then.read(text, data, {"content"}, {outline("text")})

        one = a_reader()
        for number, data in enumerate(texts, 1):
            assert said(one, number, data) == said(a_reader(), number, data)
