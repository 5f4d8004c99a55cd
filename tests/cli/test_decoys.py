"""A stranger's repository with modules named like ours in it, and like Python's own: none of them is ever imported."""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from itertools import product
from pathlib import Path

import httpx
import pytest

from kbsync.content.parsing import PARALLEL_FROM
from patience import GIVE_UP_S
from rings import one_of

pytestmark = pytest.mark.slow

STARTER = """\
import multiprocessing, sys
from kbsync.cli import main

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    main()
"""
"""As the console script, that lies beside Python and not in the folder; and with another way to start processes."""

METHODS = ("fork", "spawn", "forkserver") if os.name == "posix" else ("spawn",)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A project with many articles, and a module for each name that anybody here could import."""
    folder = tmp_path_factory.mktemp("hostile") / "clone"
    billing = folder / "content/en/billing"
    billing.mkdir(parents=True)
    (folder / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n', "utf-8")
    (billing / "_category.md").write_text("---\nname: Billing\n---\n", "utf-8")
    for number in range(PARALLEL_FROM + 10):
        (billing / f"a-{number}.md").write_text(f"---\ntitle: A {number}\n---\nText {number}.\n", "utf-8")
    names = {*sys.stdlib_module_names, *packages_distributions(), "kbsync", "sitecustomize", "usercustomize"}
    assert {"yaml", "msgspec", "httpx", "click", "pickle", "multiprocessing"} <= names
    for name in names:
        if name.isidentifier():
            trap = f"import os\nopen({str(folder / 'trapped')!r}, 'a').write(__name__ + ' ')\n"
            (folder / f"{name}.py").write_text(trap, "utf-8")
    return folder


def started(hostile: Path, *arguments: str, method: str) -> tuple[list[str], dict[str, str]]:
    starter = hostile.parent / "starter.py"
    starter.write_text(STARTER, "utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KBSYNC_")}
    return [sys.executable, str(starter), method, *arguments], clean


def trapped(hostile: Path) -> str:
    mark = hostile / "trapped"
    return mark.read_text("utf-8") if mark.exists() else ""


@pytest.mark.parametrize(("command", "method"), [*product(["lint"], METHODS), *one_of(*product(["plan"], METHODS))])
def test_processes_that_parse_many_files_import_nothing_of_the_folder(hostile, method, command):
    words, environ = started(hostile, command, method=method)
    (hostile / ".kbsync/cache.db").unlink(missing_ok=True)
    done = subprocess.run(
        words, cwd=hostile, env=environ, capture_output=True, text=True, timeout=GIVE_UP_S, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert trapped(hostile) == ""
    assert done.returncode == 0, done.stderr


def test_a_safe_start_as_a_module_imports_nothing_of_the_folder(hostile):
    """As SECURITY.md says it: without `-P` Python itself imports from the folder, before kbsync is there."""
    words = [sys.executable, "-P", "-m", "kbsync", "lint", "content/en/billing/_category.md"]
    done = subprocess.run(
        words, cwd=hostile, capture_output=True, text=True, timeout=GIVE_UP_S, check=False, stdin=subprocess.DEVNULL
    )
    assert (trapped(hostile), done.returncode) == ("", 0), done.stderr


@pytest.mark.parametrize("method", METHODS)
def test_the_reader_of_the_preview_imports_nothing_of_the_folder(hostile, method):
    words, environ = started(hostile, "preview", "--port", "0", method=method)
    (hostile / ".kbsync/cache.db").unlink(missing_ok=True)
    with subprocess.Popen(words, cwd=hostile, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().rpartition(" ")[2].strip()
            # The search waits until all is read, so the reader has ended.
            found = httpx.get(f"{address.rstrip('/')}/-/search/en.json", timeout=GIVE_UP_S)
        finally:
            process.terminate()
    assert found.status_code == 200
    assert trapped(hostile) == ""


def test_as_a_module_kbsync_takes_its_libraries_from_elsewhere_although_python_put_the_folder_first(project):
    for name in ("yaml", "msgspec", "click", "httpx", "pyromark", "markdown_it"):
        project.write(f"{name}.py", "open('trapped', 'w')\n")
    assert project.run("plan").code == 0
    assert not (project.folder / "trapped").exists()
