"""The example jobs as their forges run them: a fresh clone, the steps of the YAML file, bash.

Three things are not as there: `pip install` is left out, as kbsync is the copy under test, found by PATH; the actions
that check out, set up Python and keep files are a `git clone` of the depth that the example asks for, and copies of
files; and the forge's own interface is a small one on loopback.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import kbsync
from patience import GIVE_UP_S
from service.forges import FakeForge

from .jobs import FORGE_TOKEN, MERGED, Event, Job, Step, github_job, gitlab_job

BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""As both forges start it. Source: docs.github.com, workflow syntax, `shell`; GitLab's job scripts begin alike."""


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
    api: FakeForge

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
        self.git(self.desk, "push", "--quiet", "--force", "origin", branch)

    def merge(self, branch: str) -> None:
        """What the green button does."""
        self.git(self.desk, "checkout", "--quiet", "main")
        self.git(self.desk, "merge", "--quiet", "--no-ff", "-m", f"merge {branch}", branch)
        self.git(self.desk, "push", "--quiet", "origin", "main")

    def git(self, folder: Path, *words: str) -> str:
        """Git without anybody's settings; what it printed."""
        done = subprocess.run(
            ["git", *words],
            cwd=folder, env=self.environ(), capture_output=True, text=True, timeout=GIVE_UP_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def job(self, event: Event) -> Job:
        """The job of the main example that this event starts."""
        secrets = {} if event.fork else self.secrets
        return github_job(event, secrets) if self.name == "github" else gitlab_job(event, secrets)

    def run(self, event: Event, job: Job | None = None, **others: str) -> Ran:
        """A job on a new machine: nothing is there but the clone, and above all no ledger."""
        job = job or self.job(event)
        machine = self.folder / f"machine-{sum(1 for _ in self.folder.glob('machine-*'))}"
        clone, summary = machine / "work", machine / "summary.md"
        machine.mkdir()
        if job.depth is None:
            clone.mkdir()
        else:
            depth = [f"--depth={job.depth}"] if job.depth else []
            origin = (self.folder / "origin.git").as_uri()
            self.git(machine, "clone", "--quiet", *depth, f"--branch={event.branch}", origin, "work")
        assert not (clone / ".kbsync").exists()
        runner = self.runner(event, machine) | others
        code, out, err = 0, "", ""
        outcomes: dict[str, bool] = {}
        for step in job.steps:
            if step.runs(code, outcomes):
                done = self._step(step, clone, runner)
                outcomes[step.name] = done.returncode == 0
                code, out, err = code or (0 if step.may_fail else done.returncode), out + done.stdout, err + done.stderr
        return Ran(code, out, err, summary.read_text("utf-8") if summary.exists() else "")

    def succeed(self, event: Event, job: Job | None = None, **others: str) -> Ran:
        """A job that ends well."""
        ran = self.run(event, job, **others)
        assert ran.code == 0, told(ran) + ran.err
        return ran

    def publish(self, branch: str) -> Ran:
        """Merge a branch; the job that this starts pushes to the portal."""
        self.merge(branch)
        return self.succeed(MERGED)

    def runner(self, event: Event, machine: Path) -> dict[str, str]:
        """The variables that a forge gives to every job."""
        if self.name == "gitlab":
            number = {"CI_MERGE_REQUEST_IID": "7"} if event.name == "pull_request" else {}
            return {"CI": "true", "GITLAB_CI": "true", "CI_API_V4_URL": self.api.origin, "CI_PROJECT_ID": "42"} | number
        payload = machine / "event.json"
        payload.write_text(json.dumps(event.payload), "utf-8")
        return {
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(machine / "summary.md"),
            "GITHUB_WORKSPACE": str(machine / "work"), "GITHUB_API_URL": self.api.origin, "GITHUB_REPOSITORY": "ana/help",
            "GITHUB_EVENT_PATH": str(payload), "GITHUB_EVENT_NAME": event.name, "RUNNER_TEMP": str(machine),
            "GITHUB_OUTPUT": str(machine / "output"),
        }  # fmt: skip

    def _step(self, step: Step, clone: Path, runner: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        kept = self.folder / "kept" / (step.keeps[0] or step.brings[0])
        if step.keeps[0]:
            shutil.rmtree(kept, ignore_errors=True)
            if (clone / step.keeps[1]).exists():
                kept.mkdir(parents=True)
                shutil.copy(clone / step.keeps[1], kept)
            return subprocess.CompletedProcess([], 0, "", "")
        if step.brings[0]:
            if kept.exists():
                shutil.copytree(kept, clone / step.brings[1])
            return subprocess.CompletedProcess([], 0 if kept.exists() else 1, "", "")
        return self.bash(step, clone, runner)

    def bash(self, step: Step, clone: Path, runner: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run the script of a step in a clone, with the variables of a runner."""
        script = clone.parent / "step.sh"
        script.write_text(step.script + "\n", "utf-8")
        done = subprocess.run(
            [*BASH, str(script)],
            cwd=clone,
            env=self.environ() | dict(runner) | dict(step.environ),
            capture_output=True, text=True, encoding="utf-8", timeout=GIVE_UP_S, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        assert FORGE_TOKEN not in done.stdout + done.stderr
        return done

    def environ(self) -> dict[str, str]:
        """The variables of a machine on which kbsync was installed, and nobody's own ones."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("KBSYNC_", "GIT", "CI", "GH_"))
        }
        who = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER") for what, text in WHO.items()}
        path = f"{self._installed()}{os.pathsep}{os.environ['PATH']}"
        return kept | who | {"PATH": path, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def _installed(self) -> Path:
        """A folder with the one command `kbsync`: the copy that is tested."""
        source = Path(kbsync.__file__).parent.parent
        call = f'PYTHONPATH="{source}" exec "{sys.executable}" -m kbsync "$@"'
        return self.program("kbsync", f"#!/bin/sh\n{call}\n").parent

    def program(self, name: str, script: str) -> Path:
        """A program that every step finds first."""
        path = self.folder / "bin" / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_text(script, "utf-8")
            path.chmod(0o755)
        return path


ARTICLE = "content/en/billing/invoices.md"
FILES = {
    "content/en/billing/_category.md": "---\nname: Billing\n---\n",
    "content/fr/billing/_category.md": "---\nname: Facturation\n---\n",
    "content/en/billing/refunds.md": "---\ntitle: Refund a charge\n---\nSee [invoices](invoices.md).\n",
    ARTICLE: "---\ntitle: Invoices\n---\nThe old text.\n",
    "content/fr/billing/refunds.md": "---\ntitle: Rembourser\nlint_ignore: [KB601]\n---\nTexte.\n",
}
EDITED = {ARTICLE: "---\ntitle: Invoices\n---\nThe new text.\n"}


def told(ran: Ran) -> str:
    """The last report of a job, wherever its forge shows it."""
    return re.split(r"^(?=## kbsync )", ran.summary or ran.out, flags=re.MULTILINE)[-1]


WHO = {"NAME": "Ana", "EMAIL": "ana@example.com"}
