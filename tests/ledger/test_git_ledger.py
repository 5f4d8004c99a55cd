"""The ledger in git, whatever becomes of its remote, of the answers, of the clock and of who else is at work."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kbsync.errors import ConfigError, LeaseLost, LedgerError
from kbsync.ledger import Ledger
from kbsync.ledger.git_ledger import CHECKPOINT_S, FENCE_S, GitLedger, open_git_ledger, ref_of
from kbsync.ledger.remote import RemoteRef
from kbsync.ledger.shards import KEPT_RUNS
from kbsync.ledger.values import EntryResult, Turn
from repo import needs_git

from .makers import (
    ANA,
    BEN,
    PORTAL,
    TARGET,
    a_base,
    a_change,
    a_clone,
    a_program,
    a_remote,
    begin,
    found_first,
    git,
    git_ledger,
)

pytestmark = needs_git

REF = ref_of(TARGET)
NOW = time.time()
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

WRAPPER = """
for word in "$@"; do [ "$word" = push ] && pushes=yes; [ "$word" = ls-remote ] && asks=yes; done
[ "$asks" = yes ] && [ -f '{deaf}' ] && {{ rm '{deaf}'; exit 1; }}
'{git}' "$@"
code=$?
[ "$pushes" = yes ] && [ -f '{flag}' ] && {{ {then}; exit 1; }}
exit $code
"""


@pytest.fixture
def there(tmp_path, remote) -> Path:
    return a_clone(remote, tmp_path / "there")


@pytest.fixture
def ledger(here) -> Iterator[GitLedger]:
    with closing(git_ledger(here)) as found:
        yield found


def tip(remote: Path) -> str:
    return git(remote, "for-each-ref", "--format=%(objectname)", REF)


def subjects(remote: Path) -> list[str]:
    """What was committed, newest first."""
    return git(remote, "log", "--format=%s", REF).splitlines()


def files(remote: Path) -> set[str]:
    return set(git(remote, "ls-tree", "-r", "--name-only", REF).splitlines())


def began(ledger: GitLedger, *slugs: str, owner=ANA, now: float = NOW) -> tuple[int, list[int]]:
    """A run with the lock, whose intents the remote has."""
    assert ledger.lock(PORTAL, owner, now=now) is None
    run = ledger.begin_run(PORTAL, command="push", now=now, owner=owner)
    return run, ledger.offer(PORTAL, run, [(1, a_change(slug=slug)) for slug in slugs])


def finish(ledger: GitLedger, run: int, entries: list[int], *, owner=ANA) -> None:
    """All of it done."""
    ledger.turn(PORTAL, run, owner, Turn(phase=1, most=len(entries)), now=NOW)
    done = [EntryResult(entry, "done", a_base(f"s{entry}", entry), remote_id=entry) for entry in entries]
    ledger.turn(PORTAL, run, owner, Turn(done), now=NOW)
    ledger.leave(PORTAL, run, owner, now=NOW)
    ledger.end_run(run, outcome="done", now=NOW)
    ledger.unlock(PORTAL, owner)


def in_a_new_clone(remote: Path, folder: Path) -> GitLedger:
    return git_ledger(a_clone(remote, folder))


def test_the_version_of_the_service_is_in_the_file_of_a_run_and_another_clone_reads_it(ledger, remote, tmp_path):
    assert ledger.lock(PORTAL, ANA, now=NOW) is None
    run = ledger.begin_run(PORTAL, command="push", now=NOW, owner=ANA, version="4.16.2")
    finish(ledger, run, ledger.offer(PORTAL, run, [(1, a_change(slug="x"))]))
    other = in_a_new_clone(remote, tmp_path / "other")
    assert [found.version for found in other.runs(PORTAL)] == ["4.16.2"]
    other.close()


# --- a remote that does not take it ----------------------------------------------------------------------------------


def test_where_the_server_refuses_the_ref_nothing_is_begun_and_the_next_run_can(ledger, remote):
    refusing = a_program(remote / "hooks/pre-receive", "echo protected >&2; exit 1")
    with pytest.raises(LedgerError, match="Nothing was sent to the portal") as caught:
        began(ledger, "x")
    assert "cannot be used: protected. Nothing was sent" in caught.value.message
    assert "Allow pushes to refs/kbsync/*" in caught.value.hint
    ledger.unlock(PORTAL, ANA)
    assert ledger.pending(PORTAL) == [] and tip(remote) == ""
    refusing.unlink()
    finish(ledger, *began(ledger, "x"))
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s2"]


def test_results_that_the_server_refuses_are_kept_here_and_go_with_the_next_run(ledger, remote, tmp_path):
    run, entries = began(ledger, "x")
    refusing = a_program(remote / "hooks/pre-receive", "exit 1")
    with pytest.raises(LedgerError, match="is kept on this machine"):
        finish(ledger, run, entries)
    ledger.unlock(PORTAL, ANA)
    refusing.unlink()
    finish(ledger, *began(ledger, "y"))
    with closing(in_a_new_clone(remote, tmp_path / "new")) as new:
        assert [base.slug for base in new.bases(PORTAL)] == ["s1", "s2"]
        assert [info.states for info in new.runs(PORTAL)] == [{"done": 1}, {"done": 1}]


def test_a_ref_that_cannot_be_made_beside_another_one_is_told(ledger, remote):
    commit = git(remote, "commit-tree", "-m", "x", EMPTY_TREE)
    git(remote, "update-ref", f"{REF}/below/it", commit)
    with pytest.raises(LedgerError, match="cannot be used"):
        began(ledger, "x")


def test_a_remote_that_vanished_stops_a_push_before_it_sends_and_nothing_is_forgotten(ledger, remote, tmp_path):
    finish(ledger, *began(ledger, "x"))
    shutil.move(remote, tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match="cannot be used") as caught:
        ledger.lock(PORTAL, ANA, now=NOW)
    assert "Check `git remote -v`" in caught.value.hint
    assert ledger.holder(PORTAL) is None
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s1"]
    shutil.move(tmp_path / "elsewhere", remote)
    finish(ledger, *began(ledger, "y"))


def test_an_unreachable_remote_is_named_without_the_token_in_its_address(here):
    git(here, "remote", "set-url", "origin", "http://ci:very-secret@127.0.0.1:9/x.git")
    with pytest.raises(LedgerError) as caught:
        git_ledger(here)
    assert "very-secret" not in caught.value.message + caught.value.hint
    assert "cannot be used" in caught.value.message


def test_a_ref_that_somebody_deleted_is_no_empty_ledger_for_who_knew_it(ledger, remote, here):
    finish(ledger, *began(ledger, "x"))
    before = tip(remote)
    git(remote, "update-ref", "-d", REF)
    with pytest.raises(LedgerError, match="is gone") as caught:
        ledger.fetch()
    command = caught.value.hint.split("`")[1].split()
    git(here, *command[1:])
    assert tip(remote) == before
    ledger.fetch()
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s1"]


def test_a_remote_that_was_set_back_to_an_old_copy_is_not_believed_by_who_knows_more(ledger, remote, here):
    finish(ledger, *began(ledger, "x"))
    old = tip(remote)
    finish(ledger, *began(ledger, "y"))
    new = tip(remote)
    git(remote, "update-ref", REF, old)
    with pytest.raises(LedgerError, match="older than it was") as caught:
        ledger.lock(PORTAL, ANA, now=NOW)
    git(here, *caught.value.hint.split("`")[1].split()[1:])
    assert tip(remote) == new


def test_a_ref_that_holds_no_commit_is_told_and_left_alone(remote, here):
    blob = git(remote, "hash-object", "-w", "--stdin")
    git(remote, "update-ref", REF, blob)
    with pytest.raises(LedgerError, match="it does not point to a commit"):
        git_ledger(here)
    assert git(remote, "rev-parse", REF) == blob


def test_a_ledger_whose_history_was_cut_off_is_taken_as_it_is(ledger, remote):
    finish(ledger, *began(ledger, "x"))
    finish(ledger, *began(ledger, "y"))
    orphan = git(remote, "commit-tree", "-m", "short", f"{REF}^{{tree}}")
    git(remote, "update-ref", REF, orphan)
    finish(ledger, *began(ledger, "z"))
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s1", "s2", "s3"]
    assert subjects(remote)[-1] == "short"


# --- others are faster -----------------------------------------------------------------------------------------------


def test_who_was_beaten_between_fetch_and_push_sends_nothing_and_can_try_again(ledger, there):
    assert ledger.lock(PORTAL, ANA, now=NOW) is None
    with closing(git_ledger(there)) as other:
        finish(other, *began(other, "theirs", owner=BEN, now=NOW - 1), owner=BEN)
    run = ledger.begin_run(PORTAL, command="push", now=NOW, owner=ANA)
    with pytest.raises(LeaseLost, match="Nothing was sent"):
        ledger.offer(PORTAL, run, [(1, a_change(slug="ours"))])
    ledger.unlock(PORTAL, ANA)
    finish(ledger, *began(ledger, "ours"))
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s1", "s3"]
    states = [info.states for info in ledger.runs(PORTAL)]
    assert states == [{"done": 1}, {"skipped": 1}, {"done": 1}]


def test_decisions_of_two_clones_that_were_sent_at_once_are_both_kept(ledger, remote, there, tmp_path):
    with closing(git_ledger(there)) as other:
        ledger.record(PORTAL, [a_base("a", 1)])
        other.record(PORTAL, [a_base("b", 2)])
        ledger.send("Decisions")
        other.send("Decisions")
    with closing(in_a_new_clone(remote, tmp_path / "new")) as new:
        assert [base.slug for base in new.bases(PORTAL)] == ["a", "b"]


def test_of_one_item_that_two_clones_changed_the_one_that_was_sent_first_counts(ledger, there):
    ledger.record(PORTAL, [a_base("a", 1)])
    ledger.send("Decisions")
    with closing(git_ledger(there)) as other:
        ledger.record(PORTAL, [a_base("a", 1, kept={"title": "ours"})])
        other.record(PORTAL, [a_base("a", 1, kept={"title": "theirs"})])
        other.send("Decisions")
        ledger.send("Decisions")
    assert [base.kept for base in ledger.bases(PORTAL)] == [{"title": "theirs"}]


def test_runs_too_old_to_be_sent_do_not_come_back_as_the_newest_ones(ledger, there):
    for number in range(KEPT_RUNS + 2):
        run = ledger.begin_run(PORTAL, command="push", now=NOW + number, owner=ANA)
        Ledger.end_run(ledger, run, outcome="done", now=NOW + number)
    ledger.record(PORTAL, [a_base("a", 1)])
    ledger.send("Decisions")
    with closing(git_ledger(there)) as other:
        ledger.record(PORTAL, [a_base("b", 2)])
        other.record(PORTAL, [a_base("c", 3)])
        other.send("Decisions")
        ledger.send("Decisions")
    found = [(info.number, info.started_at) for info in ledger.runs(PORTAL)]
    assert found == [(number, NOW + number - 1) for number in range(KEPT_RUNS + 2, 2, -1)]


def test_a_push_whose_lock_somebody_of_this_machine_broke_sends_nothing_and_leaves_their_lease(ledger, remote, here):
    assert ledger.lock(PORTAL, ANA, now=NOW) is None
    with closing(git_ledger(here)) as second:
        assert second.lock(PORTAL, BEN, now=NOW, take_over=ANA) is None
        run = second.begin_run(PORTAL, command="push", now=NOW, owner=BEN)
        entries = second.offer(PORTAL, run, [(1, a_change(slug="theirs"))])
        ours = ledger.begin_run(PORTAL, command="push", now=NOW, owner=ANA)
        with pytest.raises(LeaseLost):
            ledger.offer(PORTAL, ours, [(1, a_change(slug="ours"))])
        ledger.unlock(PORTAL, ANA)
        assert "lease.json" in files(remote)
        finish(second, run, entries, owner=BEN)
    assert "lease.json" not in files(remote)


def test_a_plan_beside_a_push_of_the_same_clone_changes_nothing_of_what_that_recorded(ledger, here, there):
    run, entries = began(ledger, "x")
    with closing(git_ledger(here)) as plan:
        plan.fetch()
    assert ledger.beat(PORTAL, ANA, now=NOW)
    finish(ledger, run, entries)


# --- an answer that is lost, a runner that is --------------------------------------------------------------------------


def with_answers_lost(clone: Path, flag: Path, then: str = ":", deaf: Path = Path("/nowhere")) -> GitLedger:
    """A ledger whose pushes arrive and are told to have failed, while the flag is there; `deaf`: nobody can ask once."""
    script = WRAPPER.format(git=shutil.which("git"), flag=flag, then=then, deaf=deaf)
    flag.touch()
    return git_ledger(clone, found_first(a_program(flag.parent / "bin/git", script)))


def test_a_push_that_arrived_and_whose_answer_was_lost_has_arrived(here, remote, tmp_path):
    with closing(with_answers_lost(here, tmp_path / "lost")) as ledger:
        finish(ledger, *began(ledger, "x"))
        assert subjects(remote) == ["Run 1 done: 1 done", "Run 1 begins: 1 to send"]
        assert ledger.file.origin().is_sent


def test_results_that_arrived_unanswered_before_others_went_on_are_not_taken_for_lost(here, remote, there, tmp_path):
    go_on = f"[ -f '{tmp_path}/next' ] && git -C '{remote}' update-ref {REF} $(cat '{tmp_path}/next')"
    with closing(with_answers_lost(here, tmp_path / "lost", then=f"sh '{tmp_path}/then'")) as ledger:
        (tmp_path / "then").write_text("exit 0\n")
        run, entries = began(ledger, "x")
        # Somebody begins and ends on top of our results before we can ask where the ref is.
        commit = f"git -C '{remote}' commit-tree -p {REF} -m other {REF}^{{tree}}"
        (tmp_path / "then").write_text(f"{commit} > '{tmp_path}/next'\n{go_on}\n")
        finish(ledger, run, entries)
    assert subjects(remote) == ["other", "Run 1 done: 1 done", "Run 1 begins: 1 to send"]


def test_a_push_that_arrived_while_nobody_could_ask_is_found_by_the_next_one_and_not_taken_for_another_run(
    here, remote, tmp_path
):
    flag, deaf = tmp_path / "lost", tmp_path / "deaf"
    with closing(with_answers_lost(here, flag, then=f"rm '{flag}'; : > '{deaf}'", deaf=deaf)) as ledger:
        flag.unlink()
        run, entries = began(ledger, "x")
        flag.touch()
        heart = GitLedger(ledger.file, ledger.ref, TARGET, beside=True, note=ledger.note)
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S)
        assert len(subjects(remote)) == 2 and not deaf.exists()
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S + 10)
        assert ledger.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S + 10)
        flag.touch()
        finish(ledger, run, entries)
    assert subjects(remote)[0] == "Run 1 done: 1 done"
    assert len(subjects(remote)) == 4


def test_a_runner_that_died_with_its_disk_leaves_what_it_was_about_to_send_to_be_looked_up(ledger, here, there):
    began(ledger, "x", "y")
    shutil.rmtree(here)
    with closing(git_ledger(there)) as other:
        busy = other.lock(PORTAL, BEN, now=NOW + 400)
        assert busy is not None and busy.is_run_of(ANA) and NOW - busy.beat_at < 10
        assert other.lock(PORTAL, BEN, now=NOW + 400, take_over=busy) is None
        assert [entry.slug for entry in other.pending(PORTAL)] == ["x", "y"]


def test_a_push_that_died_here_does_not_hide_what_another_machine_published_since(ledger, here, there):
    run, entries = began(ledger, "a")
    # Just now, whenever this module was loaded: it seems to be at work.
    ledger.beat(PORTAL, ANA, now=time.time())
    with closing(git_ledger(there)) as other:
        busy = other.lock(PORTAL, BEN, now=NOW + 400)
        assert other.lock(PORTAL, BEN, now=NOW + 400, take_over=busy) is None
        second = other.begin_run(PORTAL, command="push", now=NOW + 400, owner=BEN)
        finish(other, second, other.offer(PORTAL, second, [(1, a_change(slug="b"))]), owner=BEN)
        other.end_run(second, outcome="done", now=NOW + 401)
        other.unlock(PORTAL, BEN)
    with closing(git_ledger(here)) as again:
        died = again.lock(PORTAL, BEN, now=NOW)
        assert died is not None and died.is_run_of(ANA)
        assert again.lock(PORTAL, BEN, now=NOW, take_over=died) is None
        third = again.begin_run(PORTAL, command="push", now=NOW, owner=BEN)
        assert third > second > run and again.offer(PORTAL, third, [(1, a_change(slug="c"))]) != entries


def test_a_lease_that_was_pushed_just_before_the_process_died_is_given_back_by_the_next_run(here, remote, tmp_path):
    died = f"kill -9 $(cat '{tmp_path}/pid')"
    with closing(with_answers_lost(here, tmp_path / "lost", then=died)) as ledger:
        assert ledger.lock(PORTAL, ANA, now=NOW) is None
        run = ledger.begin_run(PORTAL, command="push", now=NOW, owner=ANA)
        pid = os.fork()
        if pid == 0:
            (tmp_path / "pid").write_text(str(os.getpid()))
            ledger.announce(PORTAL, run)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9
    assert "lease.json" in files(remote)
    with closing(git_ledger(here)) as again:
        assert again.lock(PORTAL, BEN, now=NOW, take_over=ANA) is None
        again.unlock(PORTAL, BEN)
    assert "lease.json" not in files(remote)


def test_an_old_copy_of_the_file_with_results_that_were_sent_since_adds_nothing(ledger, here, remote, tmp_path):
    run, entries = began(ledger, "x")
    ledger.turn(PORTAL, run, ANA, Turn(phase=1, most=1), now=NOW)
    ledger.turn(PORTAL, run, ANA, Turn([EntryResult(entries[0], "done", a_base("s1", 1), remote_id=1)]), now=NOW)
    copy = tmp_path / "copy"
    shutil.copytree(here / ".kbsync", copy)
    ledger.end_run(run, outcome="done", now=NOW)
    ledger.unlock(PORTAL, ANA)
    for _ in range(2):
        (clone := a_clone(remote, tmp_path / f"cached-{time.time_ns()}")).joinpath(".kbsync").mkdir()
        shutil.copytree(copy, clone / ".kbsync", dirs_exist_ok=True)
        with closing(git_ledger(clone)) as cached:
            cached.lock(PORTAL, BEN, now=NOW, take_over=ANA)
            cached.record(PORTAL, [a_base("more", 9)])
            cached.unlock(PORTAL, BEN)
    with closing(in_a_new_clone(remote, tmp_path / "new")) as new:
        assert len(new.runs(PORTAL)) == 1
        assert [base.slug for base in new.bases(PORTAL)] == ["more", "s1"]


@pytest.mark.parametrize("word", ["fetch", "push"])
def test_a_ref_that_another_process_is_just_about_to_move_is_tried_again(ledger, here, there, remote, tmp_path, word):
    finish(ledger, *began(ledger, "x"))
    lock = (there / ".git" if word == "fetch" else remote) / f"{REF}.lock"
    once, busy = tmp_path / "once", f"mkdir -p '{lock.parent}'; : > '{lock}'"
    moves = f"""
