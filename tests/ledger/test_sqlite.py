"""What only a file can be: old, new, damaged, somebody else's, cut off in the middle of a write."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from builders import somebody_else
from kbsync.errors import ConfigError, ExitCode, LedgerError
from kbsync.ledger import Ledger, ledger_exists, open_ledger
from kbsync.ledger.schema import MIGRATIONS, VERSION
from kbsync.ledger.sqlite import APPLICATION_ID, SqliteDatabase
from kbsync.ledger.values import Uploaded
from kbsync.markdown.uploaded import body_digest
from patience import GIVE_UP_S

from .makers import ANA, PORTAL, a_base, a_change, begin


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ledger.db"


def a_ledger_with_something_in_it(path: Path) -> None:
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        ledger.record(PORTAL, [a_base()])


def by_hand(path: Path, *statements: str, steps: int = 0) -> None:
    """What another program does with the file: so many steps of our schema, then these statements."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for step in MIGRATIONS[:steps]:
            connection.executescript(step)
        for statement in statements:
            connection.execute(statement)


def refused(path: Path) -> LedgerError:
    """The error of opening and using it; what lies there is left as it is."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(LedgerError) as told:
        Ledger(SqliteDatabase(path)).bases(PORTAL)
    assert told.value.exit_code == ExitCode.LEDGER
    assert str(path) in told.value.message
    assert told.value.hint
    assert (path.read_bytes() if path.is_file() else None) == before
    return told.value


def test_a_ledger_of_before_the_first_release_is_refused_and_its_way_out_works(path):
    by_hand(path, "CREATE TABLE item (target TEXT)", "PRAGMA application_id = 0x6B627379", "PRAGMA user_version = 11")
    error = refused(path)
    assert "before kbsync's first release" in error.message and "resolve" in error.message
    subprocess.run(["sh", "-c", error.hint.split("`")[1]], check=True)
    a_ledger_with_something_in_it(path)
    assert [one.name for one in (path.parent / "old-ledger").iterdir()] == [path.name]


def test_an_empty_file_becomes_a_ledger(path):
    path.touch()
    a_ledger_with_something_in_it(path)


def test_a_ledger_of_a_newer_kbsync_says_so(path):
    a_ledger_with_something_in_it(path)
    by_hand(path, "PRAGMA journal_mode = DELETE", f"PRAGMA user_version = {VERSION + 1}")
    error = refused(path)
    assert "newer kbsync" in error.message
    assert "Update kbsync" in error.hint


def test_a_file_that_is_no_database_is_not_overwritten(path):
    path.write_bytes(b"Dear diary, " * 200)
    assert "Move it away" in refused(path).hint


@pytest.mark.parametrize(
    "also", [[], ["PRAGMA application_id = 4711", "DROP TABLE diary"]], ids=["full", "still empty"]
)
def test_another_programs_database_is_not_written_to(path, also):
    by_hand(path, "CREATE TABLE diary (day TEXT)", *also)
    assert "not a ledger of kbsync" in refused(path).message


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9])
def test_a_ledger_that_was_cut_off_is_damaged_and_says_so(path, keep):
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        ledger.record(PORTAL, [a_base(f"s{number}", number) for number in range(500)])
    by_hand(path, "PRAGMA journal_mode = DELETE")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * keep)])
    assert "Move it away" in refused(path).hint


@pytest.mark.parametrize("size", [1, 512])
def test_a_ledger_with_garbage_in_it_is_a_ledger_error_or_as_good_as_before(path, size):
    a_ledger_with_something_in_it(path)
    by_hand(path, "PRAGMA journal_mode = DELETE")
    whole = path.read_bytes()
    for start in (0, *range(100, 8_192, 61)):
        path.write_bytes(whole[:start] + b"\xff" * size + whole[start + size :])
        try:
            with closing(Ledger(SqliteDatabase(path))) as ledger:
                assert ledger.bases(PORTAL) == [a_base()]
        except LedgerError as error:
            assert error.hint


@pytest.mark.parametrize(
    "damage",
    [
        "item SET remote_id = '{}'", "item SET remote_id = 'null'", "item SET remote_id = x'ff'",
        "item SET kind = 'folder'", "item SET slug = x'07'", "item SET path = x'00ff'",
        "item SET fields = '[]'", 'item SET fields = \'{"title": {"a": 1}}\'', "item SET fields = 5",
        "item SET status = 'gone'", "item SET kept = 'x'", "run SET started_at = 'yesterday'",
        "run SET started_at = 9e999", "run SET command = x'00'", "journal SET change = '{}'",
        "item SET fields = '{\"title\": '", "item SET fields = '{\"title\":'",
        "item SET kept = '['", "item SET overruled = '1'",
        "journal SET change = 1", "journal SET state = 'lost'", "journal SET remote_id = 'x'",
        "journal SET before = '1'", "journal SET kind = ''", "picture SET url = x'07'", "body SET body = x'ff'",
        "lock SET pid = 'x'", "lock SET pid = 99999999999999", "lock SET beat_at = -1",
    ],
)  # fmt: skip
def test_a_column_that_holds_something_else_is_damage_and_no_bug(path, damage):
    a_ledger_with_a_row_in_every_table(path)
    by_hand(path, f"UPDATE {damage}")
    with closing(Ledger(SqliteDatabase(path))) as ledger, pytest.raises(LedgerError) as caught:
        read_all(ledger)
    assert f"The ledger {path} cannot be used: one of its rows is damaged" in caught.value.message
    assert caught.value.hint.startswith("Move it away and run again")


def a_ledger_with_a_row_in_every_table(path: Path) -> None:
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        assert ledger.lock(PORTAL, ANA, now=1.0) is None
        begin(ledger, a_change())
        ledger.record(PORTAL, [a_base()])
        ledger.keep_image(PORTAL, "key", Uploaded("https://h/p.png", 1.0))
    by_hand(path, f"INSERT OR REPLACE INTO body VALUES ('{body_digest('Text')}', 'Text')")
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        read_all(ledger)


def read_all(ledger: Ledger) -> None:
    ledger.bases(PORTAL)
    ledger.images(PORTAL)
    for run in ledger.runs(PORTAL):
        assert ledger.entries(run.number)
        assert ledger.runners(run.number)
    assert ledger.pending(PORTAL)
    assert ledger.holder(PORTAL)
    assert ledger.text(body_digest("Text")) == "Text"


def test_the_schema_of_a_file_that_came_with_a_clone_calls_nothing(path):
    a_ledger_with_something_in_it(path)
    with closing(SqliteDatabase(path)) as database:
        assert database.ask("PRAGMA trusted_schema") == [(0,)]


@pytest.mark.parametrize(
    "made", ["VIEW v AS SELECT 1", "TRIGGER t AFTER UPDATE ON item BEGIN DELETE FROM journal; END"]
)
def test_a_ledger_with_views_or_triggers_is_refused(path, made):
    a_ledger_with_something_in_it(path)
    by_hand(path, f"CREATE {made}")
    assert "views, triggers or computed columns" in refused(path).message


def test_a_directory_is_no_ledger(path):
    path.mkdir()
    refused(path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    error = refused(tmp_path / "file" / "ledger.db")
    assert "cannot be created" in error.message


def test_a_read_only_folder_is_told():
    # Not below tmp_path: pytest's folders are closed to everybody else.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        with somebody_else():
            error = refused(Path(folder) / "ledger.db")
    assert "permissions" in error.hint


@contextmanager
def a_read_only_copy(path: Path) -> Iterator[Path]:
    """A ledger and the files beside it, as they are now, where nothing can be written."""
    # Not below tmp_path: pytest's folders are closed to everybody else.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in path.parent.glob(f"{path.name}*"):
            if not file.name.endswith("-shm"):
                folder.joinpath(file.name).write_bytes(file.read_bytes())
        folder.chmod(0o555)
        with somebody_else():
            yield folder / path.name
        folder.chmod(0o755)


def test_a_ledger_where_nothing_can_be_written_is_read(path):
    a_ledger_with_something_in_it(path)
    with a_read_only_copy(path) as copy, closing(Ledger(SqliteDatabase(copy, looking=True))) as ledger:
        assert ledger.bases(PORTAL) == [a_base()]


@pytest.mark.parametrize("version", [0, VERSION - 2])
def test_an_older_ledger_where_nothing_can_be_written_is_no_damaged_one(path, version):
    marks = f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {version}"
    by_hand(path, *(marks if version else ()), steps=version)
    with a_read_only_copy(path) as copy, pytest.raises(LedgerError) as told:
        Ledger(SqliteDatabase(copy, looking=True)).bases(PORTAL)
    assert "permissions" in told.value.hint


def test_what_a_killed_push_left_beside_the_ledger_is_not_left_out_where_nothing_can_be_written(path):
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        # Copied before the end of the last connection, which moves everything into the file.
        ledger.record(PORTAL, [a_base()])
        with a_read_only_copy(path) as copy, pytest.raises(LedgerError) as told:
            Ledger(SqliteDatabase(copy, looking=True)).bases(PORTAL)
    assert "permissions" in told.value.hint


def test_looking_whether_there_is_a_ledger_makes_none(tmp_path):
    assert not ledger_exists("sqlite:.kbsync/ledger.db", folder=tmp_path)
    open_ledger("sqlite:.kbsync/ledger.db", folder=tmp_path).close()
    assert ledger_exists("sqlite:.kbsync/ledger.db", folder=tmp_path)


@pytest.mark.parametrize("url", ["", "sqlite:", "mysql://x", "ledger.db"])
def test_an_address_that_is_none_is_a_matter_of_configuration(tmp_path, url):
    with pytest.raises(ConfigError):
        open_ledger(url, folder=tmp_path)


KILLED = """
import os, signal, sys
from pathlib import Path
from kbsync.ledger.values import EntryResult, Turn
from kbsync.ledger import Ledger
from kbsync.ledger.sqlite import SqliteDatabase
from ledger.makers import ANA, PORTAL, a_base, a_change, begin

