"""The example jobs as their forges run them: a fresh clone, the steps of the YAML file, bash.

Two things are not as there: `pip install kbsync` is left out, as kbsync is the copy under test, found by PATH; and the
actions that check out and set up Python are a `git clone` of the depth that the example asks for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

import kbsync
from patience import GIVE_UP_S

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
GITHUB = EXAMPLES / "github" / "kbsync.yml"
GITLAB = EXAMPLES / "gitlab" / ".gitlab-ci.yml"

INSTALL = "pip install kbsync"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""As both forges start it. Source: docs.github.com, workflow syntax, `shell`; GitLab's job scripts begin alike."""


@dataclass(frozen=True)
class Event:
    """What made a forge start a pipeline."""

    name: str
    branch: str = "main"
    fork: bool = False


MERGED = Event("push")
"""Something came to the main branch."""


def reviewed(branch: str, *, fork: bool = False) -> Event:
    """A pull or merge request of this branch."""
    return Event("pull_request", branch, fork)


@dataclass(frozen=True)
class Step:
    """One script that bash runs, with the variables that are its own. `always` runs after a failure too."""

    script: str
    environ: Mapping[str, str] = field(default_factory=dict)
    always: bool = False


@dataclass(frozen=True)
class Job:
    """What a forge would do: clone so deep (0 is everything), then the steps."""

    depth: int
    steps: list[Step]