for it in "$@"; do [ "$it" = {word} ] && [ ! -f '{once}' ] && {{ {busy}; : > '{once}'; }}; done
'{shutil.which("git")}' "$@"; code=$?; rm -f '{lock}'; exit $code
"""
    with closing(git_ledger(there, found_first(a_program(tmp_path / "bin/git", moves)))) as other:
        finish(other, *began(other, "y", owner=BEN), owner=BEN)
        assert once.exists()
        assert [base.slug for base in other.bases(PORTAL)] == ["s1", "s2"]


# --- the lease ---------------------------------------------------------------------------------------------------------


def test_the_heart_tells_the_remote_once_a_minute_how_far_it_is(ledger, here, remote):
    began(ledger, "x", "y")
    with closing(git_ledger(here, beside=True, fetch=False)) as heart:
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S - 1)
        assert len(subjects(remote)) == 1
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S)
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S + 1)
        assert subjects(remote) == ["Run 1: 0 of 2", "Run 1 begins: 2 to send"]
    assert ledger.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S + FENCE_S - 1)


def test_a_checkpoint_has_what_was_done_so_that_only_the_rest_is_looked_up_after_the_runner_is_lost(
    ledger, here, there
):
    run, (first, _) = began(ledger, "x", "y")
    ledger.turn(PORTAL, run, ANA, Turn(phase=1, most=2), now=NOW)
    ledger.turn(PORTAL, run, ANA, Turn([EntryResult(first, "done", a_base("x", 1), remote_id=1)]), now=NOW)
    with closing(git_ledger(here, beside=True, fetch=False)) as heart:
        assert heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S)
    shutil.rmtree(here)
    with closing(git_ledger(there)) as other:
        assert other.lock(PORTAL, BEN, now=NOW, take_over=other.holder(PORTAL)) is None
        assert [base.slug for base in other.bases(PORTAL)] == ["x"]
        assert [entry.slug for entry in other.pending(PORTAL)] == ["y"]


def test_a_clock_that_was_set_back_does_not_keep_the_heart_from_telling_the_remote(ledger, here, remote):
    began(ledger, "x")
    assert not ledger.beat(PORTAL, ANA, now=NOW - 3600)
    with closing(git_ledger(here, beside=True, fetch=False)) as heart:
        assert heart.beat(PORTAL, ANA, now=NOW - 3600)
        assert len(subjects(remote)) == 2
    assert ledger.beat(PORTAL, ANA, now=NOW - 3590)


def test_a_remote_that_is_silent_too_long_ends_the_push_before_others_may_take_it_for_dead(
    ledger, here, remote, tmp_path
):
    began(ledger, "x")
    shutil.move(remote, tmp_path / "elsewhere")
    with closing(git_ledger(here, beside=True, fetch=False)) as heart:
        assert heart.beat(PORTAL, ANA, now=NOW + FENCE_S - 1)
        assert ledger.beat(PORTAL, ANA, now=NOW + FENCE_S - 1)
        assert not heart.beat(PORTAL, ANA, now=NOW + FENCE_S)
        assert not ledger.beat(PORTAL, ANA, now=NOW + FENCE_S)


def test_a_push_learns_from_its_own_heart_that_somebody_took_its_lease(ledger, here, there, remote):
    began(ledger, "x")
    with closing(git_ledger(there)) as other:
        assert other.lock(PORTAL, BEN, now=NOW, take_over=other.holder(PORTAL)) is None
        theirs = other.begin_run(PORTAL, command="push", now=NOW, owner=BEN)
        other.announce(PORTAL, theirs)
        assert ledger.beat(PORTAL, ANA, now=NOW + 1)
        with closing(git_ledger(here, beside=True, fetch=False)) as heart:
            assert not heart.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S)
        assert not ledger.beat(PORTAL, ANA, now=NOW + CHECKPOINT_S)
        ledger.unlock(PORTAL, ANA)
        assert subjects(remote)[0] == "Run 2 begins"
        other.unlock(PORTAL, BEN)
    assert "lease.json" not in files(remote)


def test_the_end_of_a_push_whose_lease_was_taken_says_so_and_its_results_are_kept(ledger, there):
    run, entries = began(ledger, "x")
    with closing(git_ledger(there)) as other:
        other.lock(PORTAL, BEN, now=NOW, take_over=other.holder(PORTAL))
        other.announce(PORTAL, other.begin_run(PORTAL, command="push", now=NOW + 1, owner=BEN))
        with pytest.raises(LedgerError, match="took over this push's lease"):
            finish(ledger, run, entries)
        ledger.unlock(PORTAL, ANA)
        other.unlock(PORTAL, BEN)
    ledger.fetch()
    assert [base.slug for base in ledger.bases(PORTAL)] == ["s1"]


# --- the repository ------------------------------------------------------------------------------------------------------


def test_variables_that_lead_git_elsewhere_do_not(here, remote, tmp_path):
    elsewhere = a_remote(tmp_path / "elsewhere.git")
    environ = os.environ | {"GIT_DIR": str(elsewhere), "GIT_NAMESPACE": "x", "GIT_OBJECT_DIRECTORY": str(tmp_path)}
    with closing(git_ledger(here, environ)) as ledger:
        finish(ledger, *began(ledger, "x"))
    assert tip(remote) and not git(elsewhere, "for-each-ref")


def test_a_repository_with_sha_256_works_the_same(tmp_path):
    remote, here = tmp_path / "remote.git", tmp_path / "here"
    git(tmp_path, "init", "--quiet", "--bare", "--object-format=sha256", str(remote))
    git(tmp_path, "init", "--quiet", "--object-format=sha256", str(here))
    git(here, "remote", "add", "origin", str(remote))
    with closing(git_ledger(here)) as ledger:
        finish(ledger, *began(ledger, "x"))
        before = files(remote)
        finish(ledger, *began(ledger, "y"))
        assert len(tip(remote)) == 64 and before < files(remote)
        changed = git(remote, "diff-tree", "-r", "--name-only", f"{REF}^", REF).splitlines()
        assert "kbsync.json" not in changed


@pytest.mark.parametrize("options", [["--depth=1"], ["--filter=blob:none"]])
def test_a_shallow_or_partial_clone_has_the_whole_ledger_and_stays_what_it_is(ledger, remote, tmp_path, options):
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(remote, "config", name, "true")
    first = git(remote, "commit-tree", "-m", "1", EMPTY_TREE)
    git(remote, "update-ref", "refs/heads/main", git(remote, "commit-tree", "-p", first, "-m", "2", EMPTY_TREE))
    finish(ledger, *began(ledger, "x"))
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-local", *options, remote.as_uri(), str(clone))
    shallow = git(clone, "rev-parse", "--is-shallow-repository")
    with closing(git_ledger(clone)) as other:
        assert [base.slug for base in other.bases(PORTAL)] == ["s1"]
        missing = git(clone, "rev-list", "--objects", "--missing=print", REF)
        assert "?" not in missing
        finish(other, *began(other, "y"))
    assert git(clone, "rev-parse", "--is-shallow-repository") == shallow
    assert git(clone, "rev-list", "--count", "HEAD") == ("1" if shallow == "true" else "2")


def test_of_several_remotes_the_named_one_is_used_and_an_unknown_one_is_told(here, remote, tmp_path):
    other = a_remote(tmp_path / "other.git")
    git(here, "remote", "add", "other", str(other))
    with closing(open_git_ledger(RemoteRef(here, "other", REF), TARGET, here / ".kbsync", fetch=True)) as ledger:
        finish(ledger, *began(ledger, "x"))
    assert tip(other) and not tip(remote)
    assert RemoteRef(here, "", REF).remote == "origin"
    with pytest.raises(ConfigError, match=r"has no remote `nowhere`\. It has: origin, other"):
        RemoteRef(here, "nowhere", REF)


def test_a_folder_that_is_no_repository_is_told(tmp_path):
    with pytest.raises(ConfigError, match="not a git repository"):
        RemoteRef(tmp_path, "origin", REF, os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})


def test_a_contract_of_intents_holds_also_without_a_lock(ledger, remote):
    """What is offered without the lock is recorded here; only who holds it tells the remote."""
    begin(ledger, a_change())
    assert tip(remote) == ""
