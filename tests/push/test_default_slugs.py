"""A file without a slug gets one from its name. What is on the portal under the former default, the name as it is, keeps it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import write_files
from kbsync.sandbox import Sandbox
from repo import a_repo, needs_git

from .project import Project
from .world import PORTAL, a_sandbox

pytestmark = pytest.mark.slow

SUMMER = "content/en/guide/Été à Paris.md"
FRENCH = "content/fr/guide/Été à Paris.md"
TREE = {
    ".gitignore": ".kbsync/\n",
    "content/en/guide/_category.md": "---\nname: Guide\n---\n",
    "content/fr/guide/_category.md": "---\nname: Guide\n---\n",
    SUMMER: "---\ntitle: Summer\n---\nIt is warm in the city.\n",
    FRENCH: "---\ntitle: Summer\n---\nIl fait chaud en ville.\n",
    "content/en/guide/start.md": "---\ntitle: Start\n---\nSee [summer](<Été à Paris.md>).\n",
}
BEFORE = TREE | {
    SUMMER: TREE[SUMMER].replace("title", "slug: Été à Paris\ntitle"),
    FRENCH: TREE[FRENCH].replace("title", "slug: Été à Paris-fr\ntitle"),
}
"""What names its slugs as kbsync made them before."""


@pytest.fixture
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with a_sandbox(tmp_path_factory.mktemp("portal")) as sandbox:
        yield sandbox


@pytest.fixture
def project(tmp_path: Path, portal: Sandbox) -> Project:
    config = f'[service]\nbase_url = "{portal.base_url}"\nportal = "{PORTAL}"\n[content]\ndefault_locale = "en"\n'
    return Project(write_files(tmp_path / "project", {**TREE, "kbsync.toml": config}))


@pytest.fixture
def upgraded(project: Project) -> Project:
    """A project that an earlier kbsync pushed."""
    write_files(project.folder, BEFORE)
    project.push()
    write_files(project.folder, TREE)
    return project


def slugs(portal: Sandbox) -> list[str]:
    return sorted(article.slug for article in portal.panel.articles(PORTAL))


def body(portal: Sandbox, slug: str) -> str:
    article = portal.panel.article(slug)
    assert article is not None
    return article.content or ""


OLD = ["start", "Été à Paris", "Été à Paris-fr"]


def test_a_new_article_gets_a_plain_slug(project: Project, portal: Sandbox):
    assert project.push()["create"] == 5
    assert slugs(portal) == ["ete-a-paris", "ete-a-paris-fr", "start"]
    assert body(portal, "start") == "See [summer](</hc/handbook/articles/ete-a-paris>).\n"
    assert project.run("plan", "--check", "--full").code == 0


@pytest.mark.parametrize("ledger", [True, False], ids=["on record", "on the portal alone"])
def test_an_article_with_the_former_default_keeps_it_and_so_do_the_links_to_it(
    upgraded: Project, portal: Sandbox, ledger: bool
):
    if not ledger:
        shutil.rmtree(upgraded.folder / ".kbsync")
    checked = upgraded.run("plan", "--check", "--full")
    assert checked.code == 0, checked.out
    summary = upgraded.push()
    assert (summary["create"], summary["update"], summary["held"]) == (0, 0, 0)
    assert slugs(portal) == OLD
    assert body(portal, "start") == "See [summer](</hc/handbook/articles/%C3%89t%C3%A9%20%C3%A0%20Paris>).\n"


def test_an_edit_of_such_an_article_and_of_one_that_links_to_it_goes_out_under_that_slug(
    upgraded: Project, portal: Sandbox
):
    assert upgraded.run("plan", "--check").code == 0
    start = TREE["content/en/guide/start.md"].replace("See", "Look at")
    write_files(upgraded.folder, {SUMMER: TREE[SUMMER].replace("warm", "hot"), "content/en/guide/start.md": start})
    assert upgraded.push()["update"] == 2
    assert slugs(portal) == OLD and body(portal, "Été à Paris") == "It is hot in the city.\n"
    assert body(portal, "start") == "Look at [summer](</hc/handbook/articles/%C3%89t%C3%A9%20%C3%A0%20Paris>).\n"
    write_files(upgraded.folder, {"content/en/guide/Über uns.md": "---\ntitle: About\n---\nUs.\n"})
    assert upgraded.push()["create"] == 1
    assert slugs(portal) == sorted([*OLD, "uber-uns"])


def test_a_saved_plan_and_a_second_portal_of_the_same_files(upgraded: Project, portal: Sandbox):
    write_files(upgraded.folder, {SUMMER: TREE[SUMMER].replace("warm", "hot")})
    upgraded.run("plan", "--out", "plan.json")
    pushed = json.loads(upgraded.run("push", "plan.json", "--format", "json").out)
    assert pushed["summary"]["update"] == 1
    assert slugs(portal) == OLD and body(portal, "Été à Paris") == "It is hot in the city.\n"


def test_an_article_of_todays_slug_is_not_renamed_because_somebody_takes_the_former_one(
    project: Project, portal: Sandbox
):
    project.push()
    portal.panel.create(PORTAL, "Summer", "Another text.", slug="Été à Paris", locale="en")
    assert project.run("plan", "--check", "--full").code == 0


def test_a_file_that_names_the_former_slug_of_another_one_gets_it(upgraded: Project, portal: Sandbox):
    write_files(upgraded.folder, {"content/en/guide/other.md": BEFORE[SUMMER]})
    (upgraded.folder / SUMMER).write_text("---\ntitle: Winter\n---\nQuite another text, of snow and of ice.\n", "utf-8")
    plan = json.loads(upgraded.run("plan", "--format", "json").out)
    assert not any(change["action"] == "create" and change["slug"] == "Été à Paris" for change in plan["changes"])


@needs_git
def test_a_file_that_git_renamed_is_known_by_the_former_default_of_its_old_name(upgraded: Project, portal: Sandbox):
    repo = a_repo(upgraded.folder)
    repo.commit()
    shutil.rmtree(upgraded.folder / ".kbsync")
    (upgraded.folder / SUMMER).rename(upgraded.folder / "content/en/guide/summer.md")
    start = TREE["content/en/guide/start.md"].replace("<Été à Paris.md>", "summer.md")
    write_files(upgraded.folder, {"content/en/guide/start.md": start})
    (upgraded.folder / FRENCH).rename(upgraded.folder / "content/fr/guide/summer.md")
    repo.commit()
    summary = upgraded.push()
    assert summary["create"] == 0
    assert slugs(portal) == ["start", "summer", "summer-fr"]
