"""The ledger in the repository's own remote, as its users meet it: clones, CI jobs, forks."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.test_behind import INVOICES, clone, git, publish, release
from kbsync.app.ledger_place import with_url
from kbsync.sandbox import Sandbox
from patience import GIVE_UP_S, eventually
from push.processes import inheriting
from rings import one_of

pytestmark = pytest.mark.slow

LEDGER = '[ledger]\nurl = "git:origin"\n'


@pytest.fixture
def origin(remote: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bare repository that the project was pushed to; the project keeps its ledger there."""
    bare = tmp_path_factory.mktemp("origin") / "help.git"
    remote.configure(LEDGER)
    remote.write(".gitignore", ".kbsync/\n")
    git(remote.folder, "init", "--quiet", "--bare", str(bare))
    git(remote.folder, "init", "--quiet")
    git(remote.folder, "remote", "add", "origin", str(bare))
    publish(remote, "First")
    return bare


def history(origin: Path) -> list[str]:
    """The subjects of the ledger's commits, oldest first."""
    (ref,) = git(origin, "for-each-ref", "--format=%(refname)", "refs/kbsync/").split()
    return git(origin, "log", "--reverse", "--format=%s", ref).splitlines()


def test_a_fresh_clone_knows_what_another_one_published_and_a_run_is_in_the_log(remote, origin, portal: Sandbox):
    assert remote.run("push").code == 0
    other = clone(remote, origin, "job")
    assert other.run("plan").out.splitlines()[-1] == "Everything is up to date (5 unchanged)."
    publish(other, "Bills", {INVOICES: "---\ntitle: Bills\nposition: 20\n---\nText.\n"})
    assert other.run("push", GITHUB_ACTIONS="true", GITHUB_SERVER_URL="https://github.example", GITHUB_ACTOR="ana",
                     GITHUB_REPOSITORY="a/b", GITHUB_RUN_ID="77").code == 0  # fmt: skip
    assert history(origin) == ["Run 1 begins: 5 to send", "Run 1 done: 5 done", "Run 2 begins: 1 to send",
                               "Run 2 done: 1 done"]  # fmt: skip
    (ref,) = git(origin, "for-each-ref", "--format=%(refname)", "refs/kbsync/").split()
    assert git(origin, "log", "-1", "--format=%an <%ae>", ref) == "ana <ana@users.noreply.github.com>"
    message = git(origin, "log", "-1", "--format=%B", ref)
    assert "Job: https://github.example/a/b/actions/runs/77" in message
    assert f"Source-Commit: {git(other.folder, 'rev-parse', 'HEAD')}" in message
    assert '"title":"Bills"' in git(origin, "show", f"{ref}:items/en/billing.jsonl")
    assert portal.panel.article("invoices").title == "Bills"


def test_a_push_with_nothing_to_do_writes_no_commit(remote, origin):
    remote.run("push")
    before = history(origin)
    assert remote.run("push").code == 0 and clone(remote, origin, "job").run("push").code == 0
    assert history(origin) == before


def test_a_run_can_be_undone_from_another_clone_and_the_first_one_knows_it(remote, origin, portal: Sandbox):
    remote.run("push")
    release(remote, "Bills", {INVOICES: "---\ntitle: Bills\nposition: 20\n---\nOther.\n"})
    assert clone(remote, origin, "job").run("undo", "2", "--yes").code == 0
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Invoices", "Text.\n")
    assert "title: Invoices -> Bills" in remote.run("plan").out


def test_a_plan_of_a_fork_needs_no_token_and_sends_no_request(remote, origin, portal: Sandbox):
    remote.run("push")
    fork = clone(remote, origin, "fork")
    fork.environ = {}
    fork.write(INVOICES, "---\ntitle: Bills\nposition: 20\n---\nText.\n")
    before = len(portal.requests)
    done = fork.run("plan", "--offline")
    assert done.code == 0 and "title: Invoices -> Bills" in done.out, done
    assert re.search(
        r"Compared with run 1 of [-0-9]+ [0-9:]+ UTC in the ledger\. Later edits in the panel are not shown\.", done.out
    )
    assert fork.run("plan", "--offline", "--check").code == 10
    plan = json.loads(fork.run("plan", "--offline", "--format", "json").out)
    assert plan["as_of"]["run"] == 1 and [change["action"] for change in plan["changes"]] == ["update"]
    assert len(portal.requests) == before
    origin.rename(origin.with_name("elsewhere.git"))
    assert fork.run("plan", "--offline").says(0, err="Comparing with what was fetched last.")
    assert fork.run("plan", "--offline", "--out", "x.json").code == 2


