"""A clone of a stranger's repository: nothing of it runs, and nothing outside of it is read or written.

What the stranger committed is what git never has to hold: kbsync's own folder, links in it, and folders that are git
repositories themselves.
"""

import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kbsync.app.file_transaction import DATA, FIX, HEAD, JOURNAL, MOVE, PULL, Journal, Step
from kbsync.content.body import raw_digest
from kbsync.errors import ConfigError
from kbsync.files import store_sealed
from kbsync.history.repository import changed_files, uncommitted
from kbsync.report.handoff_types import HandOff
from repo import Repo, a_repo, needs_git

pytestmark = [pytest.mark.slow, needs_git]

CI = ({}, {"CI": "true", "GITHUB_ACTIONS": "true"})

REFUNDS = "content/en/billing/refunds.md"

COMMANDS = (
    ("lint",), ("lint", "--fix"), ("plan",), ("plan", "--offline"), ("push",), ("pull",), ("pull", "--theirs"),
    ("status",), ("status", "--offline"), ("diff",), ("why", REFUNDS), ("why", "--history", REFUNDS), ("check",),
    ("verify",), ("resolve", "--ours"), ("translate",), ("translate", "--done", "content/fr/billing/refunds.md"),
    ("mv", REFUNDS, "content/en/billing/money.md"), ("mv", "--finish"),
    ("new", "article", "content/en/billing/more.md"), ("undo",), ("redirects",), ("ledger", "show"), ("ledger", "unlock"), ("preview", "--build", "out"),
)  # fmt: skip
"""Every command that looks at a project, in a form that goes as far as it can."""


def commit(folder: Path) -> Repo:
    repo = Repo(folder) if (folder / ".git").exists() else a_repo(folder)
    repo.git("add", "--all", "--force", ".")
    repo.git("commit", "--quiet", "--message", "a stranger's")
    return repo


def left_behind(project: Any, path: str, data: bytes, *, link: str = "", command: str = PULL, key: bytes = b"") -> None:
    """What a command leaves that was killed while it put its files into place."""
    folder = project.folder / ".kbsync/changes/00"
    folder.mkdir(parents=True)
    if link:
        (folder / DATA).symlink_to(link)
    else:
        (folder / DATA).write_bytes(data)
    steps = [Step(path, path, b"", raw_digest(data), 0, len(data))]
    assert store_sealed(folder / JOURNAL, HEAD, msgspec.msgpack.encode(Journal(command, steps)), key)