ledger = Ledger(SqliteDatabase(Path(sys.argv[1])))
(entry,) = begin(ledger, a_change())

class Killing(dict):
    def __iter__(self):
        os.kill(os.getpid(), signal.SIGKILL)

ledger.turn(PORTAL, 1, ANA, Turn([EntryResult(entry, "done", a_base())], Killing()), now=2.0)
"""


def test_a_process_killed_between_begin_and_commit_leaves_the_state_before(path):
    tests = str(Path(__file__).parent.parent)
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], env=environ, check=False, timeout=GIVE_UP_S)
    assert done.returncode == -signal.SIGKILL
    with closing(Ledger(SqliteDatabase(path))) as ledger:
        assert ledger.bases(PORTAL) == []
        assert [entry.slug for entry in ledger.pending(PORTAL)] == ["x"]
        ledger.record(PORTAL, [a_base()])
        assert ledger.begin_run(PORTAL, command="push", now=3.0) == 2


OPENING = """
import sys
from pathlib import Path
from kbsync.ledger import Ledger
from kbsync.ledger.sqlite import SqliteDatabase

for line in sys.stdin:
    ledger = Ledger(SqliteDatabase(Path(line.rstrip())))
    ledger.begin_run(sys.argv[1], command="push", now=1.0)
    ledger.close()
    print("done", flush=True)
