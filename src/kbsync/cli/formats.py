"""`--format` of plan, push and lint: what each one prints, and the summary of a job in CI.

Also: where the drafts that a push made can be read: everyone who has the address can (docs/service.md, S8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import click
from msgspec.structs import replace

from kbsync.app.workspace import Workspace
from kbsync.cli.job_summary import Texts, print_report, repository_root
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.errors import ExitCode
from kbsync.model import Action, Outcome, Plan
from kbsync.plan.hints import publish_staged_hint
from kbsync.plan.result import PLAN_AGAIN
from kbsync.report.body_diff import NO_BODIES
from kbsync.report.data import plan_json, push_json
from kbsync.report.github import plan_annotations, push_annotations
from kbsync.report.pushed import IN_PANEL, IN_SANDBOX, Aftermath, Drafts, Words, push_text, undo_sentence
from kbsync.report.summary import plan_markdown, push_markdown
from kbsync.report.text import plan_text
from kbsync.report.vocabulary import staged_before_sentence
from kbsync.words import count

if TYPE_CHECKING:
    from kbsync.app.planning.cached import PlanResult
    from kbsync.app.push_result import Pushed


def new_drafts(outcomes: Sequence[Outcome]) -> list[str]:
    """The slugs of the articles that were created and not published, in the order of their files."""
    done = [outcome.change for outcome in outcomes if outcome.outcome == "done"]
    published = {change.path for change in done if change.action is Action.PUBLISH}
    made = [change for change in done if change.action is Action.CREATE and change.kind == "article"]
    return [change.slug for change in sorted(made, key=lambda made: made.path) if change.path not in published]


def draft_addresses(workspace: Workspace, slugs: Sequence[str]) -> tuple[str, ...]:
    """Their public addresses; none where the profile does not look articles up by theirs, or the sandbox has ended.

    A slug with a dot has no page (docs/service.md, S21).
    """
    profile, settings = workspace.profile, workspace.settings
    if settings.is_sandbox or not profile.can("find_article"):
        return ()
    path = profile.article_url.replace("{portal}", quote(settings.service.portal, safe=""))
    base_url = settings.service.base_url.rstrip("/")
    return tuple(base_url + path.replace("{slug}", quote(slug, safe="")) for slug in slugs if "." not in slug)


F = TypeVar("F", bound=Callable[..., Any])

READERS = {
    "text": "people",
    "json": "scripts",
    "markdown": "a comment or job summary",
    "github": "annotations",
    "sarif": "code scanning",
    "junit": "test reports",
}
"""The formats, and who reads them; SARIF and JUnit have findings, and no plan."""


def _format_option(*forms: str, **readers: str) -> Callable[[F], F]:
    about = ", ".join(f"{form} for {(READERS | readers)[form]}" for form in forms)
    return click.option(
        "--format", "form", type=click.Choice(forms), default="text", show_default=True, help=f"{about}."
    )


format_option = _format_option("text", "json", "markdown", "github")
lint_format_option = _format_option("text", "json", "markdown", "github", "sarif", "junit")
document_format_option = _format_option("text", "json", "markdown", markdown="an issue or job summary")
"""Of what is read as a whole, and about no line of a file."""
data_format_option = _format_option("text", "json")


def report_plan(
    workspace: Workspace, compared: PlanResult, options: Options, *, form: str, unmanaged: bool, command: str
) -> None:
    """A plan and the warnings of the tree; `command` is what carries the plan out, for people to copy."""
    plan, findings, bodies = pasteable_plan(compared.plan, options), compared.findings, compared.bodies or NO_BODIES
    root = repository_root(workspace)
    text = partial(plan_text, plan, options.style(), unmanaged=unmanaged, command=command)
    texts: Texts = {
        "text": lambda: text(bodies=bodies),
        "json": lambda: plan_json(plan, findings, unmanaged=unmanaged, bodies=bodies),
        "markdown": lambda: plan_markdown(plan, findings, root=root, unmanaged=unmanaged, bodies=bodies),
        # The log of the job has the plan, too.
        "github": lambda: plan_annotations(plan, findings, root=root) + text(),
    }
    print_report(texts, form, options)
    if findings and form == "text":
        them = "it" if len(findings) == 1 else "them"
        options.note(f"Your files have {count(len(findings), 'warning')}. Run `kbsync lint` to see {them}.")


HINTED = ("held", "warnings", "unpublished", "staged_edits", "panel_edits")
"""What of a plan says what to do, each with its own hint."""


def pasteable_plan(plan: Plan, options: Options) -> Plan:
    """A plan whose hints have commands that are about the same project as this one."""
    if not any(value for _, value in options.shared):
        return plan  # Thousands of hints may be in it.
    found = {
        name: tuple(replace(item, hint=options.pasteable(item.hint)) for item in getattr(plan, name)) for name in HINTED
    }
    refused = plan.refused and replace(plan.refused, hint=options.pasteable(plan.refused.hint))
    return replace(plan, **found, refused=refused)


def report_push_refused(plan: Plan, workspace: Workspace, options: Options, *, form: str) -> int:
    """Print the plan of a push that refused itself: nothing was sent."""
    plan, root = pasteable_plan(plan, options), repository_root(workspace)
    why = plan.refused.message if plan.refused else ""
    outcomes = [Outcome(change, "skipped", change.remote_id, why) for change in plan.sent]
    texts: Texts = {
        "text": lambda: plan_text(plan, options.style()),
        "json": lambda: push_json(plan, outcomes, requests=0, seconds=0.0),
        "markdown": lambda: plan_markdown(plan, root=root),
        "github": lambda: plan_annotations(plan, (), root=root),
    }
    print_report(texts, form, options)
    return ExitCode.HELD


def report_pushed(pushed: Pushed, workspace: Workspace, options: Options, *, form: str) -> int:
    """Print what a push did; the exit code says the same.

    Raises:
        LedgerError: what ended the push before its time.
    """
    _report_pushed(pushed, workspace, options, form=form)
    if pushed.broken is not None:
        raise pushed.broken
    return pushed.exit_code


def _report_pushed(pushed: Pushed, workspace: Workspace, options: Options, *, form: str) -> None:
    plan, outcomes = pasteable_plan(pushed.plan, options), _outcomes(pushed, options, form)
    requests, seconds, after = pushed.requests, pushed.seconds, _aftermath(pushed, workspace, options)
    again = pushed.again or command_line("push", options=options.shared)
    look = "" if pushed.again else command_line("plan", options=options.shared)
    style, words = options.style(), Words(pushed.nothing, again, pushed.anew, look)
    root = repository_root(workspace)
    texts: Texts = {
        "text": lambda: push_text(plan, outcomes, style, requests=requests, seconds=seconds, words=words, after=after),
        "json": lambda: push_json(plan, outcomes, requests=requests, seconds=seconds, after=after),
        "markdown": lambda: push_markdown(plan, outcomes, requests=requests, seconds=seconds, root=root, after=after),
        "github": lambda: push_annotations(plan, outcomes, root=root),
    }
    print_report(texts, form, options)


def _outcomes(pushed: Pushed, options: Options, form: str) -> list[Outcome]:
    """How the changes went, with commands that can be pasted."""
    # In a text, the advice to plan again is printed once, at its end.
    said_once = {PLAN_AGAIN} if form == "text" else set()
    return [
        outcome if outcome.hint in said_once else replace(outcome, hint=options.pasteable(outcome.hint))
        for outcome in pushed.outcomes
    ]


def _aftermath(pushed: Pushed, workspace: Workspace, options: Options) -> Aftermath:
    """What people need after a push: how to reverse it, and where the new drafts are."""
    sent = any(o.outcome == "done" and o.change.action not in {Action.ADOPT, Action.UPLOAD} for o in pushed.outcomes)
    can_undo = sent and workspace.profile.can_list
    undo = undo_sentence(pushed.run, options.shared) if can_undo and pushed.run is not None else ""
    slugs = new_drafts(pushed.outcomes)
    elsewhere = options.pasteable(IN_SANDBOX if workspace.settings.is_sandbox else IN_PANEL)
    drafts = Drafts(draft_addresses(workspace, slugs), len(slugs), elsewhere)
    return Aftermath(pushed.run, undo, drafts, pushed.reading, _staged(pushed, workspace, options))


def _staged(pushed: Pushed, workspace: Workspace, options: Options) -> str:
    """How many staged edits wait for publication, and how to publish them; "" where there are none."""
    # An edit of a person that an undo gave back is not ours to publish.
    done = (outcome.change for outcome in pushed.outcomes if outcome.outcome == "done")
    made = (change.path for change in done if change.stages and not change.leaves)
    paths = [*(item.path for item in pushed.plan.staged_edits), *made]
    if not paths:
        return ""
    hint = publish_staged_hint(paths, workspace.settings.push.live)
    return f"{staged_before_sentence(len(paths))} {options.pasteable(hint)}"
