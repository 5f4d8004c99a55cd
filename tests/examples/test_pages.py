"""The help center shows the examples as they are, in both languages."""

from __future__ import annotations

import re

import pytest

from .jobs import FORK_COMMENT, FORK_PLAN, GITHUB, GITLAB, GITLAB_PULL, NIGHTLY, PULL, ROOT, VERIFY

PAGES = {
    "publish-on-merge": [GITHUB],
    "publish-from-gitlab": [GITLAB],
    "plan-for-forks": [FORK_PLAN, FORK_COMMENT],
    "nightly-check": [NIGHTLY],
    "verify": [VERIFY],
    "pull-every-night": [PULL, GITLAB_PULL],
}


@pytest.mark.parametrize("locale", ["en", "fr"])
@pytest.mark.parametrize(("page", "paths"), PAGES.items(), ids=PAGES)
def test_the_help_center_shows_the_examples_as_they_are(page, paths, locale):
    text = (ROOT / "content" / locale / "automation" / f"{page}.md").read_text("utf-8")
    assert [path.name for path in paths if f"```yaml\n{path.read_text('utf-8')}```\n" not in text] == []


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_the_page_of_the_action_has_every_input(locale):
    text = (ROOT / "content" / locale / "automation" / "publish-on-merge.md").read_text("utf-8")
    action = (ROOT / "action.yml").read_text("utf-8")
    inputs = re.findall(r"^  ([\w-]+):$", action.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0], re.MULTILINE)
    outputs = re.findall(r"^  ([\w-]+):$", action.partition("\noutputs:\n")[2].partition("\nruns:\n")[0], re.MULTILINE)
    assert len(inputs) == 9 and len(outputs) == 5
    assert [name for name in (*inputs, *outputs) if f"`{name}`" not in text] == []