def test_without_a_fetch_what_is_offline_goes_by_the_ledger_of_this_clone(remote, origin, portal: Sandbox):
    remote.run("push")
    fork = clone(remote, origin, "fork")
    fork.environ = {}
    fork.write(INVOICES, "---\ntitle: Bills\nposition: 20\n---\nText.\n")
    empty = fork.run("plan", "--offline", "--no-fetch")
    assert empty.code == 4 and "The ledger is empty" in empty.err
    command = "git fetch origin '+refs/kbsync/*:refs/kbsync/*'"
    assert f"`{command}`" in empty.err and not git(fork.folder, "for-each-ref", "refs/kbsync/")
    git(fork.folder, *shlex.split(command)[1:])
    release(remote, "Charges", {INVOICES: "---\ntitle: Charges\nposition: 20\n---\nText.\n"})
    before = len(portal.requests)
    for words in (("plan",), ("status",), ("diff",), ("why", INVOICES)):
        assert fork.run(*words, "--offline", "--no-fetch").says(0, "run 1", without="run 2")
    told = fork.run("why", "--history", INVOICES, "--no-fetch").out
    assert "Run 1 " in told and "Run 2 " not in told
    origin.rename(origin.with_name("elsewhere.git"))
    assert fork.run("plan", "--offline", "--no-fetch").says(0, without="fetched last")
    assert len(portal.requests) == before


def test_offline_without_a_record_says_so_and_a_job_without_any_ledger_is_told_what_it_cannot_know(remote):
    assert remote.run("plan", "--offline").ended(4, "", "The ledger is empty")
    assert "This job has no ledger" in remote.run("plan", CI="true").err
    assert "This job has no ledger" not in remote.run("plan").err


def test_the_ledger_moves_into_git_with_one_command(remote, origin):
    remote.config(remote.read("kbsync.toml").replace(LEDGER, ""))
    remote.run("push")
    assert remote.run("ledger", "move", "git:origin").says(0, err="Copied the ledger.")
    assert remote.read("kbsync.toml").endswith(LEDGER)
    publish(remote, "The ledger is in git")
    job = clone(remote, origin, "job")
    assert "5 unchanged" in job.run("plan").out
    assert history(origin) == ["Imported"]
    assert job.run("ledger", "move", "git:origin").code == 6


def test_what_no_commit_has_is_not_shared_with_others_as_that_of_the_last_commit(remote, origin):
    remote.config(remote.read("kbsync.toml").replace(LEDGER, ""))
    publish(remote, "A ledger of this clone")
    remote.push({INVOICES: "---\ntitle: Bills\nposition: 20\n---\nText.\n"})
    said = "1 file that you published is not committed: en/billing/invoices.md. Nothing was copied."
    assert remote.run("ledger", "move", "git:origin").says(6, err=said)
    remote.write("export.json", remote.run("ledger", "export").out)
    assert remote.run("ledger", "import", "export.json", KBSYNC_LEDGER__URL="git:origin").says(6, err=said)
    assert LEDGER not in remote.read("kbsync.toml")
    publish(remote, "Bills")
    assert remote.run("ledger", "move", "git:origin").code == 0


def test_a_ledger_outside_the_repository_can_be_moved_to_as_the_user_named_it(remote, tmp_path_factory):
    remote.run("push")
    url = f"sqlite:{tmp_path_factory.mktemp('elsewhere').as_posix()}/ledger.db"
    assert remote.run("ledger", "move", url).code == 0
    assert remote.run("plan").says(2, err="not trusted: [ledger] url")
    assert remote.run("trust").code == 0 and "5 unchanged" in remote.run("plan").out