"""


def test_processes_that_make_one_ledger_at_once_do_not_stand_in_each_others_way(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    openers = [subprocess.Popen([sys.executable, "-c", OPENING, str(n)], bufsize=1, **pipes) for n in range(4)]
    for turn in range(8):
        path = tmp_path / f"{turn}.db"
        for opener in openers:
            opener.stdin.write(f"{path}\n")
        told = [opener.stdout.readline() for opener in openers]
        assert told == ["done\n"] * 4, [opener.communicate(timeout=GIVE_UP_S)[1] for opener in openers]
        with closing(Ledger(SqliteDatabase(path))) as ledger:
            assert sum(len(ledger.runs(str(n))) for n in range(4)) == 4
    for opener in openers:
        opener.communicate(timeout=GIVE_UP_S)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_new_ledger_is_its_owners_alone_and_one_that_is_there_keeps_its_permissions(tmp_path):
    path = tmp_path / "shared" / "ledger.db"
    before = os.umask(0o022)
    try:
        with closing(Ledger(SqliteDatabase(path))) as ledger:
            ledger.record(PORTAL, [a_base()])
            files = sorted(path.parent.iterdir())
            assert [file.name for file in files] == ["ledger.db", "ledger.db-shm", "ledger.db-wal"]
            assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        path.chmod(0o660)
        with closing(Ledger(SqliteDatabase(path))) as ledger:
            ledger.record(PORTAL, [a_base()])
            assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o660}
    finally:
        os.umask(before)


class InterruptedAfter(SqliteDatabase):
    """A ledger whose user presses Ctrl-C during one statement: Python answers when SQLite is done with it."""

    statement = ""

    def run(self, query, row=()):
        touched = super().run(query, row)
        if query == self.statement:
            self.statement = ""
            raise KeyboardInterrupt
        return touched


@pytest.mark.parametrize(("statement", "recorded"), [("BEGIN IMMEDIATE", 0), ("COMMIT", 1)])
def test_after_ctrl_c_at_either_end_of_a_transaction_the_ledger_can_be_used(path, statement, recorded):
    with closing(Ledger(InterruptedAfter(path))) as ledger:
        ledger.db.statement = statement
        with pytest.raises(KeyboardInterrupt):
            ledger.record(PORTAL, [a_base()])
        assert len(ledger.bases(PORTAL)) == recorded
        ledger.record(PORTAL, [a_base()])
        assert len(ledger.bases(PORTAL)) == 1


class FullAtTheEnd(SqliteDatabase):
    """A ledger on a disk that is full when a transaction is to be written."""

    def run(self, query, row=()):
        if query == "COMMIT":
            raise LedgerError("The disk is full.")
        return super().run(query, row)


def test_what_could_not_be_committed_is_taken_back(path):
    with closing(Ledger(SqliteDatabase(path))) as made, closing(Ledger(FullAtTheEnd(path))) as full:
        for _ in range(2):
            with pytest.raises(LedgerError, match="The disk is full"):
                full.record(PORTAL, [a_base()])
        made.record(PORTAL, [a_base()])
        assert len(full.bases(PORTAL)) == 1
