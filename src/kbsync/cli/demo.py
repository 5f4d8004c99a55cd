"""`kbsync demo`: the main job in a minute, always in the built-in sandbox."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Sequence, Set
from contextlib import ExitStack
from pathlib import Path

import click
from msgspec import structs
from msgspec.structs import replace

from kbsync.app.embedded import run_sandbox
from kbsync.app.lease import held_lock
from kbsync.app.options import PlanOptions
from kbsync.app.planning.plan import planning_now
from kbsync.app.push_result import Pushed
from kbsync.app.pushing.push import push_tree
from kbsync.app.reading import Reading, read_content
from kbsync.app.workspace import Workspace
from kbsync.cli.calling import with_options
from kbsync.cli.findings import show_findings
from kbsync.cli.init import Answers, write_project
from kbsync.cli.screen import Options, say
from kbsync.config import SANDBOX, Settings, find_config
from kbsync.errors import ConfigError, ExitCode
from kbsync.files import relative, working_folder
from kbsync.model import Action, Desired, Status, Value, visible
from kbsync.report.style import Style
from kbsync.words import count

NEXT_STEP = (
    "The demo and its articles end with Ctrl-C. To practice `kbsync plan` and `kbsync resolve` too, run `kbsync init` "
    "in an empty folder, then `kbsync push` and `kbsync sandbox`."
)
"""What the practice panel says: the demo's ledger is gone with the demo."""


@click.command("demo")
@click.option("--once", is_flag=True, help="Stop when everything has been shown.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the sandbox.  [default: a free port]")
@with_options
def command(options: Options, once: bool, port: int) -> int:
    """Publish your files in a new sandbox, show the result, and push again to show that nothing is left to do.

    Only files with `status: draft` or `archived` are not published. It always uses the built-in sandbox, whatever
    kbsync.toml says. Without a kbsync.toml it uses sample articles.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kbsync-demo-")))
        workspace = Workspace(_demo_settings(options, folder), options.session())
        click.echo(f"Your files: {relative(workspace.content_root)}\n")
        reading = read_content(workspace)
        if reading.errors:
            show_findings(workspace, reading.errors, options, sources=len(reading.compiler.tree.sources), err=True)
            return ExitCode.FINDINGS
        blank = {source.path for source in reading.compiler.tree.sources.values() if source.body_blank}
        reading = replace(reading, desired=tuple(_shown(item, blank) for item in reading.desired))
        sandbox = run_sandbox(workspace.settings, workspace.sandbox_database, port=port, next_step=NEXT_STEP)
        base_url = stack.enter_context(sandbox)
        code = _show(workspace, reading, base_url, options.style(), stays=not once)
        if code is ExitCode.DONE and not once:
            click.echo("\nThe sandbox is running. Press Ctrl-C to stop it.")
            _wait_for_interrupt()
    return code


def _demo_settings(options: Options, folder: Path) -> Settings:
    """The user's settings, with the sandbox as their service and a folder of its own for ledger and data."""
    try:
        path = options.config or find_config(working_folder())
    except ConfigError:
        write_project(folder, Answers(SANDBOX, 1, "handbook", "chatwoot", ("en",), status="published"))
        path = folder / "kbsync.toml"
    settings = replace(options.session(), config=path).read_settings()
    state = folder / ".kbsync"
    return replace(
        settings,
        service=replace(settings.service, base_url=SANDBOX, profile="chatwoot"),
        ledger=replace(settings.ledger, url=f"sqlite:{state / 'ledger.db'}"),
        state=state,
    )


def _shown(item: Desired, blank: Set[str]) -> Desired:
    """An article as the demo shows it: where its file has no status, readers see it. One without text cannot be."""
    if item.kind != "article":
        return item
    return structs.replace(item, status=None if item.path in blank else item.status or Status.PUBLISHED)


def _show(workspace: Workspace, reading: Reading, base_url: str, style: Style, *, stays: bool) -> ExitCode:
    """Both pushes, and between them where the pages are, if the sandbox stays after them."""
    first = _push(workspace, reading, base_url)
    code = first.exit_code
    _say_of("First push:   ", first, style)
    if code is not ExitCode.DONE:
        return code
    if stays:
        _show_addresses(workspace, reading, base_url)
    second = _push(workspace, reading, base_url)
    if stays:
        click.echo()
    _say_of("Second push:  ", second, style)
    if not stays:
        click.echo("\nTo look at the pages in a browser, run `kbsync demo` without `--once`.")
    return ExitCode.DONE if not second.plan.changes else ExitCode.PARTLY_FAILED


def _show_addresses(workspace: Workspace, reading: Reading, base_url: str) -> None:
    from kbsync.app.embedded import panel_address
    from kbsync.sandbox import token_of

    portal = workspace.settings.service.portal
    click.echo("\nOpen in a browser:")
    click.echo(f"  {base_url}/hc/{portal}   what readers see (only published articles)")
    click.echo(f"  {base_url}/-/sandbox   every article, including drafts")
    for item in _examples(reading.desired):
        address = reading.compiler.addresses.of(reading.compiler.site.articles[item.path], is_article=True)
        say(f"  {base_url}{address}   {visible(item.title)}")
    click.echo("\nTo practice as a colleague in the panel:")
    click.echo(f"  {panel_address(base_url, token_of(workspace.sandbox_database))}")


def _push(workspace: Workspace, reading: Reading, base_url: str) -> Pushed:
    ledger = workspace.open_ledger()
    try:
        with (
            workspace.connect_sandbox(base_url) as service,
            held_lock(ledger, workspace, wait=False, break_lock=False) as lease,
        ):
            return push_tree(workspace, reading, service, lease, planning_now(workspace, PlanOptions(publish=True)))
    finally:
        ledger.close()


def _say_of(name: str, pushed: Pushed, style: Style) -> None:
    click.echo("\n".join(style.wrapped(f"{name}{_summary(pushed)}", hang=len(name))))


def _summary(pushed: Pushed) -> str:
    done = Counter(
        (outcome.change.kind, outcome.change.action) for outcome in pushed.outcomes if outcome.outcome == "done"
    )
    cost = f"{count(pushed.requests, 'request')} in {pushed.seconds:.1f} s"
    if not pushed.outcomes:
        return f"0 changes. Everything is up to date ({pushed.plan.unchanged} unchanged; {cost})."
    bad = len(pushed.outcomes) - done.total()
    failed = f", {bad} failed" if bad else ""
    categories, drafts = done["category", Action.CREATE], done["article", Action.CREATE]
    published = done["article", Action.PUBLISH]
    shown = f", {published} published" if published else ""
    return f"{count(categories, 'category')} and {count(drafts, 'draft')} created{shown}{failed} ({cost})"


def _examples(desired: Sequence[Desired]) -> list[Desired]:
    """One article of each locale: the first of its first category."""
    places: dict[tuple[str, Value], Value] = {
        (c.locale, c.slug): c.fields.get("position") or 0 for c in desired if c.kind == "category"
    }

    def place(item: Desired) -> tuple[object, ...]:
        return places.get((item.locale, item.fields.get("category")), 0), item.fields.get("position") or 0, item.path

    first: dict[str, Desired] = {}
    for item in sorted(desired, key=place):
        if item.kind == "article":
            first.setdefault(item.locale, item)
    return list(first.values())


def _wait_for_interrupt() -> None:
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        click.echo("", err=True)