def an_embedded_repository(folder: Path, touched: Path) -> None:
    """The files of a git directory, in a folder that git takes for an ordinary one, and settings that run programs."""
    files = list(folder.rglob("*.md"))
    made = a_repo(folder / "made")
    for file in files:  # It tracks an older text of the same size: git has to read the files.
        older = made.folder / file.relative_to(folder)
        older.parent.mkdir(parents=True, exist_ok=True)
        older.write_bytes(b"x" * file.stat().st_size)
    made.commit()
    (made.folder / ".git").rename(folder / "git")
    shutil.rmtree(made.folder)
    for part in ("HEAD", "objects", "refs", "config", "index"):
        (folder / "git" / part).rename(folder / part)
    shutil.rmtree(folder / "git")
    program = f"touch {shlex.quote(str(touched))}; cat"
    settings = {
        "core.worktree": str(folder), "core.bare": "false", "core.fsmonitor": program, "core.sshCommand": program,
        "core.hooksPath": str(folder / "hooks"), "filter.x.clean": program, "filter.x.process": program,
        "filter.x.required": "true", "diff.external": program, "diff.x.textconv": program, "core.pager": program,
    }  # fmt: skip
    for key, value in settings.items():
        subprocess.run(["git", "config", "--file", str(folder / "config"), key, value], check=True)
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of the clone but those of git and of kbsync."""
    return {
        place.relative_to(folder).as_posix(): place.read_bytes()
        for place in sorted(folder.rglob("*"))
        if place.is_file() and not {".git", ".kbsync", "out"} & set(place.relative_to(folder).parts)
    }


@pytest.mark.parametrize("environ", CI, ids=("by hand", "in CI"))
def test_a_committed_stage_of_a_pull_is_refused_by_every_command_and_nothing_is_written(remote, environ):
    left_behind(remote, "en/billing/new.md", b"", link="/proc/self/environ")
    commit(remote.folder)
    before = snapshot(remote.folder)
    for words in COMMANDS:
        assert remote.run(*words, **environ).says(2, err=("is tracked by git", ".kbsync/", "git rm -r --cached"))
        assert snapshot(remote.folder) == before, words


def test_what_the_refusal_of_a_tracked_folder_says_to_do_works(remote):
    remote.write(".kbsync/cache/scan.cache", "x")
    repo = commit(remote.folder)
    done = remote.run("plan")
    command = next(line for line in done.err.splitlines() if "git rm" in line).split("`")[1]
    subprocess.run(command, shell=True, cwd=remote.folder, check=True, capture_output=True)
    repo.git("commit", "--quiet", "--message", "not tracked")
    assert remote.run("plan").code == 0


@pytest.fixture(params=["no git", "another user's"])
def silent(request, tmp_path) -> dict[str, str]:
    """Where git does not answer: it is missing, or the files are another user's, as in a container."""
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    if request.param == "another user's":
        program.write_text("#!/bin/sh\necho 'fatal: detected dubious ownership in repository' >&2\nexit 128\n")
        program.chmod(0o755)
    return {"PATH": str(program.parent)}


@pytest.mark.parametrize("options", [(), ("--split-index",), ("--index-version", "4")], ids=("plain", "split", "v4"))
@pytest.mark.parametrize("where", [".", "docs"])
def test_where_git_does_not_answer_its_index_says_what_came_with_the_repository(remote, silent, options, where):
    folder = remote.folder
    project = replace(remote, folder=folder / where)
    if where != ".":
        files = list(folder.iterdir())
        project.folder.mkdir()
        for place in files:
            place.rename(project.folder / place.name)
    repo = commit(folder)
    repo.git("update-index", *options) if options else None
    unknown = "--index-version" in options
    project.write(".kbsync/cache/x", "made here")
    done = project.run("lint", **silent)
    assert done.code == (2 if unknown else 0), done
    assert ("Git cannot be asked here" in done.err) is unknown
    repo.git("add", "--force", ".")
    assert project.run("lint", **silent).says(2, err="Git cannot be asked here" if unknown else "is tracked by git")


def test_in_a_further_work_tree_without_git_its_own_index_counts(remote, tmp_path):
    commit(remote.folder).git("worktree", "add", "--quiet", str(tmp_path / "more"))
    more = replace(remote, folder=tmp_path / "more")
    more.write(".kbsync/cache/x", "")
    assert more.run("lint", PATH="/nowhere").code == 0
    Repo(more.folder).git("add", "--force", ".")
    assert more.run("lint", PATH="/nowhere").says(2, err="is tracked by git")


@pytest.mark.parametrize(
    "path", ["../.git/config", ".git/config", "en/.secret.md", "/tmp/x.md", "en/billing/../../../x.md"]
)
def test_what_this_clone_did_not_make_is_never_put_into_place(remote, path):
    """As in an archive, where git has no say."""
    remote.configure('[content]\nroot = "."\n')
    left_behind(remote, path, b"a stranger's")
    before = snapshot(remote.folder)
    done = remote.run("pull", "--dry-run")
    assert done.code in (2, 3) and "nothing proves that this clone left it" in done.err
    assert "`rm -r .kbsync/changes`" in done.err
    assert remote.run("pull").code in (2, 3)
    assert snapshot(remote.folder) == before


