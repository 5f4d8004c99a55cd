"""The CI job that kbsync runs in, if any: its page, and who started it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

CI_VARIABLES = ("GITHUB_ACTIONS", "GITLAB_CI", "CI")


class Job(msgspec.Struct, frozen=True):
    """A CI job. Each part is "" where there is none.

    Args:
        address: of the job's page.
        actor: who started it; `email`: theirs.
    """

    address: str = ""
    actor: str = ""
    email: str = ""


def job_of(environ: Mapping[str, str]) -> Job:
    """The CI job that this process belongs to. Source: the variables that GitHub and GitLab document."""
    if environ.get("GITHUB_ACTIONS"):
        server, repository = environ.get("GITHUB_SERVER_URL", ""), environ.get("GITHUB_REPOSITORY", "")
        actor = environ.get("GITHUB_ACTOR", "")
        address = f"{server}/{repository}/actions/runs/{environ.get('GITHUB_RUN_ID', '')}"
        return Job(address, actor, f"{actor}@users.noreply.github.com")
    if environ.get("GITLAB_CI"):
        actor = environ.get("GITLAB_USER_NAME", "") or environ.get("GITLAB_USER_LOGIN", "")
        return Job(environ.get("CI_JOB_URL", ""), actor, environ.get("GITLAB_USER_EMAIL", ""))
    return Job()


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether a CI service runs this."""
    return any(environ.get(name, "").lower() not in {"", "0", "false"} for name in CI_VARIABLES)