def test_results_that_cannot_be_sent_are_kept_and_sent_later(remote, origin, portal: Sandbox):
    remote.run("push")
    publish(remote, "Bills", {INVOICES: "---\ntitle: Bills\nposition: 20\n---\nText.\n"})
    # The remote takes the intents, and nothing after them.
    hook = origin / "hooks" / "update"
    hook.write_text('#!/bin/sh\ngit cat-file -e "$3:lease.json"\n', "utf-8")
    hook.chmod(0o755)
    assert remote.run("push").says(6, "1 article updated", err="kbsync ledger sync")
    assert portal.panel.article("invoices").title == "Bills"
    assert clone(remote, origin, "other").run("push", "--join").says(0, err="cannot be joined: the ledger is in git")
    shutil.rmtree(origin / "hooks")
    sent = remote.run("ledger", "sync")
    assert (sent.code, sent.err) == (0, "Sent.\n")
    assert "5 unchanged" in clone(remote, origin, "job").run("plan").out


def test_a_remote_that_takes_nothing_stops_a_push_before_its_first_request(remote, origin, portal: Sandbox):
    hook = origin / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho this ref is protected >&2\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    done = remote.run("push")
    assert done.says(6, err=("Nothing was sent to the portal.", "cannot be used: this ref is protected. Nothing"))
    assert portal.panel.articles("handbook") == []


def test_a_git_configuration_that_names_programs_is_refused_and_not_run(remote, origin, tmp_path):
    ran = tmp_path / "ran"
    git(remote.folder, "config", "core.sshCommand", f"touch {ran}")
    assert remote.run("plan").says(2, err="`core.sshcommand`")
    assert not ran.exists()


def test_init_proposes_the_repositorys_own_remote(remote, origin):
    folder = origin.parent / "new"
    git(origin.parent, "clone", "--quiet", str(origin), str(folder))
    (folder / "kbsync.toml").unlink()
    made = type(remote)(folder)
    given = ("--base-url", "https://support.example.com", "--account-id", "3", "--portal", "docs")
    assert made.run("init", *given).code == 0
    assert 'url = "git:origin"' in (folder / "kbsync.toml").read_text("utf-8")
    (folder / "kbsync.toml").unlink()
    assert made.run("init").code == 0
    assert "[ledger]" not in (folder / "kbsync.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '\n[ledger]\nurl = "git:"\n'),
        ("[push]\nlive = 1", '[push]\nlive = 1\n\n[ledger]\nurl = "git:"\n'),
        ('[ledger]\nurl = "sqlite:x"  # here\n[a]\nurl = "y"\n', '[ledger]\nurl = "git:"\n[a]\nurl = "y"\n'),
        ('[a]\nurl = "y"\n[ledger]\n# none\n[b]\n', '[a]\nurl = "y"\n[ledger]\nurl = "git:"\n# none\n[b]\n'),
        ("[a]\n[ledger] # l", '[a]\n[ledger] # l\nurl = "git:"'),
    ],
)
def test_only_the_line_of_the_ledger_changes(text, expected):
    assert with_url(text, "git:") == expected


WAITING_ONCE = """#!/bin/sh
[ -e hooks/reached ] && exit 0
[ "$(git rev-list --count --glob='refs/kbsync/*')" = {commits} ] || exit 0
echo x > hooks/reached
exec sleep 600
"""
"""A hook that lets the first commits of the ledger in, waits at the next one until it is ended, and lets all others in."""


@pytest.mark.parametrize(
    ("number", "commits"),
    [
        (signal.SIGINT, 0), (signal.SIGINT, 1),
        *one_of((signal.SIGTERM, 0), (signal.SIGTERM, 1), (signal.SIGHUP, 0), (signal.SIGHUP, 1)),
    ],
)  # fmt: skip
def test_a_signal_to_all_processes_while_git_pushes_the_ledger_ends_with_130_and_loses_nothing(
    remote, origin, portal: Sandbox, number, commits
):
    hook = origin / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(WAITING_ONCE.format(commits=commits), "utf-8")
    hook.chmod(0o755)
    # Where the tests run in the background of a shell or under nohup, they ignore what git shall not ignore.
    with inheriting({signal.SIGINT: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = remote.start("push", start_new_session=True, **pipes)
    eventually(lambda: (origin / "hooks" / "reached").exists() or process.poll() is not None, "git pushes")
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=GIVE_UP_S)
    assert process.returncode == 130 and "cannot be used" not in err, (out, err)
    other = clone(remote, origin, "job")
    assert other.run("push").code == 0
    assert other.run("plan").out.endswith("Everything is up to date (5 unchanged).\n")
    slugs = sorted(article.slug for article in portal.panel.articles("handbook"))
    assert slugs == ["invoices", "refunds", "refunds-fr"]
