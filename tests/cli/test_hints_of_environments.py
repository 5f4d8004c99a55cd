"""Who works in another environment, or with another kbsync.toml, is told commands that are about that one."""

import re
import shlex

import pytest

from cli.conftest import TOKEN, Project
from kbsync.cli.screen import Options
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

COMMAND = re.compile(r"`(kbsync [^`]*)`")


def run(project: Project, *words: str):
    done = project.run(*words, "--config", "my kb.toml", "--env", "staging")
    commands = COMMAND.findall(done.out + done.err)
    for command in commands:
        assert "--env staging" in command and "--config 'my kb.toml'" in command, command
    return done, commands


def test_every_command_that_is_printed_is_about_the_same_environment(project: Project, portal: Sandbox):
    project.write("my kb.toml", f'[env.staging.service]\nbase_url = "{portal.base_url}"\n')
    project.environ |= {"KBSYNC_TOKEN": TOKEN, "KBSYNC_PACE__REQUESTS_PER_MINUTE": "60000"}
    (project.folder / "kbsync.toml").unlink()
    _, commands = run(project, "plan")
    assert [shlex.split(command)[1] for command in commands] == ["push"]
    assert run(project, "push")[0].code == 0
    portal.panel.edit("refunds", content="Edited in the panel.")
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nMine.\n")
    for line in ("plan", "push", "plan --format markdown", "plan --format json", "push --format github"):
        done, commands = run(project, *line.split())
        assert done.code == 4 and {"push", "resolve"} <= {word for command in commands for word in shlex.split(command)}
    assert run(project, "resolve", "--ours")[1]
    assert run(project, "check")[0].code == 0
    project.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\nstatsu: draft\n---\n* a\n")
    for words in (("plan",), ("push",), ("check",), ("lint",), ("undo",), ("undo", "99"), ("ledger", "show", "99")):
        run(project, *words)


def test_commands_are_completed_with_what_they_lack_and_nothing_else():
    options = Options(env="a b")
    assert options.pasteable("run `kbsync push -- -x.md`, then `kbsync plan`.") == (
        "run `kbsync --env 'a b' push -- -x.md`, then `kbsync --env 'a b' plan`."
    )
    for text in (
        "`kbsync push --env x`",
        "`kbsync init` writes one",
        "`git push`",
        "kbsync: `x` is no key",
        "`kbsync.toml`",
    ):
        assert options.pasteable(text) == text
    assert Options().pasteable("run `kbsync plan`") == "run `kbsync plan`"
