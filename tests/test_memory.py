"""The memory is never needed: whatever is wrong with it, what it lacks is made again."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import somebody_else
from kbsync import memory as memory_module
from kbsync.memory import Kind, Memory
from kept import knows
from patience import eventually


class Thing(msgspec.Struct, frozen=True, array_like=True):
    name: str
    number: int = 0


THINGS: Kind[Thing] = Kind("thing", Thing)
WORDS: Kind[list[str]] = Kind("word", list[str])
ONE = Thing("one", 1)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / ".kbsync")


def test_what_was_kept_comes_back_by_kind_and_key(memory):
    assert memory.get(THINGS) is None and memory.all(THINGS) == {}
    odd = os.fsdecode(b"en/caf\xe9.md")
    memory.put(THINGS, {"": ONE, "é": Thing("two"), odd: Thing("three")})
    memory.put(WORDS, {"": ["a"]})
    assert (memory.get(THINGS), memory.get(THINGS, "é"), memory.get(THINGS, "x")) == (ONE, Thing("two"), None)
    assert memory.all(THINGS) == {"": ONE, "é": Thing("two"), odd: Thing("three")}
    memory.put(THINGS, {"é": Thing("new")}, gone=["", "never there"])
    assert memory.all(THINGS) == {"é": Thing("new"), odd: Thing("three")} and memory.get(WORDS) == ["a"]


def test_the_folder_is_its_owners_alone_and_what_was_kept_before_goes(memory):
    former = memory.path.parent / "cache"
    (former / "pulled-images").mkdir(parents=True)
    (former / "scan.cache").write_bytes(b"kbsync.scan/29")
    memory.put(THINGS, {"": ONE})
    assert [path.name for path in former.iterdir()] == ["pulled-images"]
    assert memory.path.parent.stat().st_mode & 0o077 == 0


def test_what_another_source_made_is_of_another_kind_and_goes_once_this_one_is_written(memory, monkeypatch):
    memory.put(THINGS, {"": ONE})
    memory.put(WORDS, {"": ["a"]})
    monkeypatch.setattr(memory_module, "_source_digest", lambda: "another")
    things: Kind[Thing] = Kind("thing", Thing)
    assert memory.get(things) is None
    memory.put(things, {"x": ONE})
    with closing(sqlite3.connect(memory.path)) as db:
        assert sorted(kind.split()[0] for (kind,) in db.execute("SELECT kind FROM kept")) == ["thing", "word"]


def test_every_byte_of_the_source_counts(tmp_path, monkeypatch):
    """A copy of the package with one more line is another one, wherever that line is."""
    copy = tmp_path / "kbsync"
    source = Path(memory_module.__file__)
    shutil.copytree(source.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    digests = []
    monkeypatch.setattr(memory_module, "__file__", str(copy / "memory.py"))
    for path in (None, copy / "lint" / "links.py", copy / "fields.py"):
        if path is not None:
            path.write_text(path.read_text("utf-8") + "#\n", "utf-8")
        digests.append(memory_module._source_digest.__wrapped__())
    assert len(set(digests)) == 3 and digests[0] == memory_module._source_digest()


def test_a_value_of_another_type_is_not_there(memory):
    memory.put(THINGS, {"": ONE})
    assert memory.get(Kind("thing", dict[str, int])) is None


def replaced(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def busy(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    return db


HARM: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": replaced(b""),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:700]),
    "no database": replaced(b"kbsync.scan/29 and more" * 500),
    "another table": lambda path: (path.unlink(), sqlite3.connect(path).execute("CREATE TABLE kept (x)")),
    "a view": lambda path: (
        path.unlink(),
        sqlite3.connect(path).execute("CREATE VIEW kept AS SELECT 'a' AS kind, 'b' AS key, zeroblob(9) AS value"),
    ),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link": lambda path: path.symlink_to(path.replace(path.with_name("there"))),
    "endless": lambda path: os.truncate(path, 3 * 10**9),
    "another command writes": busy,
}


@pytest.mark.parametrize("harm", HARM)
def test_whatever_is_wrong_with_the_file_nothing_is_known_and_nothing_fails(memory, harm):
    memory.put(THINGS, {"": ONE})
    held = HARM[harm](memory.path)
    assert memory.get(THINGS) is None and memory.all(THINGS) == {}
    memory.put(THINGS, {"": ONE})
    assert memory.get(THINGS) in (ONE, None)
    del held


@pytest.mark.parametrize("harm", ["gone", "empty", "cut off", "no database", "endless", "another table", "a view"])
def test_a_damaged_file_is_made_anew(memory, harm):
    memory.put(THINGS, {"": ONE})
    HARM[harm](memory.path)
    memory.put(THINGS, {"": ONE})
    assert memory.get(THINGS) == ONE


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_flipped_bit_changes_nothing_that_is_read(tmp_path, data):
    good, bad = Memory(tmp_path / "good"), Memory(tmp_path / "bad")
    if not good.path.exists():
        good.put(THINGS, {f"en/{number}.md": Thing("Title", number) for number in range(30)})
        bad.path.parent.mkdir()
    content = bytearray(good.path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    bad.path.write_bytes(content)
    assert all(value == Thing("Title", int(key[3:-3])) for key, value in bad.all(THINGS).items())


def test_a_folder_that_cannot_be_written_costs_time_and_nothing_else(memory, tmp_path):
    memory.put(THINGS, {"": ONE})
    with somebody_else():
        Memory(tmp_path / "no").put(THINGS, {"": ONE})
        memory.put(THINGS, {"": Thing("two")})
    assert memory.get(THINGS) == ONE
    (tmp_path / "file").write_text("a file where the folder would be")
    Memory(tmp_path / "file").put(THINGS, {"": ONE})
    assert Memory(tmp_path / "file").get(THINGS) is None


def test_an_error_of_the_values_is_no_reason_to_forget_all(memory):
    memory.put(THINGS, {"": ONE})
    with pytest.raises(TypeError):
        memory.put(Kind("word", object), {"": object()})
    assert memory.get(THINGS) == ONE


def test_a_changed_rule_is_seen_at_once_where_everything_else_is_as_it_was(tmp_path):
    """As for somebody whose first change of kbsync is a rule, a field or a word."""
    copy, project = tmp_path / "kbsync", tmp_path / "project"
    shutil.copytree(Path(memory_module.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    page = project / "content/en/billing/refunds.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\ntitle: Refunds\n---\n[a](gone.md)\n")
    (project / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n')
    ago_ns = page.stat().st_mtime_ns - 10**10
    os.utime(page, ns=(ago_ns, ago_ns))

    def lint() -> str:
        environ = os.environ | {"PYTHONPATH": str(tmp_path), "COLUMNS": "200"}
        words = [sys.executable, "-m", "kbsync", "lint"]
        return subprocess.run(words, cwd=project, env=environ, capture_output=True, text=True, check=False).stdout

    eventually(lambda: "does not exist" in lint() and knows(project, "lint"), "the findings are kept")
    rule = copy / "lint" / "links.py"
    rule.write_text(rule.read_text("utf-8").replace("does not exist", "cannot be found"), "utf-8")
    assert "en/billing/gone.md cannot be found" in lint()
