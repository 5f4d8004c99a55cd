"""What git lists of commits, read as it is."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbsync.history.raw_log import Commit, Entry, every, read_commits
from kbsync.history.repository import LOG, RENAMES, Repository
from repo import Repo, a_repo, needs_git

ODD = (b"\xff.md", b":100644 100644 x.md", b"\2abc 1.md", b"a\nb.md", b"\n.md", b" .md", b"R100.md", "é.md".encode())
"""Names that look like something else in what git prints, or are not text at all."""


class Line(NamedTuple):
    """A changed file as git prints it."""

    modes: tuple[str, str]
    oids: tuple[str, str]
    old_name: str
    name: str
    percent: int

    def text(self, prefix: str) -> str:
        """The line, with the names that follow it."""
        is_rename = self.old_name != self.name
        names = [self.old_name, self.name] if is_rename else [self.name]
        head = f":{self.modes[0]} {self.modes[1]} {self.oids[0]} {self.oids[1]} "
        return "\0".join([head + (f"R{self.percent:03}" if is_rename else "M"), *(prefix + name for name in names)])

    def entry(self) -> Entry:
        """What is to be read from it."""
        regular = [oid if mode in ("100644", "100755") else "" for mode, oid in zip(self.modes, self.oids, strict=True)]
        return Entry(self.old_name, self.name, *regular, self.percent)


def ids(digits: int) -> st.SearchStrategy[str]:
    return st.integers(1, 16**digits - 1).map(lambda number: f"{number:0{digits}x}")


@st.composite
def lines(draw: st.DrawFn, digits: int) -> Line:
    modes = st.sampled_from(["100644", "100644", "100755", "120000", "160000", "000000"])
    names = st.sampled_from([*(name.decode("utf-8", "surrogateescape") for name in ODD), "en/x.md", "en/y.md", "z.png"])
    both = draw(modes), draw(modes)
    oids = tuple("0" * digits if mode == "000000" else draw(ids(digits)) for mode in both)
    old_name, name = draw(names), draw(names)
    return Line(both, oids, old_name, name, 100 if old_name == name else draw(st.integers(50, 100)))


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[tuple[str, int, tuple[str, ...], list[Line]]]]:
    digits, prefix = draw(st.sampled_from([40, 64])), draw(st.sampled_from(["", "content/"]))
    found = draw(st.lists(ids(digits), max_size=4, unique=True))
    commits = []
    for number, commit in enumerate(found):
        commits.append((commit, 100 - number, tuple(found[number + 1 : number + 2]), draw(st.lists(lines(digits)))))
    return prefix, commits


@given(histories(), st.sampled_from([every, lambda name: name.startswith("en/"), lambda name: False]))
def test_every_commit_that_git_may_print_is_read_as_it_is(history, keep):
    prefix, commits = history
    texts = [
        "\0".join([f"\2{commit} {time_s} {' '.join(parents)}", *(line.text(prefix) for line in changed)])
        for commit, time_s, parents, changed in commits
    ]
    tokens = "\0".join(texts).split("\0") if texts else []

    def is_read(line: Line) -> bool:
        is_source = line.name.endswith(".md") or line.old_name.endswith(".md")
        return is_source and (line.name != line.old_name or keep(line.name))

    expected = [
        Commit(commit, time_s, parents, tuple(line.entry() for line in changed if is_read(line)))
        for commit, time_s, parents, changed in commits
    ]
    assert list(read_commits(iter(tokens), prefix, keep)) == expected


def wander(repo: Repo, rng: random.Random, steps: int) -> None:
    """Commits of all kinds: new files, edits, renames, deletions, links, rights, merges, under any name."""
    folder = repo.folder / "content"
    for number in range(steps):
        folder.mkdir(exist_ok=True)
        there = sorted(folder.glob("*.md"))
        path = rng.choice(there) if there else folder / "x.md"
        kind = rng.choice(["new", "new", "edit", "rename", "delete", "link", "rights", "merge"]) if there else "new"
        if kind == "new":
            name = os.fsdecode(rng.choice([*ODD, b"%d.md" % number]))
            write(folder / name, f"{number}\n" * 30)
        elif kind == "edit":
            write(path, f"{number}\n" + "X\n" * 30)
        elif kind == "rename":
            path.replace(folder / f"r{number}.md")
        elif kind in ("delete", "link"):
            path.unlink()
            if kind == "link":
                path.symlink_to("x")
        elif kind == "rights" and not path.is_symlink():
            path.chmod(0o755)
        elif kind == "merge" and number > 2:
            repo.git("switch", "--quiet", "--create", f"b{number}", "HEAD~1")
            folder.mkdir(exist_ok=True)
            write(folder / f"side{number}.md", f"{number}\n")
            repo.commit()
            repo.git("switch", "--quiet", "main")
            repo.git("merge", "--quiet", "--no-edit", f"b{number}")
        repo.commit()


def write(path: Path, text: str) -> None:
    """Write a file, also where a link is."""
    path.unlink(missing_ok=True)
    path.write_text(text)


def one_by_one(repository: Repository) -> list[Commit]:
    """The log, each line on its own, as slowly and plainly as it can be read."""
    out = repository.git.ask("log", "HEAD", *LOG, *RENAMES, "--", ".").decode("utf-8", "surrogateescape")
    commits: list[Commit] = []
    tokens = iter(out.split("\0"))
    prefix = repository.prefix.decode()
    for token in tokens:
        line = token.lstrip("\n")
        if line.startswith("\2"):
            commit, time_s, *parents = line[1:].split()
            commits.append(Commit(commit, int(time_s), tuple(parents), ()))
        elif line:
            old_mode, mode, old_oid, oid, status = line[1:].split(" ")
            old_name = name = next(tokens).removeprefix(prefix)
            if status.startswith("R"):
                name = next(tokens).removeprefix(prefix)
            both = [oid if mode.startswith("100") else "" for mode, oid in ((old_mode, old_oid), (mode, oid))]
            entry = Entry(old_name, name, *both, int(status[1:] or 100))
            if name.endswith(".md") or old_name.endswith(".md"):
                commits[-1] = commits[-1]._replace(entries=(*commits[-1].entries, entry))
    return commits


@needs_git
@pytest.mark.parametrize("seed", range(6))
def test_a_history_with_renames_merges_and_odd_names_is_read_as_line_by_line(tmp_path, seed):
    repo = a_repo(tmp_path)
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "x.md").write_text("X\n" * 30)
    repo.commit()
    wander(repo, random.Random(seed), 25)
    repository = Repository(tmp_path / "content")
    expected = one_by_one(repository)
    assert len(expected) > 10
    assert list(repository.log()) == expected
    names = sorted({entry.name for commit in expected for entry in commit.entries})
    some: Callable[[str], bool] = frozenset(names[::2]).__contains__
    kept = [
        commit._replace(entries=tuple(e for e in commit.entries if e.is_rename or some(e.name))) for commit in expected
    ]
    assert list(repository.log(keep=some)) == kept
