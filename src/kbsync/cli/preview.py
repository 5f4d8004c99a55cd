"""`kbsync preview`: the help center on the writer's own screen, while they type."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from kbsync.app.asking.file_plans import plan_finder
from kbsync.app.asking.portal_diff import ledger_asker, portal_asker, portal_token
from kbsync.app.consent import Consent
from kbsync.app.session import Session
from kbsync.app.translation_state import states_of, views_of
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.cli.versions import note_unknown, version_option
from kbsync.content.walk import walk_tree
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative
from kbsync.hosts import LOOPBACK
from kbsync.markdown.versions import Version
from kbsync.memory import Memory
from kbsync.model import Target
from kbsync.plan.freshness import most_read_first
from kbsync.service.profile import read_profile
from kbsync.words import count

if TYPE_CHECKING:
    from kbsync.app.translation_state import SameFiles
    from kbsync.content.identity import Site
    from kbsync.content.tree import Tree
    from kbsync.plan.freshness import Translation
    from kbsync.preview.checking import Project
    from kbsync.preview.comparer import Ask
    from kbsync.preview.file_plan import FindPlans

DEFAULT_PORT = 4004


@dataclass(frozen=True, slots=True)
class Running:
    """What a preview is served with."""

    options: Options
    project: Project
    reload: Callable[[], Project]
    ask: Ask | None
    find_plans: FindPlans | None
    poll: bool


@click.command("preview")
@click.option("--open", "browse", is_flag=True, help="Open it in the browser.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help=f"[default: {DEFAULT_PORT}, or a free port]")
@click.option("--host", default="127.0.0.1", metavar="H", help="Address to listen on.  [default: only this machine]")
@click.option("--locale", metavar="L", help="Start with this locale.")
@click.option("--poll", is_flag=True, help="Check the files every second: for network drives.")
@click.option("--portal", is_flag=True, help="Compare with the portal, using your token.")
@click.option("--portal-look", is_flag=True, help="Show code and images as the portal does, without colors and notes.")
@version_option("--service", help_text="Render as this version.  [default: [service] version, or the newest]")
@click.option("--build", type=click.Path(path_type=Path), metavar="DIR", help="Write the pages as files, then stop.")
@with_options
def command(
    options: Options,
    browse: bool,
    port: int | None,
    host: str,
    locale: str | None,
    poll: bool,
    portal: bool,
    portal_look: bool,
    service: Version | None,
    build: Path | None,
) -> int:
    """Show your files as the help center that readers will see. Every save shows up at once.

    Drafts are shown with their status, errors and warnings beside the article. Without --portal, the preview works
    offline and needs no token. Press Ctrl-C to stop it.
    """
    agreed: set[str] = set()
    session = options.session()
    project = read_project(session, agreed, service, portal_look=portal_look)
    note_unknown(project.version, options)
    start = _start_address(project, locale)
    if build is not None:
        return _build(project, build)

    def reload() -> Project:
        return read_project(replace(session, confirm=None), agreed, service, portal_look=portal_look)

    with ExitStack() as stack:
        token = portal_token(session) if portal else None
        ask = ledger_asker(session) if token is None else portal_asker(session, stack, token)
        find_plans = plan_finder(session, token) if ask else None
        running = Running(options, project, reload, ask, find_plans, poll)
        return _serve(running, start, browse=browse, port=port, host=host)


def read_project(
    session: Session, agreed: set[str], version: Version | None = None, *, portal_look: bool = False
) -> Project:
    """kbsync.toml and the profile that it names, if somebody agreed to what of it leads out.

    Args:
        session: the run; no questions are asked while pages are being served.
        agreed: what this run was allowed to use; grows.
        version: the portal's whose HTML is shown; None: that of kbsync.toml, or the newest.
        portal_look: add nothing to that HTML.
    """
    from kbsync.preview.checking import Project

    settings = session.read_settings()
    consent = Consent(settings, session, agreed=agreed)
    consent.profile()
    consent.content()
    consent.state()
    version = version or Version.or_newest(settings.service.version)
    profile = read_profile(settings.service.profile, folder=settings.folder, version=version)
    return Project(settings, profile, version, portal_look)


def _start_address(project: Project, locale: str | None) -> str:
    """The path of the first page.

    Raises:
        UsageError: the tree has no such locale.
    """
    from kbsync.preview.urls import home_url

    content = project.settings.content
    if locale is None:
        return ""
    known = content.locales or sorted(place.name for place in project.root.glob("*/") if place.is_dir())
    if locale not in known:
        raise UsageError(f"There is no locale `{locale}`.", hint=f"Use one of: {', '.join(known)}.")
    return home_url(locale).removeprefix("/")


def _serve(running: Running, start: str, *, browse: bool, port: int | None, host: str) -> int:
    from kbsync.preview.live import Live
    from kbsync.preview.server import serve
    from kbsync.site.server import listen, run

    options, project = running.options, running.project
    if not project.root.is_dir():
        walk_tree(project.root)  # says what is wrong, as every other command does
    try:
        listener, address = listen(host, DEFAULT_PORT if port is None else port, or_any=port is None)
    except OSError as exc:
        hint = "Choose another port, or leave `--port` out." if port else "Check `--host`."
        raise UsageError(f"{host}, port {port or DEFAULT_PORT}, cannot be used: {exc.strerror}.", hint=hint) from exc
    click.echo(f"The preview of {relative(project.root)} is at {address}/{start}")
    if port is None and listener.getsockname()[1] != DEFAULT_PORT:
        options.note(f"(port {DEFAULT_PORT} is taken)")
    if host not in LOOPBACK:
        options.note(f"Everyone who can reach {host} can read every draft.")
    options.note("Press Ctrl-C to stop it.")
    if browse:
        click.launch(f"{address}/{start}")
    # watchdog tells a person of folders that were made in one another faster than it looks; nothing is lost then.
    warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
    service = project.settings.service
    target = Target(service.base_url, service.account_id, service.portal, project.profile.name)
    debts = partial(find_debts, memory=Memory(project.settings.state_folder), target=target.key, same=set())
    live = partial(Live, find_debts=debts, find_plans=running.find_plans)
    begin = partial(live, project, running.reload, options.note, running.poll, running.ask)
    run(serve(listener, host, begin))
    return ExitCode.DONE


def find_debts(
    tree: Tree, site: Site, *, memory: Memory, target: str = "", same: SameFiles | None = None
) -> tuple[Translation, ...]:
    """How translations are to their originals, as far as they say it themselves; what readers read most first.

    With the `same` set each time, only originals that were saved since are read again.
    """
    states = states_of(tree, site, note=lambda _text: None, guess=False, same=same)
    return most_read_first(states, views_of(site, memory, target))


def _build(project: Project, folder: Path) -> int:
    from kbsync.preview.static_site import build_site

    pages = build_site(project, folder)
    click.echo(f"Wrote {count(pages, 'page')} to {relative(folder)}. Open {relative(folder / 'index.html')}.")
    return ExitCode.DONE
