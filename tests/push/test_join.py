"""Several runners at work on one push: with PostgreSQL from anywhere, with SQLite from one machine."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kbsync.errors import ExitCode
from kbsync.sandbox import Behaviour

from .test_many import CONFIG, assert_one_of_each, ended, start
from .world import PORTAL, a_category, a_sandbox, an_article, write_tree

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
        return request.getfixturevalue("postgres").new_database()
    return f"sqlite:{tmp_path / 'shared.db'}"


def a_machine(folder: Path, base_url: str, url: str, tree=TREE) -> Path:
    """A clone of its own; only the ledger is shared."""
    write_tree(folder / "content", tree)
    text = CONFIG.format(base_url=base_url, portal=PORTAL, root="content", ledger="")
    text = text.replace('url = "sqlite:"', f'url = "{url}"') + "[push]\npublish = true\n"
    (folder / "kbsync.toml").write_text(text, "utf-8")
    return folder


def until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something is so, or the process has ended."""
    end = time.monotonic() + 30
    while not condition() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)


def writes(sandbox) -> int:
    return sum(request.method in {"POST", "PATCH"} for request in sandbox.requests)


def agree(sandbox, folder: Path) -> None:
    """One article for each source, and nothing left to do."""
    assert_one_of_each(sandbox, PORTAL, SLUGS)
    assert sum(article.status == 1 for article in sandbox.panel.articles(PORTAL)) == ARTICLES // 2
    code, told = ended([start(folder)])[0]
    assert (code, told.split(":")[0]) == (ExitCode.DONE, "Nothing to do"), told


@pytest.mark.parametrize("killed", ["none", "a joiner", "the leader"])
def test_four_runners_make_each_article_once_also_when_one_of_them_is_killed(tmp_path, ledger_url, killed):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.07)) as sandbox:
        machines = [a_machine(tmp_path / f"m{n}", sandbox.base_url, ledger_url) for n in range(4)]
        leader = start(machines[0])
        until(lambda: writes(sandbox) >= 3, leader)
        joiners = [start(machine, "--join") for machine in machines[1:]]
        until(lambda: writes(sandbox) >= 40, leader)
        victim = {"none": None, "a joiner": joiners[0], "the leader": leader}[killed]
        if victim is not None:
            victim.send_signal(signal.SIGKILL)
        told = ended([leader, *joiners])
        survivors = [
            (code, text)
            for (code, text), process in zip(told, [leader, *joiners], strict=True)
            if process is not victim
        ]
        assert {code for code, _ in survivors} == {ExitCode.DONE}, survivors
        assert any("article" in text for _, text in told[2:]), told
        if victim is not leader:
            assert f"{2 * ARTICLES} articles created as drafts" in told[0][1]
            assert f"{ARTICLES // 2} articles published" in told[0][1]
        creates = sum(r.method == "POST" and r.status == 200 for r in sandbox.requests)
        assert creates == len(TREE)
        agree(sandbox, machines[1])


def test_a_runner_with_another_tree_may_not_join(tmp_path, ledger_url):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.03)) as sandbox:
        one = a_machine(tmp_path / "one", sandbox.base_url, ledger_url)
        other = a_machine(tmp_path / "other", sandbox.base_url, ledger_url, TREE | {"en/a/n00.md": an_article("Else")})
        leader = start(one)
        until(lambda: writes(sandbox) >= 3, leader)
        code, told = ended([start(other, "--join")])[0]
        assert code == ExitCode.HELD and "has another content tree" in told
        assert ended([leader])[0][0] == ExitCode.DONE
        agree(sandbox, one)


def test_where_no_push_is_under_way_there_is_nothing_to_join_and_that_is_no_failure(tmp_path, ledger_url):
    with a_sandbox(tmp_path) as sandbox:
        machine = a_machine(tmp_path / "one", sandbox.base_url, ledger_url)
        code, told = ended([start(machine, "--join")])[0]
        assert code == ExitCode.DONE and "No push is under way" in told
        assert writes(sandbox) == 0


def test_a_runner_that_is_asked_to_stop_leaves_its_part_to_the_others(tmp_path, ledger_url):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.03)) as sandbox:
        one, two = (a_machine(tmp_path / name, sandbox.base_url, ledger_url) for name in ("one", "two"))
        leader = start(one)
        until(lambda: writes(sandbox) >= 3, leader)
        joiner = start(two, "--join")
        until(lambda: writes(sandbox) >= 40, leader)
        joiner.send_signal(signal.SIGINT)
        (code, told), (left, said) = ended([leader, joiner])
        assert code == ExitCode.DONE, told
        assert left in {ExitCode.DONE, ExitCode.INTERRUPTED}, said
        agree(sandbox, one)


def test_two_pushes_from_two_machines_with_one_ledger_wait_for_each_other_or_are_told(tmp_path, ledger_url):
    with a_sandbox(tmp_path, Behaviour(latency_s=0.15)) as sandbox:
        one, two, three = (a_machine(tmp_path / name, sandbox.base_url, ledger_url) for name in ("one", "two", "three"))
        first = start(one)
        until(lambda: writes(sandbox) >= 3, first)
        waiting, refused = start(two, "--wait"), start(three)
        told = ended([first, waiting, refused])
        assert [code for code, _ in told] == [ExitCode.DONE, ExitCode.DONE, ExitCode.LEDGER], told
        assert "waiting for" in told[1][1] and "another push is at work" in told[2][1]
        agree(sandbox, two)