def test_a_journal_that_another_version_of_kbsync_wrote_is_refused_and_stays(project):
    left_behind(project, "en/billing/new.md", b"x")
    journal = project.folder / ".kbsync/changes/00" / JOURNAL
    assert store_sealed(journal, HEAD, msgspec.msgpack.encode({"steps": 3}), project.seal_key)
    assert project.run("lint", "--fix").says(3, err="`rm -r .kbsync/changes`") and journal.exists()


@pytest.mark.parametrize("words", [("mv", "--finish"), ("lint", "--fix"), ("translate", "--in", "back"), ("plan",)])
@pytest.mark.parametrize("seal", [True, False])
def test_what_this_clone_did_not_begin_is_never_finished(project, words, seal):
    target, back = project.folder / "content/en/billing/refunds.md", HandOff("kbsync.handoff/1", [], [], 0)
    project.write("back/manifest.json", msgspec.json.encode(back).decode())
    left_behind(project, "en/billing/refunds.md", b"x", command=MOVE if words[0] == "mv" else FIX)
    if not seal:
        project.write(".kbsync/changes/00/journal", "{}")
    before = target.read_bytes()
    done = project.run(*words)
    assert done.code == 3 and "nothing proves that this clone left it" in done.err
    assert target.read_bytes() == before
    command = done.err.split("then delete it: `")[1].split("`")[0]
    subprocess.run(command, shell=True, cwd=project.folder, check=True)
    assert project.run("plan").code == 0


@pytest.mark.parametrize("path", ["../x.md", "/tmp/x.md", ".git/config", "en/.x.md", "en/../../x.md", "en//x.md", ""])
@pytest.mark.parametrize(("command", "words"), [(MOVE, ("mv", "--finish")), (FIX, ("lint", "--fix"))])
def test_even_what_is_sealed_reaches_nothing_outside_of_the_content(project, path, command, words):
    left_behind(project, path, b"x", command=command, key=project.seal_key)
    before = snapshot(project.folder)
    assert project.run(*words).says(3, err="outside of the content folder")
    assert snapshot(project.folder) == before


def test_staged_bytes_that_somebody_exchanged_are_not_used(project):
    left_behind(project, "en/billing/new.md", b"x", command=FIX, key=project.seal_key)
    project.write(".kbsync/changes/00/data", "y")
    assert project.run("lint", "--fix").says(3, err="nothing proves that this clone left it")
    assert not (project.folder / "content/en/billing/new.md").exists()


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("cache", "/tmp"), ("cache/scan.cache", "../../kbsync.toml"), ("cache/deep/deeper/x", "/proc/self/environ"),
        ("ledger.db", "../kbsync.toml"),
    ],
)  # fmt: skip
def test_a_link_anywhere_in_the_folder_of_kbsync_is_refused_by_every_command(remote, name, target):
    place = remote.folder / ".kbsync" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(target)
    for words in COMMANDS if name == "ledger.db" else (("plan",), ("pull",)):
        assert remote.run(*words).says(2, err=(f".kbsync/{name}", "symbolic link"))
    assert place.is_symlink()


@pytest.mark.parametrize("environ", CI, ids=("by hand", "in CI"))
@pytest.mark.parametrize("where", ["content", "content/en", "."])
def test_a_folder_that_is_a_git_repository_itself_runs_nothing(remote, tmp_path_factory, where, environ):
    touched = tmp_path_factory.mktemp("trace") / "touched"
    an_embedded_repository(remote.folder / where, touched)
    outer = remote.folder.parent / f"{remote.folder.name}-outer"
    outer.mkdir()
    remote.folder.rename(outer / "clone")
    repo = a_repo(outer)
    repo.git("add", "--all", "--force", ".")
    repo.git("-c", "filter.x.clean=cat", "-c", "filter.x.required=false", "commit", "-qm", "x")
    remote.folder = outer / "clone"
    for words in COMMANDS if where == "content" else (("plan",), ("status",), ("pull",), ("resolve", "--ours")):
        done = remote.run(*words, **environ)
        assert not touched.exists(), words
        assert "Traceback" not in done.err
    if where != "content/en":  # No git is called in there.
        assert remote.run("push", **environ).says(2, err="is itself a git repository")


