"""A plan that had nothing to do is remembered, and what is remembered is always what planning anew would say."""

import json
import os
import random
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from cli.conftest import Project
from kbsync.app.planning.plan_cache import YOUNG_NS, inputs_of, recall, remember
from kbsync.app.reading import read_content
from kbsync.app.session import Session
from kbsync.app.sides import Portal, Recorded
from kbsync.app.workspace import Workspace
from kbsync.config import read_settings
from kbsync.content.tree import RACY_NS
from kbsync.content.walk import walk_tree
from kbsync.errors import ExitCode
from kbsync.model import Plan
from kbsync.sandbox import V4_2, Sandbox
from kbsync.service.portal import PortalInfo
from kbsync.service.snapshot import Snapshot
from kept import forget, knows
from patience import eventually
from rings import one_of

pytestmark = pytest.mark.slow


REFUNDS = "content/en/billing/refunds.md"
ADD_LOCALE = """UPDATE portals SET config = replace(config, '"fr"', '"fr","de"')"""
LONG_AGO_NS = (10**18, 10**18)
FAR_AHEAD_NS = (4 * 10**18, 4 * 10**18)
"""A file of such a time is young for as long as a test may take."""


@pytest.fixture
def quiet(remote: Project, portal: Sandbox) -> Project:
    """Pushed, settled, and planned: from here on a plan can be remembered. Lint has two warnings of it."""
    remote.config(remote.read("kbsync.toml").replace("[service]", '[service]\nprofile = "own.toml"'))
    remote.write("own.toml", 'extends = "chatwoot"\n')
    remote.write(REFUNDS, "---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md), [x](gone.md) ![y](a.png)\n")
    os.utime(remote.folder / REFUNDS, ns=LONG_AGO_NS)
    assert remote.run("push").code == 0
    # In a locale that the portal does not have (yet) nobody sees an article.
    portal.panel.create("handbook", "Versteckt", "Text.")
    portal.panel.sql("UPDATE articles SET locale = 'de' WHERE title = 'Versteckt'")
    # The portal's clock has whole seconds, and what is as young as a listing is not settled.
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    # Nor is what was written within a tick of the file system's clock.
    settle(remote)
    remote.run("plan")
    assert records(remote)
    return remote


