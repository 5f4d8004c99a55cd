"""Many pushes at once: on one portal with one ledger, with a ledger each, and on two portals."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kbsync.errors import ExitCode
from kbsync.sandbox import V4_10, V4_16, Behaviour, Sandbox
from rings import ALL, one_of, some
from soak.portal import restore, save

from .processes import all_ended, ended, kbsync, killed, start
from .world import PORTAL, World, a_category, a_project, a_sandbox, a_service, an_article, write_config, write_tree

pytestmark = pytest.mark.slow

EIGHT = 8
TREE = {"en/a/_category.md": a_category("a")} | {
    f"en/a/n{n:02}.md": an_article(f"N{n}", f"Text {n}.") for n in range(24)
}


def a_clone(folder: Path, sandbox: Sandbox, *, portal: str = PORTAL, ledger: str = "ledger.db", tree=TREE) -> Path:
    """A folder with the tree and its own kbsync.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tree(folder / "content", tree)
    write_config(folder, sandbox, f'[ledger]\nurl = "sqlite:{ledger}"\n', portal=portal)
    return folder


def assert_one_of_each(sandbox, portal: str, tree=TREE) -> None:
    there = sandbox.panel.articles(portal)
    wanted = sorted(Path(path).stem for path in tree if not path.endswith("_category.md"))
    assert sorted(article.slug for article in there) == wanted
    assert len({article.title for article in there}) == len(wanted)


@pytest.mark.parametrize(("waits", "version"), one_of((False, V4_16), (True, V4_16), (True, V4_10)))
def test_of_eight_pushes_at_once_with_one_ledger_each_article_is_made_once(tmp_path, waits, version):
    with a_sandbox(tmp_path, replace(version, latency_s=0.01)) as sandbox:
        folder = a_clone(tmp_path / "one", sandbox)
        options = ("--wait",) if waits else ()
        found = all_ended([start(folder, *options) for _ in range(EIGHT)])
        codes = Counter(code for code, _ in found)
        assert codes[ExitCode.DONE] >= (EIGHT if waits else 1)
        assert set(codes) <= {ExitCode.DONE, ExitCode.LEDGER}
        for code, told in found:
            assert ("Another push is running on this portal" in told and "--wait" in told) or code == ExitCode.DONE, (
                told
            )
        assert_one_of_each(sandbox, PORTAL)
        assert ended(start(folder))[1].startswith("Everything is up to date")
        assert sum(request.method == "POST" for request in sandbox.requests) == len(TREE)


def test_of_eight_pushes_at_once_from_eight_clones_each_article_is_made_once_and_all_agree_in_the_end(tmp_path):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.01)) as sandbox:
        clones = [a_clone(tmp_path / f"clone{n}", sandbox) for n in range(EIGHT)]
        first = all_ended([start(clone) for clone in clones])
        assert {code for code, _ in first} <= {ExitCode.DONE, ExitCode.HELD, ExitCode.PARTLY_FAILED}, first
        assert_one_of_each(sandbox, PORTAL)
        for code, told in all_ended([start(clone) for clone in clones]):
            assert code == ExitCode.DONE, told
        assert_one_of_each(sandbox, PORTAL)
        for code, told in all_ended([start(clone) for clone in clones]):
            assert told.startswith("Everything is up to date"), (code, told)


def test_eight_clones_that_disagree_overwrite_nobody_and_say_so(tmp_path):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.01)) as sandbox:
        trees = [{path: text.replace("Text", f"Clone {n}") for path, text in TREE.items()} for n in range(EIGHT)]
        clones = [a_clone(tmp_path / f"clone{n}", sandbox, tree=tree) for n, tree in enumerate(trees)]
        told = all_ended([start(clone) for clone in clones])
        assert_one_of_each(sandbox, PORTAL)
        assert sum(request.method == "PATCH" for request in sandbox.requests) == 0
        texts = {article.content for article in sandbox.panel.articles(PORTAL)}
        for clone, (code, said) in zip(clones, told, strict=True):
            ours = {text.split("---\n", 2)[2] for path, text in _tree_of(clone).items() if "_category" not in path}
            assert code == ExitCode.DONE if ours <= texts else code in {ExitCode.HELD, ExitCode.PARTLY_FAILED}
            assert ours <= texts or "is taken by article" in said or "differs on the portal" in said, said


def _tree_of(clone: Path) -> dict[str, str]:
    root = clone / "content"
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in root.rglob("*.md")}


def test_pushes_at_once_on_two_portals_with_one_ledger_do_not_wait_for_each_other(tmp_path):
    other = {path.replace("en/a/n", "en/a/m"): text for path, text in TREE.items()}
    with a_sandbox(tmp_path, Behaviour(latency_s=0.01)) as sandbox:
        ledger = str(tmp_path / "shared.db")
        one = a_clone(tmp_path / "one", sandbox, ledger=ledger)
        two = a_clone(tmp_path / "two", sandbox, portal="other", ledger=ledger, tree=other)
        # The ledger is in neither repository.
        assert [code for code, _ in all_ended([kbsync(one, "trust"), kbsync(two, "trust")])] == [ExitCode.DONE] * 2
        assert [code for code, _ in all_ended([start(one), start(two)])] == [ExitCode.DONE, ExitCode.DONE]
        codes = Counter(code for code, _ in all_ended([start(folder, "--wait") for folder in (one, two) * 4]))
        assert codes == {ExitCode.DONE: EIGHT}
        assert_one_of_each(sandbox, PORTAL)
        assert_one_of_each(sandbox, "other", other)


@pytest.mark.parametrize(("after", "version"), one_of((False, V4_16), (True, V4_16), (True, V4_10)))
def test_a_push_killed_at_every_request_before_and_after_it_is_answered_is_finished_by_the_next(
    tmp_path, after, version, record_property
):
    tree = dict(list(TREE.items())[:5])
    edited = {path: text.replace("Text", "New text") for path, text in tree.items()}
    edited |= {"en/a/more.md": an_article("More"), "fr/a/_category.md": a_category("a")}
    with a_sandbox(tmp_path, replace(version, latency_s=0.002)) as sandbox:
        project = a_project(tmp_path / "project", sandbox.base_url, tree)
        with a_service(sandbox.base_url, project.workspace().profile) as service:
            world = World(sandbox, project, service)
            world.push()
            save(sandbox, tmp_path / "before.db")
            with project.ledger() as ledger:
                ledger.db.run("VACUUM INTO ?", (str(tmp_path / "before.ledger"),))
            kills = 0
            for nth in some(range(1, 60)):
                restore(sandbox, tmp_path / "before.db")
                world.forget()
                shutil.copy(tmp_path / "before.ledger", tmp_path / "project" / "ledger.db")
                folder = a_clone(tmp_path / "project", sandbox, tree=edited)
                if not _killed_at(sandbox, folder, nth, after=after):
                    break
                kills += 1
                code, told = ended(start(folder))
                assert code == ExitCode.DONE, (nth, told)
                assert_one_of_each(sandbox, PORTAL, edited)
                world.assert_settled()
            assert kills >= (11 if ALL else 3)
    record_property("schedules", kills)


def _killed_at(sandbox, folder: Path, nth: int, *, after: bool) -> bool:
    """Push, and kill the process when its n-th request comes in, or when that one is carried out; False: it ended."""
    last = sandbox.faults.number + nth + after
    process = killed(sandbox, lambda: start(folder), lambda: sandbox.faults.number == last, None)
    return process.returncode != ExitCode.DONE
