"""What the command line asks for beyond kbsync.toml, and how far a plan may go."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from kbsync.app.selectors import named as named_by
from kbsync.app.selectors import places_of, select, with_categories
from kbsync.app.session import Session
from kbsync.app.workspace import Workspace
from kbsync.command import Option, command_line
from kbsync.config.moments import EXAMPLES, read_moment
from kbsync.errors import UsageError
from kbsync.files import real_path, working_folder
from kbsync.lint.untranslated import unfinished
from kbsync.model import PORTAL_FILE, Base, Desired, Kind, Status, visible
from kbsync.plan.draft import Policy
from kbsync.service.profile import Profile
from kbsync.words import did_you_mean

if TYPE_CHECKING:
    from kbsync.app.reading import Reading
    from kbsync.service.client import Service


class PlanOptions(msgspec.Struct, frozen=True):
    """What the command line asks for beyond kbsync.toml. Selectors are as the user typed them.

    `live` selects articles that may be changed although [push] live is "hold". `allow_removals` is how many items may
    be removed, where that is not what [push] max_removals says.

    `stage` keeps edits of live articles from readers until somebody publishes them; `publish_staged` publishes what was
    staged, and does nothing else.

    `release` is to be published, and nothing else; `now` is the moment at which dates are judged, "" for the clock.

    `here` is the folder that their paths are seen from; None: the current one.
    """

    selectors: tuple[str, ...] = ()
    overwrite: tuple[str, ...] = ()
    recreate: bool = False
    publish: bool = False
    full: bool = False
    here: Path | None = None
    live: tuple[str, ...] = ()
    allow_removals: int | None = None
    stage: bool = False
    publish_staged: bool = False
    release: str = ""
    now: str = ""


SENT_AS = {"title": "title", "body": "content"}
"""The fields of what may be unfinished in a file."""

NEEDED_FOR_BLANK = "empty_drafts"
"""The fact without which the service takes no article without a body (docs/service.md, S117)."""

AS_CONFIGURED = PlanOptions()
"""All that kbsync.toml says, and nothing else."""


def chosen(root: Path, desired: Sequence[Desired], options: PlanOptions) -> Sequence[Desired]:
    """What is to be planned: what the selectors mean, with the categories that it needs; without any, all.

    Of a release, the articles that it publishes.

    Raises:
        UsageError: a selector that means nothing, or a release without articles.
    """
    if options.release:
        return _released(desired, options)
    if not options.selectors:
        return desired
    return select(desired, options.selectors, root=real_path(root), here=options.here or working_folder())


def _released(desired: Sequence[Desired], options: PlanOptions) -> Sequence[Desired]:
    if options.selectors:
        raise UsageError(
            "--release publishes all articles of the release. Selectors cannot be added.",
            hint="Leave them out, or push these files without `--release`.",
        )
    published = [item for item in desired if item.status is Status.PUBLISHED]
    paths = {item.path for item in published if item.release == options.release}
    if not paths:
        names = sorted({item.release for item in published} - {""})
        known = f"The releases in your files are: {', '.join(names)}." if names else "No file has a release."
        raise UsageError(
            f"No article with `status: published` has the release `{visible(options.release)}`.",
            hint=visible(did_you_mean(options.release, names) or known),
        )
    return with_categories(desired, paths)


def check_selected(
    workspace: Workspace,
    options: PlanOptions,
    planned: Iterable[Desired],
    overwrite: Set[str],
    live: Set[str] = frozenset(),
) -> None:
    """Refuse `--overwrite` and `--live` for paths that are not planned: they would be passed over in silence.

    Raises:
        UsageError: there is such a path.
    """
    if not options.selectors and not options.release:
        return
    paths = {item.path for item in planned}
    for name, named_paths in (("overwrite", overwrite), ("live", live)):
        if others := sorted(named_paths - paths):
            what = f"the release `{visible(options.release)}`" if options.release else "the selection"
            # What is only selected keeps its protection: nobody asked to overwrite it.
            every = tuple(dict.fromkeys((*options.selectors, *getattr(options, name))))
            wanted = structs.replace(options, selectors=every, release="")
            hint = (
                "The option takes one selector, and can be repeated. To push all of these, run "
                f"`{push_command(workspace.session, wanted)}`."
            )
            if others[0] != PORTAL_FILE and not (workspace.content_root / others[0]).exists():
                hint = "Its file is gone. Only a push without selectors removes an article."
            raise UsageError(f"--{name}: `{visible(others[0])}` is outside of {what}.", hint=hint)


def now_of(options: PlanOptions, timezone: str) -> float:
    """The moment at which dates are judged, in seconds since 1970.

    Raises:
        UsageError: `--now` has none.
    """
    if not options.now:
        return time.time()
    moment = read_moment(options.now, timezone)
    if moment is None:
        raise UsageError(
            f"--now: `{visible(options.now)}` is not a date, nor a date and time with a zone.",
            hint=f"Write it as {EXAMPLES}.",
        )
    return moment.timestamp()


def named(root: Path, desired: Iterable[Desired], selectors: Sequence[str], here: Path | None = None) -> frozenset[str]:
    """The paths of what some selectors mean, as seen from here, and of nothing beside it."""
    if not selectors:
        return frozenset()
    return frozenset(named_by(desired, selectors, root=real_path(root), here=here or working_folder()))


def overwritten(root: Path, desired: Iterable[Desired], bases: Iterable[Base], options: PlanOptions) -> frozenset[str]:
    """The paths of what is to be as the files have it, whatever the portal has.

    A file that is gone is named by its own path alone: who names a folder is thinking of the files that are in it.
    """
    desired = [*desired]
    gone = gone_files(root, desired, bases, options)
    rest = [selector for selector in options.overwrite if selector not in gone]
    return named(root, desired, rest, options.here) | frozenset(gone.values())


def gone_files(root: Path, desired: Iterable[Desired], bases: Iterable[Base], options: PlanOptions) -> dict[str, str]:
    """The paths of files that are gone, by the selectors of `--overwrite` that name one."""
    if not options.overwrite:
        return {}
    root, here = real_path(root), options.here or working_folder()
    gone = {base.path for base in bases} - {item.path for item in desired}
    found = {selector: gone & places_of(selector, root=root, here=here) for selector in options.overwrite}
    return {selector: min(paths) for selector, paths in found.items() if paths}


def policy_of(
    workspace: Workspace,
    options: PlanOptions,
    overwrite: frozenset[str] = frozenset(),
    consent: frozenset[str] = frozenset(),
) -> Policy:
    """How far this plan may go.

    Args:
        workspace: kbsync.toml and the profile.
        options: of the command line.
        overwrite: the paths whose edits in the panel may be overwritten.
        consent: the paths that may be changed although they are live.
    """
    push, profile = workspace.settings.push, workspace.profile
    return Policy(
        can=frozenset(profile.operations),
        keeps={"article": frozenset(profile.fields["article"]), "category": frozenset(profile.fields["category"])},
        side_effects=profile.side_effects,
        needs_author=needs_author(profile),
        # Of a release only what it publishes is planned, and naming it is the consent.
        publish=push.publish or options.publish or bool(options.release),
        live=push.live,
        stage=push.live == "stage" or options.stage or options.publish_staged,
        stages_again=options.stage and bool(options.selectors),
        publish_staged=options.publish_staged,
        removed=push.removed,
        max_fraction=push.max_fraction,
        allow_removals=options.allow_removals,
        recreate=options.recreate,
        overwrite=overwrite,
        consent=consent,
        whole=not options.selectors and not options.release,
        default_locale=workspace.settings.content.default_locale,
        article_url=profile.article_url.replace("{portal}", workspace.settings.service.portal),
        requests_per_minute=workspace.requests_per_minute,
        concurrency=workspace.settings.pace.concurrency,
        now_s=now_of(options, push.timezone),
        release=options.release,
    )


def at_its_pace(policy: Policy, service: Service) -> Policy:
    """A policy that knows how fast the service answers, and what its version can do."""
    can = frozenset(operation for operation in policy.can if service.profile.can(operation))
    keeps = kept_by(policy, service.profile)
    lacks = {name: str(since) for name, since in service.profile.lacks.items()}
    return structs.replace(
        policy,
        latency_s=service.transport.latency_s,
        can=can,
        keeps=keeps,
        version=service.endpoint.version,
        lacks=lacks,
    )


def with_unwritten(policy: Policy, reading: Reading) -> Policy:
    """A policy that knows the unfinished articles, and those without a body where the service's version takes none.

    Of those that their files publish, lint has refused the unfinished ones.
    """
    tree, site = reading.compiler.tree, reading.compiler.site
    articles = [item.path for item in reading.desired if item.kind == "article" and item.status is not Status.PUBLISHED]
    found = {path: tuple(SENT_AS[part] for part in unfinished(tree, site, path)) for path in articles}
    policy = structs.replace(policy, unfinished=found)
    if NEEDED_FOR_BLANK not in policy.lacks:
        return policy
    blank = (source.path for source in tree.sources.values() if source.body_blank)
    return structs.replace(policy, blank=frozenset(blank))


def kept_by(policy: Policy, profile: Profile) -> Mapping[Kind, frozenset[str]]:
    """The fields that the version of the service keeps, of each kind."""
    return {kind: frozenset(n for n in names if profile.keeps(kind, n)) for kind, names in policy.keeps.items()}


def note_left_out(workspace: Workspace, service: Service, desired: Iterable[Desired]) -> None:
    """Say which keys of the files the version of the service does not have: they are neither sent nor compared."""
    whole = workspace.profile.whole or workspace.profile
    kinds: tuple[Kind, ...] = ("article", "category")
    later = {name for kind in kinds for name in whole.fields[kind] if not service.profile.keeps(kind, name)}
    for name in sorted(later and later & {name for item in desired for name in item.fields}):
        since = f" It came with version {whole.since[name]}." if name in whole.since else ""
        text = f"Version {service.endpoint.version} of the service does not have `{name}`.{since} kbsync leaves it out."
        workspace.session.note(text)


def needs_author(profile: Profile) -> bool:
    """Whether only we can say who writes: the service keeps it, and does not tell whose the token is."""
    return profile.keeps("article", "author") and not profile.can("profile")


def refuse_other_options(options: PlanOptions) -> None:
    """Publishing what was staged is all that such a push does.

    Raises:
        UsageError: it was asked to do something else as well.
    """
    others = given_options(structs.replace(options, publish_staged=False))
    found = [name for name, value in others if value not in ("", None, False)]
    if options.publish_staged and found:
        raise UsageError(
            f"--publish-staged publishes what is staged and does nothing else, so {found[0]} cannot be added.",
            hint="Publish first, then push.",
        )


def push_command(session: Session, options: PlanOptions, plan: Path | None = None) -> str:
    """What carries out a very plan, for the shell: the file that it is in, or what was asked of `kbsync plan`."""
    what = options.selectors if plan is None else (plan,)
    return command_line("push", *what, options=[*given_options(options), *session.options])


def given_options(options: PlanOptions) -> list[Option]:
    """What was asked for beyond selectors, as options of the command line."""
    overwrite = [("--overwrite", selector) for selector in options.overwrite]
    live = [("--live", selector) for selector in options.live]
    removals = "" if options.allow_removals is None else str(options.allow_removals)
    flags = [
        ("--stage", options.stage),
        ("--publish-staged", options.publish_staged),
        ("--recreate", options.recreate),
        ("--publish", options.publish),
        ("--allow-removals", removals),
    ]
    return [*overwrite, *live, *flags, ("--release", options.release), ("--now", options.now)]