def settle(project: Project) -> None:
    """Wait until no file is so young that it may change unseen."""
    paths = [path for path in project.folder.rglob("*") if path.is_file()]
    newest_ns = max(max(path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in paths)
    eventually(lambda: time.time_ns() - newest_ns > max(YOUNG_NS, RACY_NS), "every file is old enough")


def records(project: Project) -> bool:
    return knows(project.folder, "plan")


CHECK = ("plan", "--check", "--format", "json", "--unmanaged")


def said(project: Project, *words: str, **environ: str) -> tuple[int, str, str]:
    done = project.run(*words, **environ)
    # How long it will take depends on how fast the portal answers just now.
    return done.code, re.sub(r'("seconds": ?)[0-9.]+', r"\g<1>0", done.out), done.err


def said_anew(project: Project, *words: str, **environ: str) -> tuple[int, str, str]:
    """What a command says that has no cache at all."""
    memory, aside = project.folder / ".kbsync" / "cache.db", project.folder / ".kbsync" / "aside"
    memory.rename(aside)
    try:
        return said(project, *words, **environ)
    finally:
        memory.unlink(missing_ok=True)
        aside.rename(memory)


def told(project: Project, *words: str, **environ: str) -> tuple[int, str, str]:
    return said(project, *CHECK, *words, **environ)


def told_anew(project: Project, *words: str, **environ: str) -> tuple[int, str, str]:
    """What a plan says that has no cache at all."""
    return said_anew(project, *CHECK, *words, **environ)


def test_a_remembered_plan_says_the_same_again_and_again_and_decodes_no_source(quiet: Project):
    expected = told_anew(quiet)
    assert told(quiet) == told(quiet) == expected
    forget(quiet.folder, "source")
    assert told(quiet) == expected
    assert not knows(quiet.folder, "source")


def test_a_remembered_plan_asks_the_portal_as_often_as_another(quiet: Project, portal: Sandbox):
    before = len(portal.requests)
    told(quiet)
    remembered = len(portal.requests) - before
    forget(quiet.folder, "plan")
    told(quiet)
    assert len(portal.requests) - before == 2 * remembered


def test_a_remembered_plan_is_sent_the_articles_of_a_list_only_where_that_changed(quiet: Project, portal: Sandbox):
    def statuses(locale: str) -> list[str]:
        log = quiet.folder / "requests.log"
        quiet.run("plan", "--log-file", log.name)
        lines = [line for line in log.read_text().splitlines() if f"/articles?locale={locale}" in line]
        log.unlink()
        return [line.split()[3] for line in lines]

    assert (statuses("en"), statuses("fr")) == (["304"], ["304"])
    portal.panel.sql("UPDATE articles SET views = coalesce(views, 0) + 1 WHERE slug = 'refunds'")
    assert (statuses("en"), statuses("fr")) == (["200"], ["304"])


def test_a_push_with_nothing_to_do_asks_what_a_plan_asks_and_leaves_the_ledger_alone(quiet: Project, portal: Sandbox):
    ledger = quiet.folder / ".kbsync" / "ledger.db"
    before, kept = len(portal.requests), ledger.read_bytes()
    told(quiet)
    planned = len(portal.requests) - before
    pushed = quiet.run("push")
    assert (pushed.code, len(portal.requests) - before) == (0, 2 * planned)
    assert "Everything is up to date" in pushed.out and "This was run" not in pushed.out
    assert ledger.read_bytes() == kept
    found = json.loads(quiet.run("push", "--format", "json").out)
    assert (found["run"], found["changes"], found["summary"]["requests"]) == (None, [], planned)
    before = len(portal.requests)
    told(quiet)
    assert len(portal.requests) - before == planned


def test_a_push_after_an_edit_in_the_panel_does_not_go_by_its_memory(quiet: Project, portal: Sandbox):
    portal.panel.edit("refunds", title="Money back")
    assert quiet.run("push").says(ExitCode.HELD, "Money back")


def test_a_push_whose_portal_moved_runs_the_command_for_the_token_once(quiet: Project, portal: Sandbox):
    asked = quiet.folder / "asked"
    command = quiet.write("token.sh", f"#!/bin/sh\necho x >> {asked}\necho {quiet.environ.pop('KBSYNC_TOKEN')}\n")
    command.chmod(0o700)
    portal.panel.edit("refunds", title="Money back")
    pushed = quiet.run("push", KBSYNC_SERVICE__TOKEN_COMMAND=str(command))
    assert pushed.code == ExitCode.HELD and asked.read_text() == "x\n"


def touch_quietly(project: Project, portal: Sandbox) -> None:
    """Other bytes, the same size and modification time."""
    file = project.folder / REFUNDS
    file.write_bytes(file.read_bytes().replace(b"See", b"Sea"))
    os.utime(file, ns=LONG_AGO_NS)


def edit_ledger(project: Project, statement: str) -> None:
    """As another run would, that is over by now."""
    with closing(sqlite3.connect(project.folder / ".kbsync" / "ledger.db")) as ledger, ledger:
        assert ledger.execute(statement).rowcount
    settle(project)


CHANGES: dict[str, Callable[[Project, Sandbox], object]] = {
    "an article edited": lambda p, _: p.write(REFUNDS, "---\ntitle: Refund a charge\n---\nOther.\n"),
    "an article touched": lambda p, _: os.utime(p.folder / REFUNDS),
    "bytes changed behind the clock's back": touch_quietly,
    "an article added": lambda p, _: p.write("content/en/billing/new.md", "# New\nText.\n"),
    "a missing link's target added": lambda p, _: p.write("content/en/billing/gone.md", "# There\nText.\n"),
    "an article deleted": lambda p, _: (p.folder / REFUNDS).unlink(),
    "an article renamed": lambda p, _: (p.folder / REFUNDS).rename(p.folder / "content/en/billing/back.md"),
    "an image added": lambda p, _: p.write("content/en/billing/a.png", "png"),
    "a file that is no UTF-8": lambda p, _: (p.folder / "content/en/bad.md").write_bytes(b"\xff\xfe\xff"),
    "a link to nowhere": lambda p, _: (p.folder / "content/en/link.md").symlink_to("nothing.md"),
    "another profile in the same file": lambda p, _: p.write(
        "own.toml", 'extends = "chatwoot"\n[limits]\ntitle_chars = 3\n'
    ),
    "an address of another shape": lambda p, _: p.write(
        "own.toml", 'extends = "chatwoot"\n[public]\narticle_url = "/{portal}/{slug}"\n'
    ),
    "a locale added to the portal": lambda _, s: s.panel.sql(ADD_LOCALE),
    "a finding ignored": lambda p, _: p.configure('[lint]\nignore = ["KB301"]\n'),
    "publish switched on": lambda p, _: p.configure("[push]\npublish = true\n"),
    "the ledger gone": lambda p, _: (p.folder / ".kbsync" / "ledger.db").unlink(),
    "another base in the ledger": lambda p, _: edit_ledger(p, "UPDATE item SET fields = replace(fields, 'Inv', 'Enf')"),
    "a row gone from the ledger": lambda p, _: edit_ledger(p, "DELETE FROM item WHERE slug = 'invoices'"),
    "an article edited in the panel": lambda _, s: s.panel.edit("refunds", title="Money back"),
    "an article deleted in the panel": lambda _, s: s.panel.delete("invoices"),
    "an article made in the panel": lambda _, s: s.panel.create("handbook", "Invoices", "By hand."),
    "a category edited in the panel": lambda _, s: s.panel.sql("UPDATE categories SET name = 'Money'"),
    "a category's slug changed in the panel": lambda _, s: s.panel.sql("UPDATE categories SET slug = slug || '-x'"),
    "an article edited here and there": lambda p, s: (
        p.write(REFUNDS, "---\ntitle: Ours\n---\nOther.\n"),
        s.panel.edit("refunds", title="Theirs"),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_changes_the_plan_is_that_of_one_without_a_memory(quiet: Project, portal: Sandbox, name: str):
    CHANGES[name](quiet, portal)
    after = told(quiet)
    assert after == told_anew(quiet)
    assert told(quiet) == after


@pytest.mark.parametrize(
    ("words", "environ"),
    [
        (("--publish",), {}), (("--full",), {}), (("locale:fr",), {}), (("--overwrite", "locale:en"), {}),
        ((), {"KBSYNC_CONTENT__DEFAULT_LOCALE": "fr"}), ((), {"KBSYNC_SERVICE__PORTAL": "other"}),
        ((), {"KBSYNC_LINT__IGNORE": "KB301"}),
    ],
)  # fmt: skip
def test_other_wishes_and_settings_are_planned_anew(quiet: Project, words: tuple[str, ...], environ: dict[str, str]):
    assert told(quiet, *words, **environ) == told_anew(quiet, *words, **environ)


def test_a_plan_with_something_to_do_is_not_remembered(remote: Project):
    remote.run("plan")
    assert not records(remote)


@pytest.fixture
def workspace(quiet: Project) -> Workspace:
    return Workspace(read_settings(quiet.folder / "kbsync.toml", environ=quiet.environ), Session())


def side(workspace: Workspace) -> bytes | None:
    return inputs_of(workspace, walk_tree(workspace.settings.content_root))


def test_a_ledger_that_was_just_written_has_no_sure_name(quiet: Project, workspace: Workspace):
    first = side(workspace)
    assert first is not None
    ledger = quiet.folder / ".kbsync" / "ledger.db"
    os.utime(ledger, ns=FAR_AHEAD_NS)
    assert side(workspace) is None
    os.utime(ledger)
    settle(quiet)
    assert side(workspace) not in {None, first}


def test_a_plan_of_a_source_that_may_still_change_unseen_is_not_remembered(quiet: Project, workspace: Workspace):
    forget(quiet.folder, "plan")
    portal = Portal([], complete=True, info=PortalInfo("handbook", "", (), archived=False), snapshot=Snapshot())
    os.utime(quiet.write(REFUNDS, "# Refunds\nText.\n"), ns=FAR_AHEAD_NS)
    remember(workspace, read_content(workspace), side(workspace), portal, Plan(workspace.target), 0.0, Recorded())
    assert not records(quiet)
    os.utime(quiet.folder / REFUNDS, ns=LONG_AGO_NS)
    settle(quiet)
    remember(workspace, read_content(workspace), side(workspace), portal, Plan(workspace.target), 0.0, Recorded())
    assert records(quiet)


@pytest.mark.parametrize(("date", "is_used"), [("2099-12-01", True), ("2020-12-01", False)])
def test_a_plan_is_remembered_until_the_first_date_at_which_something_is_published(
    quiet: Project, workspace: Workspace, date: str, is_used: bool
):
    text = f"---\nstatus: published\npublish_on: {date}\n---\n# Refunds\nText.\n"
    os.utime(quiet.write(REFUNDS, text), ns=LONG_AGO_NS)
    settle(quiet)
    portal = Portal([], complete=True, info=PortalInfo("handbook", "", (), archived=False), snapshot=Snapshot())
    remember(workspace, read_content(workspace), side(workspace), portal, Plan(workspace.target), 0.0, Recorded())
    assert (recall(workspace, side(workspace)) is not None) is is_used


def test_a_source_that_another_command_read_meanwhile_is_no_stranger_to_its_own_past(quiet: Project):
    invoices = "content/en/billing/invoices.md"
    quiet.write(REFUNDS, "---\ntitle: Refund a charge\n---\n[a](invoices.md#before) ![y](a.png)\n")
    quiet.write(invoices, "---\ntitle: Invoices\n---\n## Before\nText.\n")
    for path in (REFUNDS, invoices):
        os.utime(quiet.folder / path, ns=LONG_AGO_NS)
    quiet.run("push")
    settle(quiet)
    quiet.run("plan")
    assert "KB302" not in quiet.run("lint").out
    quiet.write(invoices, "---\ntitle: Invoices\n---\n## After\nText.\n")
    assert "KB302" in quiet.run("lint").out
    assert "KB302" in told(quiet)[1]


EDITED = (
    "Text.\n", "[x](gone.md)\n", "## A heading\n", "<!-- kbsync-ignore KB301 -->\n[x](gone.md)\n", "", "![y](b.png)\n",
)  # fmt: skip


@pytest.mark.parametrize("body", EDITED)
def test_lint_of_a_source_that_moved_says_what_linting_everything_says(quiet: Project, body: str):
    quiet.run("lint")
    quiet.write(REFUNDS, f"---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md) ![y](a.png)\n{body}")
    beside = quiet.run("lint", "--format", "json")
    again = quiet.run("lint", "--format", "json")
    (quiet.folder / ".kbsync" / "cache.db").unlink()
    anew = quiet.run("lint", "--format", "json")
    assert (beside.code, beside.out) == (again.code, again.out) == (anew.code, anew.out)


@pytest.mark.parametrize("seed", one_of(*range(4)))
def test_commands_that_take_turns_say_what_each_says_without_a_cache(quiet: Project, seed: int):
    chance = random.Random(seed)
    invoices = "content/en/billing/invoices.md"
    bodies = (*EDITED, "More [i](invoices.md).\n", "Other.\n")
    for _ in range(6):
        for _ in range(chance.randint(1, 2)):
            path, title = chance.choice([(REFUNDS, "Refund a charge"), (invoices, "Invoices")])
            quiet.write(path, f"---\ntitle: {title}\n---\nSee [x](refunds.md#a-heading)\n{chance.choice(bodies)}")
        # What is young is read again in any case, and what is kept of it is to be tried here.
        settle(quiet)
        for command in chance.sample(["lint", "plan", "push", "touch"], k=3):
            if command == "touch":
                os.utime(quiet.folder / chance.choice([REFUNDS, invoices]))
                settle(quiet)
            elif command == "push":
                quiet.run("push")
                assert told(quiet)[0] == 0
            else:
                words = (command, "--format", "json")
                assert said(quiet, *words) == said_anew(quiet, *words)


@pytest.mark.parametrize("portal", [V4_2], indirect=True)
def test_a_plan_is_remembered_although_the_list_of_categories_hides_one(remote: Project, portal: Sandbox):
    for number in range(120):
        remote.write(f"content/en/c{number:03}/_category.md", f"---\nname: C{number}\n---\n")
    assert remote.run("push").code == 0
    portal.panel.sql("UPDATE articles SET updated_at = updated_at - 60000000")
    settle(remote)
    expected = told(remote)
    assert records(remote)
    forget(remote.folder, "source")
    before = len(portal.requests)
    assert told(remote) == expected
    assert not knows(remote.folder, "source")
    assert any("/categories/" in request.path for request in portal.requests[before:])