@pytest.mark.parametrize("environ", CI, ids=("by hand", "in CI"))
@pytest.mark.parametrize(
    "address",
    [
        "{cwd}/evil.git", "/proc/self/cwd/evil.git", "file://{cwd}/evil.git", "{cwd}/link/evil.git",
        "file://x/proc/self/cwd/evil.git", "file://localhost:80{cwd}/evil.git", "file://x/%70roc/self/cwd/evil.git",
    ],
)  # fmt: skip
def test_a_remote_on_this_machine_that_lies_in_the_repository_is_not_pushed_to(
    remote, tmp_path_factory, address, environ
):
    touched = tmp_path_factory.mktemp("trace") / "touched"
    subprocess.run(["git", "init", "-q", "--bare", str(remote.folder / "evil.git")], check=True)
    for name in ("pre-receive", "update", "post-receive", "proc-receive"):
        hook = remote.folder / "evil.git/hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(touched))}\n")
        hook.chmod(0o755)
    (remote.folder / "link").symlink_to(".")
    remote.configure('[ledger]\nurl = "git:origin"\n')
    repo = a_repo(remote.folder)
    repo.git("remote", "add", "origin", address.format(cwd=remote.folder))
    repo.commit()
    done = remote.run("push", "--first-push", **environ)
    assert not touched.exists()
    assert done.code == 2 and "inside this repository" in done.err, done


def test_the_folder_of_kbsync_keeps_itself_out_of_git_from_the_first_moment(project):
    repo = commit(project.folder)
    assert project.run("lint").code == 0
    assert (project.folder / ".kbsync").is_dir()
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    assert project.run("push").code == 0
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""


def test_the_secret_that_seals_what_waits_is_its_users_alone_and_outside_of_the_repository(
    remote, portal, tmp_path_factory
):
    data = tmp_path_factory.mktemp("data")
    portal.panel.create("handbook", "New", "Text.", slug="new", locale="en")
    assert remote.run("pull", XDG_DATA_HOME=str(data)).code == 0
    (secret,) = data.rglob("secret.json")
    assert secret.parent.stat().st_mode & 0o077 == 0
    found = [place for place in remote.folder.rglob("*") if place.is_file()]
    assert not [place for place in found if secret.read_bytes().strip(b'"') in place.read_bytes()]


def test_looking_for_what_is_not_committed_runs_no_filter_of_the_repository(tmp_path):
    touched = tmp_path / "touched"
    repo = a_repo(tmp_path / "clone")
    (repo.folder / "a.md").write_text("old\n")
    repo.commit()
    (repo.folder / "a.md").write_text("new\n")
    (repo.folder / ".gitattributes").write_text("*.md filter=x\n*.txt filter=a.b\n")
    for name in ("x", "a.b"):
        for key in ("clean", "process"):
            repo.git("config", f"filter.{name}.{key}", f"touch {shlex.quote(str(touched))}; cat")
        repo.git("config", f"filter.{name}.required", "true")
    assert uncommitted(repo.folder, ["a.md"]) == ["a.md"]
    assert changed_files(repo.folder) == {"a.md", ".gitattributes"}
    assert not touched.exists()
    repo.git("config", "filter.x=y.clean", f"touch {shlex.quote(str(touched))}")
    with pytest.raises(ConfigError, match="filter with `=` in its name"):
        uncommitted(repo.folder, ["a.md"])


def test_what_a_committed_repository_would_run_is_refused_before_git_looks_at_files(tmp_path):
    touched, folder = tmp_path / "touched", tmp_path / "content"
    folder.mkdir()
    (folder / "a.md").write_text("text\n")
    an_embedded_repository(folder, touched)
    a_repo(tmp_path)
    with pytest.raises(ConfigError, match="is itself a git repository"):
        uncommitted(folder, ["a.md"])
    assert not touched.exists()
