"""Commands that change files, killed at every single file operation: what they leave is the old tree or becomes the new.

An audit hook of Python sees each operation before it is done, and ends kbsync there. Once it did, nothing else works.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from patience import GIVE_UP_S

REFUNDS, INVOICES = "content/en/billing/refunds.md", "content/en/billing/invoices.md"


class Killed(BaseException):
    """As SIGKILL in this process: nothing of kbsync catches it."""


class Hook:
    """Counts what changes files of a project, and ends it at one of them."""

    def __init__(self) -> None:
        self.folder, self.seen, self.at = "", 0, 0
        sys.addaudithook(self.see)

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder or event not in {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}:
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        path = os.fspath(arguments[0]) if isinstance(arguments[0], str | bytes | os.PathLike) else ""
        if isinstance(path, str) and path.startswith((f"{self.folder}/content", f"{self.folder}/.kbsync/changes")):
            self.seen += 1
            if self.at and self.seen >= self.at:
                raise Killed(event, path)

    def run(self, project: Any, words: tuple[str, ...], at: int = 0) -> int:
        """Run a command; how many operations there were. It is killed at this one."""
        self.folder, self.seen, self.at = os.fspath(project.folder), 0, at
        try:
            project.run(*words)
        except Killed:
            pass
        finally:
            self.folder = ""
        return self.seen


HOOK = Hook()


def lint(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for name in ("a", "b", "c"):
        project.write(f"content/en/billing/{name}.md", f"---\ntitle: {name}\nstatus: draft\n---\n##Steps\n**c ** d\n")
    return ("lint", "--fix"), ("lint", "--fix")


def move(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    project.write("content/en/billing/.keep", "")
    return ("mv", "en/billing", "en/money"), ("mv", "--finish")


def rename(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ("mv", "en/billing/invoices.md", "--slug", "bills"), ("mv", "--finish")


def translate(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    shutil.rmtree(project.folder / "content/fr")
    project.config('[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n')
    for path in (REFUNDS, INVOICES):
        project.write(path, f"---\ntitle: Title\nslug: {Path(path).stem}\nstatus: published\n---\nText.\n")
    assert project.run("translate", "--out", "out").code == 0
    for path in (project.folder / "out/translate").rglob("*.md"):
        path.write_text(path.read_text().replace("Title", "Titre").replace("Text", "Texte"))
    return ("translate", "--in", "out"), ("translate", "--in", "out")


def pull(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    assert project.run("push").code == 0
    project.clear()
    shutil.rmtree(project.folder / ".kbsync/changes", ignore_errors=True)
    project.forget_ledger()
    return ("pull",), ("pull",)


def new(project: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ("new", "article", "en/deep/er/x"), ("new", "article", "en/deep/er/x")


def files(project: Any) -> dict[str, bytes]:
    """What of the content counts: files that a command had not named yet are hidden, and no source."""
    return {path: data for path, data in project.files().items() if "/.kbsync-" not in f"/{path}"}


@pytest.mark.parametrize("prepare", [lint, move, rename, translate, pull, new])
def test_killed_at_every_file_operation_the_tree_is_the_old_or_becomes_the_new(
    project: Any, tmp_path_factory: pytest.TempPathFactory, prepare: Callable[..., Any]
):
    words, again = prepare(project)
    kept, old = tmp_path_factory.mktemp("kept") / "project", files(project)
    shutil.copytree(project.folder, kept, symlinks=True)
    operations = HOOK.run(project, words)
    after, met = files(project), set[str]()
    assert after != old and operations > 2
    for at in range(1, operations + 1):
        shutil.rmtree(project.folder)
        shutil.copytree(kept, project.folder, symlinks=True)
        HOOK.run(project, words, at)
        found = files(project)
        is_ready = any((project.folder / ".kbsync/changes").glob("*/journal"))
        met.add("ready" if is_ready else "old" if found == old else "new" if found == after else "a mixture")
        if is_ready:
            assert project.run("plan").says(3, err=" was interrupted, and some ")
            assert files(project) == found
        if found != after or is_ready:
            project.run(*(again if is_ready else words))
        assert files(project) == after, at
        assert not any((project.folder / ".kbsync/changes").glob("*/journal"))
        assert not (is_ready and [*(project.folder / "content").rglob(".kbsync-*")])
    assert "a mixture" not in met and met >= ({"old"} if words[0] == "new" else {"old", "ready"}), met


KILLING = """
import os, signal, sys
at, seen = int(sys.argv.pop(1)), 0

def see(event, arguments):
    global seen
    ours = any(name in str(arguments[:1]) for name in ("/content", "/changes"))
    if ours and event in {"os.rename", "os.remove", "os.mkdir", "os.rmdir"}:
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(see)
from kbsync.cli import main
main(sys.argv[1:])
"""


def test_a_hand_off_is_taken_back_to_the_end_also_where_its_folder_is_gone(project: Any):
    words, again = translate(project)
    at = HOOK.run(project, words)
    after = left = files(project)
    while left == after:  # The last operations only clear up.
        shutil.rmtree(project.folder / "content/fr")
        shutil.rmtree(project.folder / ".kbsync/changes", ignore_errors=True)
        at -= 1
        HOOK.run(project, words, at)
        left = files(project)
    assert any((project.folder / ".kbsync/changes").glob("*/journal"))
    (project.folder / "out").rename(project.folder / "elsewhere")
    assert "`kbsync translate --in` with the folder of the hand-off" in " ".join(project.run("plan").err.split())
    assert project.run(*again).says(2, err="Finished an earlier `kbsync translate --in`")
    assert files(project) == after
    assert project.run("translate", "--in", "elsewhere").says(0, err="with nothing new to take back")


@pytest.mark.parametrize("prepare", [lint, move, translate])
@pytest.mark.parametrize("at", [2, 4, 7])
def test_a_real_kill_is_finished_by_the_next_command(project: Any, prepare: Callable[..., Any], at: int):
    words, again = prepare(project)
    done = subprocess.run(
        [sys.executable, "-c", KILLING, str(at), *words], cwd=project.folder, capture_output=True, check=False,
        timeout=GIVE_UP_S, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done
    is_ready = any((project.folder / ".kbsync/changes").glob("*/journal"))
    project.run(*(again if is_ready else words))
    left = files(project)
    project.run(*again)
    assert files(project) == left
    assert project.run("plan").code == 0
