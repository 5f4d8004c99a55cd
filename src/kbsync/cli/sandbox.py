"""`kbsync sandbox`: a local service that answers like the real one."""

from __future__ import annotations

from dataclasses import replace

import click

from kbsync.app.consent import Consent
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode, UsageError
from kbsync.files import make_folder
from kbsync.sandbox.setup import V4_16, VERSIONS

DEFAULT_PORT = 8420


@click.command("sandbox")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 uses a free port."
)
@click.option("--version", type=click.Choice([*VERSIONS]), help="Answer like this version.  [default: 4.16]")
@click.option("--always-draft", is_flag=True, help="Behave like version 4.2: every new article becomes a draft.")
@click.option(
    "--requests-per-minute", type=click.IntRange(1), metavar="N", help="Answer 429 when there are more requests."
)
@click.option("--uploads-per-hour", type=click.IntRange(1), metavar="N", help="Answer 429 when there are more uploads.")
@click.option("--latency", type=click.FloatRange(0), default=0.0, metavar="SECONDS", help="Wait before each answer.")
@click.option("--reader-password", default="", metavar="WORD", help="Ask readers for this password.")
@with_options
def command(
    options: Options,
    port: int,
    version: str | None,
    always_draft: bool,
    requests_per_minute: int | None,
    uploads_per_hour: int | None,
    latency: float,
    reader_password: str,
) -> int:
    """Run a local service that answers like the real one, with the account, portal and locales in kbsync.toml.

    Its data is stored beside the ledger. Every command with base_url = "sandbox" uses the same data.
    """
    from kbsync.app.embedded import panel_address, refused_data, sandbox_setup
    from kbsync.sandbox import V4_2, DataRefused, serve, token_of

    if version and always_draft:
        raise UsageError(
            "`--always-draft` is version 4.2. It cannot be combined with `--version`.", hint="Leave one out."
        )
    session = options.session()
    settings = session.read_settings()
    consent = Consent(settings, session)
    consent.state()
    if not settings.content.locales:
        consent.content()  # Its folders say which locales there are.
    behaviour = replace(
        V4_2 if always_draft else VERSIONS.get(version or "", V4_16),
        requests_per_minute=requests_per_minute,
        uploads_per_hour=uploads_per_hour,
        latency_s=latency,
        reader_password=reader_password,
    )

    database = settings.state_folder / "sandbox.db"

    def ready(base_url: str) -> None:
        click.echo(f"The sandbox is running at {base_url}")
        click.echo(f"  what readers see   {base_url}/hc/{settings.service.portal}")
        click.echo(f"  all articles       {base_url}/-/sandbox")
        click.echo(f"  practice panel     {panel_address(base_url, token_of(database))}")
        click.echo(f"  use it elsewhere   KBSYNC_SERVICE__BASE_URL={base_url} KBSYNC_TOKEN={token_of(database)}")
        click.echo("Press Ctrl-C to stop it.")

    make_folder(settings.state_folder)
    try:
        serve(database, sandbox_setup(settings), behaviour, port=port, ready=ready)
    except DataRefused as exc:
        raise refused_data(exc, database) from exc
    except OSError as exc:
        raise UsageError(
            f"Port {port} cannot be used: {exc.strerror}.", hint="Choose another port, or `--port 0`."
        ) from exc
    return ExitCode.DONE
