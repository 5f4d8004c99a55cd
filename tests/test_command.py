"""A command that is printed can be pasted: a real shell runs it, and what arrives is what was meant."""

import os
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbsync.cli.push import command as push
from kbsync.command import command_line, quote
from kbsync.model import visible

STAND_IN = """kbsync() { for word do printf '%s\\0' "$word"; done; }\n"""
"""Prints its arguments, each with a zero behind it."""

SHELLS = [name for name in ("sh", "bash", "zsh", "ksh") if shutil.which(name)]

HOSTILE = (
    "$(touch X).md", "`touch X`.md", "a b.md", "it's.md", 'say "hi".md', "a\nb.md", "-x.md", "--publish.md", "--", "-",
    "*.md", "[a-z]?.md", "{a,b}.md", "~/x.md", "~", "=ls", "é ü 漢字 🎉.md", "a;touch X", "a&&touch X", "a|cat", "a>X",
    "!!", "a!b\n", "\\", "a\\\nb", "$HOME", "${IFS}", "%s%n.md", "-%s\n", "##[error]x.md", "::error::x", "a  b", " a ",
    "\u202egnp.exe", "\u00a0x", "\x1b[2J", "\udcff.md", "a\n\n", "locale:fr", "#x", "", "\t", "\r\n", "'\n'", "-'\n",
)  # fmt: skip
NAMES = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=30) | st.text(
    "$`'\"\\ \n\t-*?[]{}()~#!;&|<>%=ab\u202e", max_size=12
)


def every_hostile_name(function):
    for name in HOSTILE:
        function = example(name)(function)
    return settings(max_examples=100, deadline=None)(given(NAMES)(function))


def pasted(line: str, folder, shell: str = "sh") -> list[str]:
    """The arguments that arrive, and nothing else happened."""
    done = subprocess.run(
        [shell], cwd=folder, input=os.fsencode(STAND_IN + line + "\n"), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr, [*folder.iterdir()]) == (0, b"", []), (line, done.stderr)
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def words_of(folder):
    """The words that a shell makes of a line."""
    return lambda line, shell="sh": pasted(line, folder, shell)


def test_whatever_a_name_is_the_shell_hands_over_that_name_and_runs_nothing(words_of):
    @every_hostile_name
    def check(name):
        line = command_line("push", name, options=[("--overwrite", name), ("--publish", True)])
        found = push.make_context("push", words_of(line)[1:], obj={}).params
        assert found["selectors"] == ((name,)) and found["overwrite"] == ((name,) if name else ())
        assert found["publish"] is True

    check()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", HOSTILE)
def test_every_shell_reads_it_alike(words_of, shell, name):
    assert words_of(command_line("lint", "a", name), shell)[-1] == name


@every_hostile_name
def test_a_report_shows_the_command_as_it_is(name):
    line = command_line("push", name)
    if not name.endswith("\n"):
        assert " ".join(visible(line).split()) == line
    assert "`" not in line and "##[" not in line


def test_a_plain_command_reads_as_somebody_would_type_it():
    assert command_line("push") == "kbsync push"
    assert command_line("undo", 3, options=[("--yes", True)]) == "kbsync undo 3 --yes"
    options = [("--overwrite", "en/a b.md"), ("--recreate", False), ("--env", ""), ("--config", None)]
    assert command_line("push", options=options) == "kbsync push --overwrite 'en/a b.md'"
    assert command_line("push", "-x.md", options=[("--publish", True)]) == "kbsync push --publish -- -x.md"
    assert command_line("push", options=[("--overwrite", "-x.md")]) == "kbsync push --overwrite=-x.md"
    assert quote("it's") == """'it'"'"'s'"""
