"""The jobs of the examples, read out of their YAML: for an event, the steps that a forge would run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from service.forges import TOKEN as FORGE_TOKEN

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
GITHUB = EXAMPLES / "github" / "kbsync.yml"
NIGHTLY = EXAMPLES / "github" / "nightly.yml"
LINKS = EXAMPLES / "github" / "links.yml"
VERIFY = EXAMPLES / "github" / "verify.yml"
PULL = EXAMPLES / "github" / "pull.yml"
SCHEDULED = EXAMPLES / "github" / "scheduled.yml"
GITLAB_PULL = EXAMPLES / "gitlab" / "pull.gitlab-ci.yml"
FORK_PLAN = EXAMPLES / "github" / "fork-plan.yml"
FORK_COMMENT = EXAMPLES / "github" / "fork-comment.yml"
GITLAB = EXAMPLES / "gitlab" / ".gitlab-ci.yml"
COMPONENT = ROOT / "templates" / "kbsync.yml"

INSTALL = 'pip install "$KBSYNC_PACKAGE"'
HEAD = "0123456789abcdef0123456789abcdef01234567"
"""The newest commit of a fork's pull request, as GitHub names it to the second workflow."""


@dataclass(frozen=True)
class Event:
    """What made a forge start a pipeline. `schedule` is GitLab's variable KBSYNC_SCHEDULE, which a schedule may have."""

    name: str
    branch: str = "main"
    fork: bool = False
    schedule: str = ""

    @property
    def payload(self) -> dict[str, Any]:
        """What GitHub writes of it into a file."""
        if self.name == "pull_request":
            return {"pull_request": {"number": 7}}
        head = {"head_sha": HEAD, "head_branch": "fix", "head_repository": {"owner": {"login": "eve"}}}
        return {"workflow_run": head} if self.name == "workflow_run" else {}


MERGED = Event("push")
"""Something came to the main branch."""

AT_NIGHT = Event("schedule", schedule="nightly")
AFTER_A_FORK = Event("workflow_run", fork=True)


def reviewed(branch: str, *, fork: bool = False) -> Event:
    """A pull or merge request of this branch."""
    return Event("pull_request", branch, fork)


@dataclass(frozen=True)
class Step:
    """One script that bash runs, with the variables that are its own; or files that are kept or brought.

    `when` is the condition of the forge on what was before; "" for one that runs unless something failed.
    """

    script: str
    environ: Mapping[str, str] = field(default_factory=dict)
    when: str = ""
    name: str = ""
    keeps: tuple[str, str] = ("", "")
    brings: tuple[str, str] = ("", "")
    may_fail: bool = False

    def runs(self, code: int, outcomes: Mapping[str, bool]) -> bool:
        """Whether a job gets to this step; another condition is an error here, and wants a line."""
        return {
            "": code == 0,
            "${{ !cancelled() }}": True,
            "${{ failure() }}": code != 0,
            "steps.plan.outcome == 'success'": code == 0 and outcomes.get("plan", False),
        }[self.when]


@dataclass(frozen=True)
class Job:
    """What a forge would do: clone so deep (0 is everything, None is no clone), then the steps."""

    depth: int | None
    steps: list[Step]


def github_job(event: Event, secrets: Mapping[str, str], path: Path = GITHUB) -> Job:
    """The one job of a workflow that this event starts."""
    workflow = read_yaml(path)
    [job] = [job for job in workflow["jobs"].values() if _holds(job.get("if", ""), event)]
    steps = [step for step in job["steps"] if step.get("if", "") not in CONDITIONS or _holds(step["if"], event)]
    checkout = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    made = [_github_step(step, workflow.get("env", {}), secrets) for step in steps]
    # What a cache has is kept when the job is over.
    made += [Step("", keeps=("cache", step["with"]["path"])) for step in steps if _action(step) == "actions/cache"]
    done = [step for step in made if step is not None and step.script != INSTALL]
    assert len(done) == sum(1 for step in made if step is not None) - 1, "it installs kbsync once"
    return Job(checkout[0].get("with", {}).get("fetch-depth", 1) if checkout else None, done)


def _action(step: Mapping[str, Any]) -> str:
    return str(step.get("uses", "")).partition("@")[0]


def _github_step(step: Mapping[str, Any], shared: Mapping[str, str], secrets: Mapping[str, str]) -> Step | None:
    name, when, may_fail = step.get("id", ""), step.get("if", ""), step.get("continue-on-error", False)
    when = "" if when in CONDITIONS else when
    action, wanted = _action(step), step.get("with", {})
    if action == "actions/cache":
        return Step("", brings=("cache", str(Path(wanted["path"]).parent)), may_fail=True)
    if action == "actions/upload-artifact":
        return Step("", when=when, keeps=(wanted["name"], wanted["path"]))
    if action == "actions/download-artifact":
        return Step("", when=when, name=name, brings=(wanted["name"], wanted["path"]), may_fail=may_fail)
    if action:
        assert action in {"actions/checkout", "actions/setup-python"}
        return None
    environ = {key: _value(text, secrets) for key, text in step.get("env", {}).items()}
    return Step(step["run"], dict(shared) | environ, when, name, may_fail=may_fail)


