"""What others install: the hook of pre-commit, and the image. Neither is built here; what they name must exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONTAINERFILE = (ROOT / "packaging" / "Containerfile").read_text("utf-8")
[HOOK] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))


def instructions() -> list[tuple[str, str]]:
    """The lines of the Containerfile as `FROM` and what comes after it; a line that goes on is one."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage, that of `FROM` first."""
    found: list[list[tuple[str, str]]] = []
    for word, rest in instructions():
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest))
    return found


@pytest.mark.parametrize(
    ("name", "matches"),
    [("content/en/a.md", True), ("kbsync.toml", True), ("docs/a.png", False), ("a.mdx", False), ("x.toml", False)],
)
def test_the_hook_runs_where_files_of_the_help_center_changed(name, matches):
    assert bool(re.search(HOOK["files"], name)) == matches


def test_the_hook_s_command_checks_the_project_that_it_runs_in(tmp_path):
    program, *words = shlex.split(HOOK["entry"])
    assert (program, HOOK["language"], HOOK["pass_filenames"]) == ("kbsync", "python", False)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        call = [sys.executable, "-m", "kbsync", *arguments]
        return subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("init", "-q", ".").returncode == 0
    assert run(*words).returncode == 0
    page = tmp_path / "content/en/getting-started/welcome.md"
    page.write_text(page.read_text("utf-8").replace("status: draft", "status: nowhere"), "utf-8")
    assert run(*words).returncode == 3


def test_the_image_is_made_in_two_stages_of_the_same_small_python():
    bases = [stage[0][1] for stage in stages()]
    assert bases == ["docker.io/library/python:3.11-slim AS build", "docker.io/library/python:3.11-slim"]


def test_the_image_copies_what_is_in_the_repository_and_only_that():
    copied = [source for word, rest in stages()[0] if word == "COPY" for source in rest.split()[:-1]]
    assert copied == ["requirements/ci.txt", "pyproject.toml", "README.md", "LICENSE", "src"]
    assert all((ROOT / source).exists() for source in copied)
    assert [rest for word, rest in stages()[1] if word == "COPY"] == ["--from=build /opt/kbsync /opt/kbsync"]


def test_the_image_has_git_and_no_tools_to_build_or_install_with_and_its_user_is_not_root():
    last = stages()[1]
    run = " ".join(rest for word, rest in last if word == "RUN")
    assert "--no-install-recommends git ca-certificates" in run and "rm -rf /var/lib/apt/lists/*" in run
    assert "pip uninstall --yes --quiet --root-user-action=ignore wheel setuptools pip" in run
    words = [word for word, _ in last]
    assert ("USER", "1000:1000") in last and words.index("USER") > words.index("RUN")
    assert ("ENTRYPOINT", '["kbsync"]') in last
    assert not re.search(r"\b(gcc|build-essential|curl|ADD)\b", CONTAINERFILE)


def test_the_lock_without_hashes_is_what_pip_takes_as_constraints(tmp_path):
    [command] = re.findall(r"RUN (sed -E .*) > /constraints\.txt", CONTAINERFILE)
    made = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = [line for line in made.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(lines) > 20
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[^ ;\\]+( ; [^\\]+)?", line) for line in lines)
