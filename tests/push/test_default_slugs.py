"""A file without a slug gets one from its name. What is on the portal from before there was a prefix keeps its slug."""

import json
import shutil

import pytest

from builders import write_files
from kbsync.sandbox import Sandbox
from repo import a_repo, needs_git

from .project import Project
from .world import PORTAL

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


@pytest.fixture
def prefixed(project: Project) -> Project:
    """A project that got a prefix after its first push."""
    project.push()
    path = project.folder / "kbsync.toml"
    path.write_text(path.read_text("utf-8") + 'slug_prefix = "help-"\n', "utf-8")
    return project


def slugs(portal: Sandbox) -> list[str]:
    return sorted(article.slug for article in portal.panel.articles(PORTAL))


def body(portal: Sandbox, slug: str) -> str:
    article = portal.panel.article(slug)
    assert article is not None
    return article.content or ""


OLD = ["ete-a-paris", "ete-a-paris-fr", "start"]


def test_a_new_article_gets_a_plain_slug(project: Project, portal: Sandbox):
    assert project.push()["create"] == 5
    assert slugs(portal) == ["ete-a-paris", "ete-a-paris-fr", "start"]
    assert body(portal, "start") == "See [summer](</hc/handbook/articles/ete-a-paris>).\n"
    assert project.run("plan", "--check", "--full").code == 0


@pytest.mark.parametrize("ledger", [True, False], ids=["on record", "on the portal alone"])
def test_an_article_of_before_the_prefix_keeps_its_slug_and_so_do_the_links_to_it(
    prefixed: Project, portal: Sandbox, ledger: bool
):
    if not ledger:
        shutil.rmtree(prefixed.folder / ".kbsync")
    checked = prefixed.run("plan", "--check", "--full")
    assert checked.code == 0, checked.out
    summary = prefixed.push()
    assert (summary["create"], summary["update"], summary["held"]) == (0, 0, 0)
    assert slugs(portal) == OLD
    assert body(portal, "start") == "See [summer](</hc/handbook/articles/ete-a-paris>).\n"


def test_an_edit_of_such_an_article_and_of_one_that_links_to_it_goes_out_under_that_slug(
    prefixed: Project, portal: Sandbox
):
    assert prefixed.run("plan", "--check").code == 0
    start = TREE["content/en/guide/start.md"].replace("See", "Look at")
    write_files(prefixed.folder, {SUMMER: TREE[SUMMER].replace("warm", "hot"), "content/en/guide/start.md": start})
    assert prefixed.push()["update"] == 2
    assert slugs(portal) == OLD and body(portal, "ete-a-paris") == "It is hot in the city.\n"
    assert body(portal, "start") == "Look at [summer](</hc/handbook/articles/ete-a-paris>).\n"
    write_files(prefixed.folder, {"content/en/guide/Über uns.md": "---\ntitle: About\n---\nUs.\n"})
    assert prefixed.push()["create"] == 1
    assert slugs(portal) == sorted([*OLD, "help-uber-uns"])


def test_a_saved_plan_of_such_an_article_goes_out(prefixed: Project, portal: Sandbox):
    write_files(prefixed.folder, {SUMMER: TREE[SUMMER].replace("warm", "hot")})
    prefixed.run("plan", "--out", "plan.json")
    pushed = json.loads(prefixed.run("push", "plan.json", "--format", "json").out)
    assert pushed["summary"]["update"] == 1
    assert slugs(portal) == OLD and body(portal, "ete-a-paris") == "It is hot in the city.\n"


def test_an_article_of_todays_slug_is_not_renamed_because_somebody_takes_the_former_one(
    prefixed: Project, portal: Sandbox
):
    write_files(prefixed.folder, {"content/en/guide/new.md": "---\ntitle: New\n---\nText.\n"})
    assert prefixed.push()["create"] == 1
    portal.panel.create(PORTAL, "New", "Another text.", slug="new", locale="en")
    assert prefixed.run("plan", "--check", "--full").code == 0


@needs_git
def test_a_file_that_git_renamed_is_known_by_the_slug_of_its_old_name(prefixed: Project, portal: Sandbox):
    repo = a_repo(prefixed.folder)
    repo.commit()
    shutil.rmtree(prefixed.folder / ".kbsync")
    (prefixed.folder / SUMMER).rename(prefixed.folder / "content/en/guide/summer.md")
    start = TREE["content/en/guide/start.md"].replace("<Été à Paris.md>", "summer.md")
    write_files(prefixed.folder, {"content/en/guide/start.md": start})
    (prefixed.folder / FRENCH).rename(prefixed.folder / "content/fr/guide/summer.md")
    repo.commit()
    summary = prefixed.push()
    assert summary["create"] == 0
    assert slugs(portal) == ["help-summer", "help-summer-fr", "start"]
