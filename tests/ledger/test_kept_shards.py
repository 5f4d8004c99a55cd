"""A clone with the cache of a former one takes from it what a commit has alike, and knows the same as one without."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from kbsync.errors import LedgerError
from kbsync.ledger import shards
from kbsync.ledger.git_ledger import GitLedger, ref_of
from kbsync.ledger.ledger import Ledger
from kbsync.ledger.replica import KEPT, load_shards, store_shards
from kbsync.ledger.shards import NAMES, Shard, from_files, to_files
from kbsync.ledger.sqlite import SqliteDatabase
from kbsync.ledger.tracked import decoded, encoded, fingerprint
from kbsync.memory import NAME, Memory
from kbsync.model import Base
from repo import needs_git

from .makers import PORTAL, TARGET, a_base, a_clone, a_remote, git, git_ledger

BILLING, SEARCH, USERS = (f"items/en/{name}.jsonl" for name in ("billing", "search", "users"))
OIDS = {BILLING: "a" * 40, SEARCH: "b" * 40}
KNOWN = {BILLING: Shard([["x", 7, 1.5, None]], b"1" * 16), SEARCH: Shard([], b"2" * 16)}


def article(number: int, category: str, title: str = "Title") -> Base:
    fields = {"title": title, "category": category}
    return a_base(f"a-{number}", number, path=f"en/{category}/a-{number}.md", fields=fields)


def send(ledger: GitLedger, *bases: Base) -> None:
    ledger.record(PORTAL, bases)
    ledger.send("Decisions")


@pytest.fixture
def remote(tmp_path) -> Path:
    """A remote whose ledger has thirty articles in one category and one in each of two others."""
    found = a_remote(tmp_path / "remote.git")
    with closing(git_ledger(a_clone(found, tmp_path / "first"))) as ledger:
        billing = (article(number, "billing") for number in range(1, 31))
        send(ledger, *billing, article(31, "search"), article(32, "users"))
    return found


@pytest.fixture
def parsed(monkeypatch) -> list[str]:
    """The tables of the files that are parsed."""
    found: list[str] = []

    def rows_of(table, content, target, **given):
        found.append(table)
        return original(table, content, target, **given)

    original = shards.rows_of
    monkeypatch.setattr(shards, "rows_of", rows_of)
    return found


def tables_in(remote: Path, folder: Path, cache_of: Path | None = None):
    """What a new clone has, with the cache of another one."""
    clone = a_clone(remote, folder)
    if cache_of:
        (clone / ".kbsync").mkdir()
        shutil.copy(cache_of / ".kbsync" / NAME, clone / ".kbsync" / NAME)
    with closing(git_ledger(clone)) as ledger:
        return ledger.dump()


@needs_git
def test_only_files_that_changed_are_parsed_and_all_rows_are_there(remote, tmp_path, parsed):
    tables_in(remote, tmp_path / "second")
    with closing(git_ledger(tmp_path / "first")) as ledger:
        send(ledger, article(31, "search", "New"), article(33, "billing"))
    del parsed[:]
    with_cache = tables_in(remote, tmp_path / "third", tmp_path / "second")
    assert len(parsed) == 2
    assert with_cache == tables_in(remote, tmp_path / "fourth")
    assert len(parsed) == 2 + 3 and len(with_cache["item"]) == 33


@needs_git
def test_a_clone_that_has_the_ledger_already_parses_only_what_others_changed(remote, tmp_path, parsed):
    second = tmp_path / "second"
    tables_in(remote, second)
    with closing(git_ledger(tmp_path / "first")) as ledger:
        send(ledger, article(32, "users", "New"))
    del parsed[:]
    with closing(git_ledger(second)) as ledger:
        assert {base.slug: base.fields["title"] for base in ledger.bases(PORTAL)}["a-32"] == "New"
    assert parsed == ["item"]


@needs_git
def test_the_cache_is_renewed_once_much_of_it_is_old(remote, tmp_path):
    second = tmp_path / "second"
    tables_in(remote, second)
    memory = Memory(second / ".kbsync")
    kept = memory.all(KEPT)
    for numbers, is_renewed in ((range(31, 32), False), (range(1, 31), True)):
        with closing(git_ledger(tmp_path / "first")) as ledger:
            send(ledger, *(article(number, "search", "New") for number in numbers))
        with closing(git_ledger(second)):
            assert (memory.all(KEPT) != kept) is is_renewed


@needs_git
def test_of_a_damaged_ledger_nothing_is_kept(remote, tmp_path):
    clone = a_clone(remote, tmp_path / "second")
    git(clone, "fetch", "--quiet", "origin", f"+{ref_of(TARGET)}:refs/heads/ledger")
    git(clone, "checkout", "--quiet", "ledger")
    line = (clone / USERS).read_text("utf-8")
    (clone / USERS).write_text(line.replace('"status":"draft"', '"status":"shouted"'), "utf-8")
    git(clone, "commit", "--quiet", "--all", "--message", "By hand")
    git(clone, "push", "--quiet", "origin", f"ledger:{ref_of(TARGET)}")
    for name in ("third", "fourth"):
        with pytest.raises(LedgerError, match="is damaged"):
            git_ledger(a_clone(remote, tmp_path / name))
        assert not Memory(tmp_path / name / ".kbsync").all(KEPT)


def test_what_is_kept_comes_back_as_it_was_and_that_of_another_ledger_or_portal_is_not_taken(tmp_path):
    memory = Memory(tmp_path)
    assert load_shards(memory, "a", PORTAL, OIDS) == {}
    store_shards(memory, "a", PORTAL, KNOWN, OIDS)
    assert load_shards(memory, "a", PORTAL, OIDS) == KNOWN
    others = {BILLING: "c" * 40, SEARCH: "b" * 40, USERS: "a" * 40}
    assert load_shards(memory, "a", PORTAL, others) == {SEARCH: KNOWN[SEARCH]}
    assert load_shards(memory, "b", PORTAL, OIDS) == load_shards(memory, "a", "another", OIDS) == {}


# --- a file is made again only if its rows are not those that it has -------------------------------------------------


KEY = TARGET.key
HERE, THERE = "items/en/billing.jsonl", "items/en/search.jsonl"


def tables(folder: Path, *bases: Base):
    """A ledger with these rows, as they are read from its file."""
    with closing(Ledger(SqliteDatabase(folder / f"{len(list(folder.iterdir()))}.db"))) as ledger:
        ledger.record(KEY, bases)
        return ledger.dump()


@pytest.fixture
def before(tmp_path):
    """The rows of three articles, as they are read from a commit."""
    made = tables(tmp_path, article(1, "billing"), article(2, "billing"), article(3, "search"))
    return from_files(to_files(made, KEY, None).files, KEY, "origin ref").tables


def fingerprints_of(files):
    return from_files(files, KEY, "origin ref").fingerprints


def test_files_whose_rows_are_the_same_are_not_made_again(before):
    files = to_files(before, KEY, None).files
    again = to_files(before, KEY, None, fingerprints_of(files))
    assert {HERE, THERE} <= files.keys() and again.same == {HERE, THERE}
    assert again.files.keys() == files.keys() - {HERE, THERE}


def test_their_order_does_not_matter(before):
    rows = before["item"]
    assert fingerprint(rows) == fingerprint(rows[::-1]) != fingerprint(rows[1:])


def test_a_row_that_changed_makes_its_file_again_and_no_other(before):
    there = fingerprints_of(to_files(before, KEY, None).files)
    touched = dict(zip(NAMES["item"], before["item"][0], strict=True)) | {"touched_s": 99}
    now = {**before, "item": [[*touched.values()], *before["item"][1:]]}
    made = to_files(now, KEY, None, there)
    assert HERE in made.files and made.same == {THERE}
    assert made.files[HERE] == to_files(now, KEY, None).files[HERE]


def test_a_file_that_was_written_from_other_rows_of_the_same_meaning_is_as_it_was(tmp_path, before):
    made = tables(tmp_path, article(1, "billing"), article(2, "billing"), article(3, "search"))
    assert made["item"] != before["item"]  # The keys of their fields are in another order.
    assert to_files(made, KEY, None).files == to_files(before, KEY, None).files


def test_a_row_in_the_wrong_file_makes_both_again(before):
    files = to_files(before, KEY, None).files
    misplaced = {**files, HERE: b"".join(files[HERE].splitlines(keepends=True)[:1])}
    misplaced[THERE] = files[THERE] + b"".join(files[HERE].splitlines(keepends=True)[1:])
    made = to_files(before, KEY, None, fingerprints_of(misplaced))
    assert made.same == frozenset() and made.files == files


def test_fingerprints_of_another_commit_or_damaged_ones_are_of_no_use():
    kept = encoded("a" * 40, {HERE: b"1" * 16})
    assert decoded(kept, "a" * 40) == {HERE: b"1" * 16}
    assert decoded(kept, "b" * 40) == decoded(kept[:-1], "a" * 40) == decoded(b"", "a" * 40) == {}
