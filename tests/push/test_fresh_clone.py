"""A fresh clone without a ledger, as a CI job has it: what git says was ours goes out, and git is asked only then."""

import json
import os
import shutil
from pathlib import Path

import pytest

from builders import write_files
from repo import Repo, a_repo, needs_git

from .project import Project
from .world import PORTAL

pytestmark = [needs_git, pytest.mark.slow]

REFUNDS = "content/en/billing/refunds.md"
TREE = {
    ".gitignore": ".kbsync/\n",
    "content/en/billing/_category.md": "---\nname: Billing\n---\n",
    "content/fr/billing/_category.md": "---\nname: Facturation\n---\n",
    REFUNDS: "---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md).\n",
    "content/en/billing/invoices.md": "---\ntitle: Invoices\nposition: 20\n---\nText.\n",
    "content/fr/billing/refunds.md": "---\ntitle: Rembourser\n---\nTexte.\n",
}
EDITED = {REFUNDS: "---\ntitle: Refund a charge\n---\nAsk us. See [invoices](invoices.md).\n"}


@pytest.fixture
def origin(project: Project) -> Repo:
    """TREE in git, and pushed."""
    repo = a_repo(project.folder)
    repo.commit()
    assert project.run("push").code == 0
    return repo


def edit(origin: Repo) -> None:
    write_files(origin.folder, EDITED)
    origin.commit()


def clone(origin: Repo, folder: Path, *options: str) -> Project:
    """What a CI job checks out."""
    shutil.rmtree(folder, ignore_errors=True)
    origin.clone(folder, *options)
    return Project(folder)


def summary(project: Project, *arguments: str, **environ: str) -> dict[str, int]:
    told = json.loads(project.run("plan", "--format", "json", *arguments, **environ).out)["summary"]
    return {name: told[name] for name in ("create", "adopt", "update", "held")}


def test_an_edit_is_one_update_from_a_fresh_clone_and_from_the_next_one_nothing(origin, portal, tmp_path):
    edit(origin)
    job = clone(origin, tmp_path / "job")
    assert summary(job) == {"create": 0, "adopt": 4, "update": 1, "held": 0}
    assert job.run("push").code == 0
    assert portal.panel.article("refunds").content.startswith("Ask us. See [invoices](/hc/handbook/articles/")
    job = clone(origin, tmp_path / "job")
    assert summary(job) == {"create": 0, "adopt": 5, "update": 0, "held": 0}


def test_a_locale_that_gets_another_name_makes_no_second_article_from_a_fresh_clone(origin, portal, tmp_path):
    before = {article.id for article in portal.panel.articles(PORTAL)}
    portal.panel.sql('UPDATE portals SET config = replace(config, \'"fr"\', \'"fr", "ja"\')')
    origin.git("mv", "content/fr", "content/ja")
    origin.commit()
    job = clone(origin, tmp_path / "job")
    assert summary(job)["held"] >= 1
    job.run("push")
    assert {article.id for article in portal.panel.articles(PORTAL)} == before


def test_a_field_that_a_person_edited_is_held_and_the_others_go_out(origin, portal, tmp_path):
    portal.panel.edit("refunds", title="Money back")
    edit(origin)
    job = clone(origin, tmp_path / "job")
    assert summary(job) == {"create": 0, "adopt": 4, "update": 1, "held": 1}
    assert job.run("push").code == 4
    article = portal.panel.article("refunds")
    assert (article.title, article.content[:7]) == ("Money back", "Ask us.")


def test_a_shallow_clone_holds_the_edit_and_its_hint_works(origin, tmp_path):
    edit(origin)
    job = clone(origin, tmp_path / "job", "--depth", "1")
    assert summary(job) == {"create": 0, "adopt": 4, "update": 0, "held": 1}
    words = job.run("plan").words
    assert "`git fetch --unshallow`" in words and "fetch-depth: 0" in words
    Repo(job.folder).git("fetch", "--quiet", "--unshallow")
    assert summary(job) == {"create": 0, "adopt": 4, "update": 1, "held": 0}


def test_the_history_is_read_only_where_something_differs_and_no_ledger_knows_why(origin, project, portal, tmp_path):
    mark = tmp_path / "asked"
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    # Whether the commits of earlier pushes are here is no question about history.
    script = f'case " $* " in *" log "*) touch "{mark}";; esac'
    spy.write_text(f'#!/bin/sh\n{script}\nPATH="${{PATH#*:}}" exec git "$@"\n')
    spy.chmod(0o755)
    path = f"{spy.parent}{os.pathsep}{os.environ['PATH']}"
    nothing = {"create": 0, "adopt": 0, "update": 0, "held": 0}
    assert summary(project, PATH=path) == nothing
    portal.panel.edit("invoices", title="Bills")
    edit(origin)
    assert summary(project, PATH=path) == nothing | {"update": 1, "held": 1}
    portal.panel.edit("invoices", title="Invoices")
    job = clone(origin, tmp_path / "job")
    assert not mark.exists()
    assert summary(job, PATH=path) == nothing | {"adopt": 4, "update": 1}
    assert mark.exists()
