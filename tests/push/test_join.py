"""Several runners at work on one push: with PostgreSQL from anywhere, with SQLite from one machine."""

import signal
from pathlib import Path

import pytest

from kbsync.errors import ExitCode
from kbsync.sandbox import Fault, Sandbox
from patience import eventually
from rings import one_of

from .processes import AT_ONCE, HOLD_ARTICLES, all_ended, are_held, done, ended, heard, kbsync, start
from .test_many import assert_one_of_each
from .world import PORTAL, a_category, a_sandbox, an_article, write_config, write_tree

pytestmark = pytest.mark.slow

ARTICLES = 48
TREE = {f"{locale}/a/_category.md": a_category("a") for locale in ("en", "fr")} | {
    f"{locale}/a/n{n:02}.md": an_article(f"N{n} {locale}", f"Text {n}.", status="published" if n % 4 == 0 else "draft")
    for n in range(ARTICLES)
    for locale in ("en", "fr")
}
SLUGS = {f"{name}.md": "" for n in range(ARTICLES) for name in (f"n{n:02}", f"n{n:02}-fr")}
LEDGERS = ("sqlite", "postgresql")


@pytest.fixture(params=LEDGERS)
def ledger_url(request, tmp_path) -> str:
    if request.param == "postgresql":
        return request.getfixturevalue("postgres").database_for(request)
    return f"sqlite:{tmp_path / 'shared.db'}"


def a_machine(folder: Path, sandbox: Sandbox, url: str, tree=TREE) -> Path:
    """A clone of its own; only the ledger is shared."""
    write_tree(folder / "content", tree)
    write_config(folder, sandbox, f'[ledger]\nurl = "{url}"\n[push]\npublish = true\n')
    # The ledger is not in its repository.
    done(kbsync(folder, "trust"))
    return folder


def writes(sandbox) -> int:
    return sum(request.method in {"POST", "PATCH"} for request in sandbox.requests)


def agree(sandbox, folder: Path) -> None:
    """One article for each source, and nothing left to do."""
    assert_one_of_each(sandbox, PORTAL, SLUGS)
    assert sum(article.status == 1 for article in sandbox.panel.articles(PORTAL)) == ARTICLES // 2
    code, told = ended(start(folder))
    assert (code, told.split(" (")[0]) == (ExitCode.DONE, "Everything is up to date"), told


@pytest.mark.parametrize("killed", one_of("none", "a joiner", "the leader"))
def test_four_runners_make_each_article_once_also_when_one_of_them_is_killed(tmp_path, ledger_url, killed):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(HOLD_ARTICLES)
        machines = [a_machine(tmp_path / f"m{n}", sandbox, ledger_url) for n in range(4)]
        leader = start(machines[0])
        are_held(sandbox, AT_ONCE, leader)
        joiners = [start(machine, "--join") for machine in machines[1:]]
        are_held(sandbox, 4 * AT_ONCE, leader, *joiners)
        victim = {"none": None, "a joiner": joiners[0], "the leader": leader}[killed]
        if victim is not None:
            victim.kill()
            victim.communicate()
        sandbox.release()
        told = {process: ended(process) for process in (leader, *joiners) if process is not victim}
        assert {code for code, _ in told.values()} == {ExitCode.DONE}, told
        assert all("article" in text for text in (told[joiner][1] for joiner in joiners if joiner in told)), told
        if victim is not leader:
            assert f"{2 * ARTICLES} articles created as drafts" in told[leader][1]
            assert f"{ARTICLES // 2} articles published" in told[leader][1]
        creates = sum(r.method == "POST" and r.status == 200 for r in sandbox.requests)
        assert creates == len(TREE)
        agree(sandbox, machines[1])


def test_a_runner_with_another_tree_may_not_join(tmp_path, ledger_url):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(HOLD_ARTICLES)
        one = a_machine(tmp_path / "one", sandbox, ledger_url)
        other = a_machine(tmp_path / "other", sandbox, ledger_url, TREE | {"en/a/n00.md": an_article("Else")})
        leader = start(one)
        are_held(sandbox, AT_ONCE, leader)
        code, told = ended(start(other, "--join"))
        assert code == ExitCode.HELD and "was started with other files or settings" in told
        sandbox.release()
        done(leader)
        agree(sandbox, one)


def test_where_no_push_is_under_way_there_is_nothing_to_join_and_that_is_no_failure(tmp_path, ledger_url):
    with a_sandbox(tmp_path) as sandbox:
        machine = a_machine(tmp_path / "one", sandbox, ledger_url)
        assert "No push is running" in done(start(machine, "--join"))
        assert writes(sandbox) == 0


def test_a_runner_that_is_asked_to_stop_leaves_its_part_to_the_others(tmp_path, ledger_url):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(HOLD_ARTICLES)
        one, two = (a_machine(tmp_path / name, sandbox, ledger_url) for name in ("one", "two"))
        leader = start(one)
        are_held(sandbox, AT_ONCE, leader)
        joiner = start(two, "--join")
        are_held(sandbox, 2 * AT_ONCE, leader, joiner)
        joiner.send_signal(signal.SIGINT)
        heard(joiner, "Stopping")
        sandbox.release()
        (code, told), (left, said) = all_ended([leader, joiner])
        assert code == ExitCode.DONE, told
        assert left in {ExitCode.DONE, ExitCode.INTERRUPTED}, said
        agree(sandbox, one)


def test_two_pushes_from_two_machines_with_one_ledger_wait_for_each_other_or_are_told(tmp_path, ledger_url):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(HOLD_ARTICLES)
        one, two, three = (a_machine(tmp_path / name, sandbox, ledger_url) for name in ("one", "two", "three"))
        first = start(one)
        are_held(sandbox, AT_ONCE, first)
        waiting = start(two, "--wait")
        heard(waiting, "Waiting for")
        code, told = ended(start(three))
        assert code == ExitCode.LEDGER and "Another push is running" in told, told
        sandbox.release()
        done(first)
        done(waiting)
        agree(sandbox, two)


def test_who_joins_while_images_are_uploaded_sends_the_articles_that_show_them(tmp_path, ledger_url):
    shown = {f"en/a/i{n:02}.md": an_article(f"I{n}", "![Dot](dot.gif)") for n in range(4 * AT_ONCE)}
    tree = {"en/a/_category.md": a_category("a"), "fr/a/_category.md": a_category("a"), **shown}
    with a_sandbox(tmp_path) as sandbox:
        sandbox.faults.add(Fault("hold", path="/upload"))
        machines = [a_machine(tmp_path / f"m{n}", sandbox, ledger_url, tree) for n in range(2)]
        for machine in machines:
            (machine / "content/en/a/dot.gif").write_bytes(b"GIF89a" + bytes([1, 0, 1, 0, 0, 0, 0, 0x3B]))
        leader = start(machines[0])
        are_held(sandbox, 1, leader)
        before = len(sandbox.requests)
        joiner = start(machines[1], "--join")
        # With the author of what it sends it knows all that it asks for before the leader offers something.
        eventually(lambda: any("profile" in done.path for done in sandbox.requests[before:]), "it is about to wait")
        sandbox.faults.add(HOLD_ARTICLES)
        sandbox.run(lambda _world: sandbox.app.held.release())
        are_held(sandbox, 2 * AT_ONCE, leader, joiner)
        sandbox.release()
        done(leader)
        done(joiner)
