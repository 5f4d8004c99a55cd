"""The help center shows the examples as they are, in both languages."""

import re
from pathlib import Path

import pytest
import yaml

from .jobs import EXAMPLES, ROOT, read_yaml

PAGES = {
    "automation/publish-on-merge": ["github/kbsync.yml"],
    "automation/publish-from-gitlab": ["gitlab/.gitlab-ci.yml"],
    "automation/plan-for-forks": ["github/fork-plan.yml", "github/fork-comment.yml"],
    "automation/nightly-check": ["github/nightly.yml"],
    "automation/verify": ["github/verify.yml"],
    "automation/check-links": ["github/links.yml"],
    "automation/pull-every-night": ["github/pull.yml", "gitlab/pull.gitlab-ci.yml"],
    "publishing/publish-at-a-date": ["github/scheduled.yml"],
}

OURS = re.compile(r"example\.com|\[main\]|content/|-- content$|handbook|persist-credentials: false #")
"""What is another one in each repository: addresses, a branch, a folder, the name of a portal, a private repository."""


def page_text(page: str, locale: str) -> str:
    return (ROOT / "content" / locale / f"{page}.md").read_text("utf-8")


@pytest.mark.parametrize("locale", ["en", "fr"])
@pytest.mark.parametrize(("page", "names"), PAGES.items(), ids=PAGES)
def test_the_help_center_shows_the_examples_as_they_are(page, names, locale):
    text = page_text(page, locale)
    assert [name for name in names if f"```yaml\n{(EXAMPLES / name).read_text('utf-8')}```\n" not in text] == []


def lines_to_change(path: Path) -> set[str]:
    lines = (line.strip().removeprefix("- ") for line in path.read_text("utf-8").splitlines())
    return {line.partition(" #")[0] for line in lines if OURS.search(line) and not line.startswith("#")}


@pytest.mark.parametrize("locale", ["en", "fr"])
@pytest.mark.parametrize(
    ("page", "folder"), [("automation/publish-on-merge", "github"), ("automation/publish-from-gitlab", "gitlab")]
)
def test_one_page_names_every_line_of_the_examples_that_is_changed_by_hand(page, folder, locale):
    prose = re.sub(r"```.*?```", "", page_text(page, locale), flags=re.DOTALL)
    paths = sorted(path for path in (EXAMPLES / folder).iterdir() if path.suffix == ".yml")
    found = {line for path in paths for line in lines_to_change(path)}
    assert any("KBSYNC_PACKAGE" in line for line in found)
    assert [line for line in found if f"`{line}`" not in prose] == []


def test_no_example_names_a_release_before_there_is_one_and_all_install_kbsync_from_git():
    paths = list(EXAMPLES.glob("git*/*.yml"))
    assert EXAMPLES / "gitlab/.gitlab-ci.yml" in paths
    texts = {path.name: path.read_text("utf-8") for path in paths}
    assert [name for name, text in texts.items() if "v0.1.0" in text] == []
    assert [name for name, text in texts.items() if text.count("KBSYNC_PACKAGE: git+https://") != 1] == []


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_the_step_with_the_action_works_in_a_copy_of_kbsync_and_has_inputs_that_the_action_takes(locale):
    blocks = re.findall(r"```yaml\n( .*?)```", page_text("automation/publish-on-merge", locale), re.DOTALL)
    [[step]] = [found for found in map(yaml.safe_load, blocks) if "uses" in found[0]]
    assert step["uses"] == "./"
    action = read_yaml(ROOT / "action.yml")
    assert set(step["with"]) <= set(action["inputs"])


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_the_page_of_the_action_has_every_input(locale):
    text = page_text("automation/publish-on-merge", locale)
    action = (ROOT / "action.yml").read_text("utf-8")
    inputs = re.findall(r"^  ([\w-]+):$", action.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0], re.MULTILINE)
    outputs = re.findall(r"^  ([\w-]+):$", action.partition("\noutputs:\n")[2].partition("\nruns:\n")[0], re.MULTILINE)
    assert len(inputs) == 9 and len(outputs) == 5
    assert [name for name in (*inputs, *outputs) if f"`{name}`" not in text] == []
