"""The action of this repository as GitHub runs it in a job: its scripts, with the values in their variables."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .forge import Forge, Ran
from .jobs import FORGE_TOKEN, ROOT, Event, Step, read_yaml

ACTION = ROOT / "action.yml"

PIP = """#!/bin/sh
printf '%s\\n' "$*" >> "$PIP_LOG"
"""
"""A stand-in that notes what it is called with: kbsync is the copy under test."""

FROM_A_FORK = (
    "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository"
)
ITS_REPOSITORY = "github.action_repository || github.repository"
IN_REVIEW = "inputs.comment == 'true' && startsWith(github.event_name, 'pull_request')"


def run_action(forge: Forge, event: Event, **inputs: str) -> tuple[Ran, dict[str, str]]:
    """The action on a new machine, step for step, and its outputs."""
    forge.program("pip", PIP)
    given = _inputs({name.replace("_", "-"): value for name, value in inputs.items()})
    machine = forge.folder / f"action-{sum(1 for _ in forge.folder.glob('action-*'))}"
    forge.git(forge.folder, "clone", "--quiet", f"--branch={event.branch}", "origin.git", f"{machine.name}/work")
    runner = forge.runner(event, machine) | {"PIP_LOG": str(forge.folder / "pip.log")}
    code, out, err = 0, "", ""
    outputs: dict[str, str] = {}
    for step in read_yaml(ACTION)["runs"]["steps"]:
        if "run" in step and _runs(step.get("if", ""), code, given, outputs):
            done = forge.bash(Step(step["run"], _environ(step, event, given, outputs)), machine / "work", runner)
            code, out, err = code or done.returncode, out + done.stdout, err + done.stderr
            outputs = _outputs(machine / "output")
    summary = machine / "summary.md"
    return Ran(code, out, err, summary.read_text("utf-8") if summary.exists() else ""), outputs


def _inputs(given: Mapping[str, str]) -> dict[str, str]:
    known = read_yaml(ACTION)["inputs"]
    assert set(given) <= set(known)
    values = {name: given.get(name, about["default"]) for name, about in known.items()}
    return {name: FORGE_TOKEN if value == "${{ github.token }}" else value for name, value in values.items()}


def _runs(condition: str, code: int, given: Mapping[str, str], outputs: Mapping[str, str]) -> bool:
    """The conditions that the action uses; another one is an error here, and wants a line."""
    return {
        "": code == 0,
        "inputs.command != 'push'": code == 0 and given["command"] != "push",
        "${{ !cancelled() && steps.run.outputs.plan-file != '' }}": bool(outputs.get("plan-file")),
        "${{ !cancelled() && steps.run.outputs.exit-code != '' }}": bool(outputs.get("exit-code")),
    }[condition]


def _environ(
    step: Mapping[str, Any], event: Event, given: Mapping[str, str], outputs: Mapping[str, str]
) -> dict[str, str]:
    is_review = given["comment"] == "true" and event.name.startswith("pull_request")
    values = {
        **{f"inputs.{name}": value for name, value in given.items()},
        **{f"steps.run.outputs.{name}": value for name, value in outputs.items()},
        "github.action_path": str(ROOT),
        "github.server_url": "https://git.example.com",
        ITS_REPOSITORY: "tools/kbsync",
        FROM_A_FORK: str(event.fork).lower(),
        IN_REVIEW: str(is_review).lower(),
    }
    return {
        key: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)
        for key, text in step.get("env", {}).items()
    }


def _outputs(path: Path) -> dict[str, str]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return dict(line.split("=", 1) for line in lines)
