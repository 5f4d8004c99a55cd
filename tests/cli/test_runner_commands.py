"""Everything that kbsync prints may land in the log of a CI job, where a runner reads it: no text acts there.

A runner takes `##[name]` and `##vso[name]` anywhere in a line for a command to itself, and `::name` at its beginning.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

HASHES = re.compile(r"##\w*\[")
COLONS = re.compile(r"^\s*::(?!(?:error|warning|notice) (?:file|title)=)", re.MULTILINE)
BODY = "##[error]x\n\n ::error::x\n\n##vso[task.complete]x\n\n[x](##[group].md)\n"
FORMATS = ("text", "json", "markdown", "github")
NAME = "content/en/billing/##[error]x.md"
OTHER = "content/en/billing/##vso[y].md"
MOVED = "content/en/billing/##[group]z.md"


def in_formats(command: str, forms: tuple[str, ...], *words: str) -> Iterator[tuple[str, ...]]:
    yield from ((command, *words, "--format", form) for form in forms)


COMMANDS: tuple[tuple[str, ...], ...] = (
    *in_formats("plan", FORMATS, "--diff", "-v"),
    ("plan", "--offline"),
    *in_formats("lint", (*FORMATS, "sarif", "junit")),
    *in_formats("status", ("text", "markdown")),
    *in_formats("diff", ("text", "markdown"), "--words"),
    *in_formats("verify", ("text", "markdown"), "--all"),
    *in_formats("push", ("text", "markdown", "github")),
    ("check",), ("why", "--history", NAME), ("why", NAME), ("why", "##[error]nothing"), ("lint", "--##[error]x"),
    ("##[error]x",), ("--config", "##[error].toml", "plan"), ("lint", "--fix", "--diff"), ("pull", "--dry-run"),
    ("mv", OTHER, MOVED, "--dry-run"), ("resolve", "--ours", NAME), ("translate",), ("ledger", "show", "1"),
    ("ledger", "show", "1", "--format", "json"), ("ledger", "export"), ("trust", "--show"),
    ("redirects", "--format", "nginx"), ("comment", "plan.json", "--dry-run"),
    ("api", "GET", "portals/handbook/articles"), ("pull",), ("undo", "1"), ("mv", OTHER, MOVED),
    ("new", "article", "content/en/billing/##[error]new.md"),
)  # fmt: skip
"""Those that change something come last."""

WITH_ERRORS = (*in_formats("plan", FORMATS), *in_formats("lint", ("text", "github", "junit")))


@pytest.fixture
def hostile(remote, portal: Sandbox):
    """Files, and articles of the panel, whose every text is a command to a runner."""
    config = remote.read("kbsync.toml")
    remote.config(f'{config}[ledger]\nurl = "sqlite:##[x]/ledger.db"\n')
    remote.write("content/en/##[x]/_category.md", "---\nname: '##[error]c'\n---\n")
    remote.write(NAME, f"---\ntitle: '##[error]title'\nslug: '##[error]slug'\n---\n{BODY}")
    remote.write(OTHER, f"---\ntitle: '##vso[task]'\nslug: '##vso[slug]'\ndescription: '##[x]'\n---\nA.\n\n{BODY}")
    remote.write("content/fr/billing/##[error]x.md", f"---\ntitle: '##[error]fr'\n---\n{BODY}")
    assert remote.run("push").code == 0
    portal.panel.edit("##[error]slug", title="##[error]theirs", content=f"{BODY}Theirs.\n")
    portal.panel.create("handbook", "##[error]panel", BODY, slug="##[error]panel", locale="en")
    portal.panel.publish("##vso[slug]")
    ours = "---\ntitle: '##vso[new]'\nslug: '##vso[other]'\naliases: ['##vso[slug]']\ndescription: '##[y]'\n---\n"
    remote.write(OTHER, f"{ours}{BODY}B.\n\n\n\n* ##[error]\n")
    remote.write(NAME, f"---\ntitle: '##[error]mine'\nslug: '##[error]slug'\n---\n{BODY}Mine.   \n")
    remote.write("plan.json", remote.run("plan", "--diff", "--format", "json").out)
    return remote


def commands_in(project, commands: tuple[tuple[str, ...], ...], summary: Path) -> list[str]:
    """Run each as a job does; the lines that a runner would take for a command, with the command that printed them."""
    ci = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    found: list[str] = []
    for words in commands:
        summary.write_text("", "utf-8")
        done = project.run("--log-file", "requests.log", *words, **ci)
        lines = f"{done.out}\n{done.err}\n{summary.read_text('utf-8')}\n".splitlines()
        found += [f"{' '.join(words)}: {line}" for line in lines if HASHES.search(line) or COLONS.search(line)]
    found += HASHES.findall(project.read("requests.log"))
    return found


def test_no_text_of_a_file_or_of_the_portal_is_a_command_to_the_runner_of_a_job(hostile, tmp_path: Path):
    assert commands_in(hostile, COMMANDS, tmp_path / "summary.md") == []


def test_nor_is_one_of_a_file_with_errors(hostile, tmp_path: Path):
    hostile.write(NAME, f"---\ntitle: '##[error]mine'\n'##[error]key': 1\nstatus: '##[error]'\n---\n{BODY}")
    assert hostile.run("plan").code == 3
    assert commands_in(hostile, WITH_ERRORS, tmp_path / "summary.md") == []


def test_what_a_program_reads_says_the_same_as_before(hostile):
    """JSON spells the character out, an import reads what was exported, and a patch can be applied outside of CI."""
    plan = json.loads(hostile.run("plan", "--format", "json").out)
    assert "##vso[new]" in {change["title"] for change in plan["changes"]}
    exported = json.loads(hostile.run("ledger", "export").out)
    assert any("##[error]slug" in row for row in exported["tables"]["item"])
    patch = hostile.run("mv", OTHER, MOVED, "--dry-run", CI="", GITHUB_ACTIONS="").out
    assert f"rename to {MOVED}" in patch.splitlines()