def github_job(event: Event, secrets: Mapping[str, str]) -> Job:
    """The one job of the workflow that this event starts."""
    [job] = [job for job in read_yaml(GITHUB)["jobs"].values() if _holds(job, event)]
    checkout = next(step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@"))
    runs = [step for step in job["steps"] if "run" in step and _holds(step, event)]
    assert runs.pop(0)["run"] == INSTALL
    steps = [
        Step(step["run"], {name: _secret(text, secrets) for name, text in step.get("env", {}).items()}) for step in runs
    ]
    return Job(checkout.get("with", {}).get("fetch-depth", 1), steps)


def _holds(part: Mapping[str, Any], event: Event) -> bool:
    """The conditions that the example uses; another one is an error here, and wants a line."""
    return {
        None: True,
        "github.event_name == 'pull_request'": event.name == "pull_request",
        "github.event_name == 'push'": event.name == "push",
        "github.event.pull_request.head.repo.full_name != github.repository": event.fork,
        "github.event.pull_request.head.repo.full_name == github.repository": not event.fork,
    }[part.get("if")]


def _secret(text: str, secrets: Mapping[str, str]) -> str:
    """What a step gets for `${{ secrets.NAME }}` or `${{ vars.NAME }}`."""
    kind, _, name = text.removeprefix("${{ ").removesuffix(" }}").partition(".")
    assert kind in {"secrets", "vars"}
    assert text == f"${{{{ {kind}.{name} }}}}"
    return secrets[name]


def gitlab_job(event: Event, secrets: Mapping[str, str]) -> Job:
    """The one job of the pipeline that this event starts; variables of the project are those of every job."""
    pipeline = read_yaml(GITLAB)
    wanted = {
        "pull_request": '$CI_PIPELINE_SOURCE == "merge_request_event"',
        "push": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH",
    }[event.name]
    [job] = [part for part in pipeline.values() if part.get("rules") == [{"if": wanted}]]
    before = list(pipeline["default"]["before_script"])
    assert before.pop(0) == INSTALL
    environ = pipeline["variables"] | dict(secrets)
    steps = [Step("\n".join([*before, *job["script"]]), environ)]
    if "after_script" in job:
        steps.append(Step("\n".join(job["after_script"]), environ, always=True))
    return Job(int(pipeline["variables"].get("GIT_DEPTH", 20)), steps)


JOBS = {"github": github_job, "gitlab": gitlab_job}


def read_yaml(path: Path) -> dict[Any, Any]:
    """One example; YAML 1.1 reads GitHub's key `on` as true."""
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


@dataclass(frozen=True)
class Ran:
    """How a job ended, and everything that a person sees of it."""

    code: int
    out: str
    err: str
    summary: str


@dataclass(frozen=True)
class Forge:
    """A repository and the machines that run its jobs, each of them new."""

    folder: Path
    name: str
    secrets: Mapping[str, str]

    @property
    def desk(self) -> Path:
        """Where somebody writes."""
        return self.folder / "desk"

    def begin(self, files: Mapping[str, str]) -> None:
        """An empty repository, and the first branch, `first`, with these files."""
        self.git(self.folder, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git")
        self.git(self.folder, "clone", "--quiet", "origin.git", "desk")
        self.git(self.desk, "commit", "--quiet", "--allow-empty", "-m", "begin")
        self.git(self.desk, "push", "--quiet", "origin", "HEAD:main")
        self.propose("first", files)

    def propose(self, branch: str, files: Mapping[str, str]) -> None:
        """Commit files on a branch of its own and push that."""
        self.git(self.desk, "checkout", "--quiet", "-B", branch, "main")
        for name, text in files.items():
            path = self.desk / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.git(self.desk, "add", "--all")
        self.git(self.desk, "commit", "--quiet", "-m", branch)
        self.git(self.desk, "push", "--quiet", "origin", branch)

    def merge(self, branch: str) -> None:
        """What the green button does."""
        self.git(self.desk, "checkout", "--quiet", "main")
        self.git(self.desk, "merge", "--quiet", "--no-ff", "-m", f"merge {branch}", branch)
        self.git(self.desk, "push", "--quiet", "origin", "main")

    def git(self, folder: Path, *words: str) -> None:
        """Git without anybody's settings."""
        done = subprocess.run(
            ["git", *words],
            cwd=folder, env=self.environ(), capture_output=True, text=True, timeout=GIVE_UP_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def run(self, event: Event) -> Ran:
        """The job of this event on a new machine: nothing is there but the clone, and above all no ledger."""
        job = JOBS[self.name](event, {} if event.fork else self.secrets)
        machine = self.folder / f"machine-{sum(1 for _ in self.folder.glob('machine-*'))}"
        clone, summary = machine / "work", machine / "summary.md"
        depth = [f"--depth={job.depth}"] if job.depth else []
        machine.mkdir()
        origin = (self.folder / "origin.git").as_uri()
        self.git(machine, "clone", "--quiet", *depth, f"--branch={event.branch}", origin, "work")
        assert not (clone / ".kbsync").exists()
        runner = {"CI": "true", "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_WORKSPACE": str(clone)}
        if self.name == "gitlab":
            runner = {"CI": "true"}
        code, out, err = 0, "", ""
        for step in job.steps:
            if code == 0 or step.always:
                done = self._bash(step, clone, runner)
                code, out, err = code or done.returncode, out + done.stdout, err + done.stderr
        return Ran(code, out, err, summary.read_text("utf-8") if summary.exists() else "")

    def _bash(self, step: Step, clone: Path, runner: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        script = clone.parent / "step.sh"
        script.write_text(step.script + "\n", "utf-8")
        done = subprocess.run(
            [*BASH, str(script)],
            cwd=clone,
            env=self.environ() | dict(runner) | dict(step.environ),
            capture_output=True, text=True, encoding="utf-8", timeout=GIVE_UP_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def environ(self) -> dict[str, str]:
        """The variables of a machine on which kbsync was installed, and nobody's own ones."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KBSYNC_", "GIT", "CI"))}
        who = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER") for what, text in WHO.items()}
        path = f"{self._installed()}{os.pathsep}{os.environ['PATH']}"
        return kept | who | {"PATH": path, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def _installed(self) -> Path:
        """A folder with the one command `kbsync`: the copy that is tested."""
        program = self.folder / "bin" / "kbsync"
        if not program.exists():
            program.parent.mkdir()
            source = Path(kbsync.__file__).parent.parent
            program.write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m kbsync "$@"\n', "utf-8")
            program.chmod(0o755)
        return program.parent


WHO = {"NAME": "Ana", "EMAIL": "ana@example.com"}
