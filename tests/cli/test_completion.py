"""`kbsync completion`: the script of each shell, and what bash makes of it."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kbsync.cli.commands import COMMANDS
from patience import GIVE_UP_S


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_calls_kbsync_and_says_how_to_install_it(project, shell):
    done = project.run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_KBSYNC_COMPLETE={shell}_complete" in done.out
    first, second = done.out.splitlines()[:2]
    assert (first == "#compdef kbsync") is (shell == "zsh")
    line = second if shell == "zsh" else first
    assert line.startswith("# To install it, ") and f"kbsync completion {shell}" in line


def test_without_a_shell_it_names_those_that_there_are_and_it_needs_no_project_and_no_bash(project, tmp_path: Path):
    assert project.run("completion").says(2, err="{bash|zsh|fish}")
    (project.folder / "kbsync.toml").unlink()
    assert project.run("completion", "bash", PATH=str(tmp_path / "nowhere")).code == 0


def completed(folder: Path, script: str, *words: str) -> list[str]:
    """What bash offers for these words, the last one being typed."""
    (folder / "bin").mkdir(exist_ok=True)
    command = folder / "bin" / "kbsync"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m kbsync "$@"\n')
    command.chmod(0o755)
    typed = " ".join(map(shlex.quote, words))
    ask = f"COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}\n_kbsync_completion kbsync\n"
    done = subprocess.run(
        ["bash", "-c", f"PATH={folder / 'bin'}:$PATH\n{script}\n{ask}" + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True, text=True, timeout=GIVE_UP_S, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_options_and_choices(project, tmp_path: Path):
    script = project.run("completion", "bash").out
    assert completed(tmp_path, script, "kbsync", "") == list(COMMANDS)
    assert completed(tmp_path, script, "kbsync", "pu") == ["push", "pull"]
    assert completed(tmp_path, script, "kbsync", "plan", "--fail") == ["--fail-on"]
    assert completed(tmp_path, script, "kbsync", "completion", "") == ["bash", "zsh", "fish"]
