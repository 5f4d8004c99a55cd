"""Every command on the pages about moving, adding and redirecting works, in their order."""

import re
import shlex
from pathlib import Path

import pytest

CONTENT = Path(__file__).parents[2] / "content"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """The commands in the examples of a page, without where their output goes."""
    lines = [line for block in BLOCK.findall((CONTENT / page).read_text("utf-8")) for line in block.splitlines()]
    return [shlex.split(line.partition(" > ")[0])[1:] for line in lines]


@pytest.mark.parametrize("locale", ["en", "fr"])
@pytest.mark.parametrize("page", ["publishing/renames-and-moves", "writing/add-an-article", "publishing/redirects"])
def test_the_examples_of_a_page_run(project, page, locale):
    for folder in ("en/payments", "fr/payments"):
        project.write(f"content/{folder}/_category.md", "---\nname: Payments\n---\n")
    found = commands(f"{locale}/{page}.md")
    assert len(found) >= 5
    if page == "publishing/redirects":
        assert project.run("push").code == 0
    for arguments in found:
        assert project.run(*arguments).code == 0
    assert [line for line in project.run("lint").out.splitlines() if "error" in line and "0 errors" not in line] == []


@pytest.mark.parametrize("page", ["publishing/renames-and-moves", "writing/add-an-article", "publishing/redirects"])
def test_both_languages_have_the_same_examples(page):
    assert commands(f"en/{page}.md") == commands(f"fr/{page}.md")