CONDITIONS = {
    "github.event_name == 'pull_request'": lambda event: event.name == "pull_request",
    "github.event_name == 'push'": lambda event: event.name == "push",
    "github.event.workflow_run.event == 'pull_request'": lambda event: event.name == "workflow_run",
    "github.event.pull_request.head.repo.full_name != github.repository": lambda event: event.fork,
    "github.event.pull_request.head.repo.full_name == github.repository": lambda event: not event.fork,
}
"""The conditions of the examples that depend on the event alone."""


def _holds(condition: str, event: Event) -> bool:
    return not condition or CONDITIONS[condition](event)


def _value(text: str, secrets: Mapping[str, str]) -> str:
    """What a step gets for its variables: text, and names between `${{` and `}}`."""
    for name, value in {
        "github.token": FORGE_TOKEN, "github.repository": "ana/help", "github.server_url": "https://git.example.com",
        "github.run_id": "99",
        **{f"{kind}.{name}": value for kind in ("secrets", "vars") for name, value in secrets.items()},
    }.items():  # fmt: skip
        text = text.replace(f"${{{{ {name} }}}}", value)
    return "" if "${{" in text else text


RULES = {
    '$CI_PIPELINE_SOURCE == "merge_request_event"': lambda event: event.name == "pull_request",
    '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE == "push"': lambda event: event.name == "push",
    **{
        f'$CI_PIPELINE_SOURCE == "schedule" && $KBSYNC_SCHEDULE == "{name}"': (
            lambda event, name=name: (event.name, event.schedule) == ("schedule", name)
        )
        for name in ("nightly", "publish", "pull")
    },
}
"""The conditions of the examples; another one is an error here, and wants a line."""


def gitlab_names(event: Event, pipeline: Mapping[str, Any]) -> list[str]:
    """The jobs of a pipeline that this event starts."""
    jobs = {name: part["rules"] for name, part in pipeline.items() if isinstance(part, dict) and "rules" in part}
    return [name for name, [rule] in jobs.items() if RULES[rule["if"]](event)]


def gitlab_job(event: Event, secrets: Mapping[str, str], pipeline: Mapping[str, Any] | None = None) -> Job:
    """The one job of the pipeline that this event starts; variables of the project are those of every job."""
    pipeline = read_yaml(GITLAB) if pipeline is None else pipeline
    [name] = gitlab_names(event, pipeline)
    job = pipeline[name]
    base = pipeline[job["extends"]] if "extends" in job else pipeline["default"] | {"variables": pipeline["variables"]}
    before = list(base["before_script"])
    assert before.pop(0) == INSTALL
    environ = dict(secrets) | dict(base["variables"]) | {"KBSYNC_TOKEN_ORIGIN": secrets.get("KBSYNC_TOKEN_ORIGIN", "")}
    steps = [Step("\n".join([*before, *job["script"]]), environ)]
    if "after_script" in job:
        steps.append(Step("\n".join(job["after_script"]), environ, when="${{ !cancelled() }}", may_fail=True))
    return Job(int(base["variables"].get("GIT_DEPTH", 20)), steps)


def gitlab_pull_job(secrets: Mapping[str, str]) -> Job:
    """The job that brings panel edits into the repository."""
    job = read_yaml(GITLAB_PULL)["pull"]
    assert job["before_script"] == [INSTALL]
    return Job(int(job["variables"]["GIT_DEPTH"]), [Step("\n".join(job["script"]), dict(secrets))])


def component(**inputs: str) -> dict[str, Any]:
    """The pipeline that GitLab makes of the component."""
    head, _, body = COMPONENT.read_text("utf-8").partition("\n---\n")
    spec = yaml.safe_load(head)["spec"]["inputs"]
    inputs = {"package": "git+https://git.example.com/a/kbsync@main"} | inputs
    assert set(inputs) <= {name.replace("-", "_") for name in spec}
    for name, about in spec.items():
        value = inputs.get(name.replace("-", "_"), about.get("default"))
        assert value is not None, f"{name} has no default"
        body = body.replace(f"$[[ inputs.{name} ]]", value)
    assert "$[[" not in body
    found: dict[str, Any] = yaml.safe_load(body)
    return found


def read_yaml(path: Path) -> dict[Any, Any]:
    """One example; YAML 1.1 reads GitHub's key `on` as true."""
    found: dict[Any, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found
