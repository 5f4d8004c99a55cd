"""`kbsync trust`: allow what a kbsync.toml reaches outside its repository, and a new address for a token."""

from __future__ import annotations

import os

import click

from kbsync.app.consent import TRUST, Consent, listed
from kbsync.app.token import is_given, read_token
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode, UsageError
from kbsync.files import relative
from kbsync.model import visible
from kbsync.trust.origin import origin_of
from kbsync.trust.reach import digest_of


@click.command("trust")
@click.option("--show", is_flag=True, help="Show what it uses, and whether that is allowed. Changes nothing.")
@click.option("--revoke", is_flag=True, help="Withdraw the permission. With --origin, for that address.")
@click.option("--origin", metavar="URL", help="Allow your token to be sent to this address, too.")
@with_options
def command(options: Options, show: bool, revoke: bool, origin: str | None) -> int:
    """Allow what this kbsync.toml uses outside its repository. Check the file first.

    That can be a program (token_command), a PostgreSQL ledger, or a profile, a ledger or articles in another folder.
    kbsync asks once before it uses them, and again when they change. Your answer is stored in your own data folder,
    never in the repository.

    In CI, set KBSYNC_TRUST to the digest that --show prints.

    A token belongs to the first service that it was used with. --origin allows another address of the same service.
    In CI, set KBSYNC_TOKEN_ORIGIN to the address of the service, beside the token.
    """
    if show and (revoke or origin is not None):
        raise UsageError("--show cannot be combined with other options.", hint="Run `kbsync trust --show`.")
    session = options.session()
    consent = Consent(session.read_settings(), session)
    if origin is not None:
        return _forbid_origin(consent, origin) if revoke else _allow_origin(consent, origin)
    if show:
        return _show(consent)
    return _revoke(consent) if revoke else _allow(consent)


def _allow(consent: Consent) -> int:
    reaches = consent.reaches()
    name = relative(consent.settings.path)
    if not reaches:
        consent.session.note(f"{name} uses nothing outside its repository. There is nothing to allow.")
        return ExitCode.DONE
    consent.session.note(listed(consent.settings.path, reaches))
    if consent.give(reaches):
        consent.session.note("Allowed. If any of this changes, kbsync asks again.")
        return ExitCode.DONE
    return ExitCode.USAGE


def _show(consent: Consent) -> int:
    reaches = consent.reaches()
    if reaches:
        say("\n".join(map(visible, listed(consent.settings.path, reaches).split("\n"))))
        say(f"Allowed: {'yes' if consent.is_given(reaches) else 'no'}")
        say(f"For CI:  {TRUST}={digest_of(reaches)}")
    else:
        say(f"{relative(consent.settings.path)} uses nothing outside its repository.")
    _show_token(consent)
    return ExitCode.DONE


def _show_token(consent: Consent) -> None:
    """Where the token may be sent, if it is at hand without running anything."""
    if not is_given(consent.session.token_file, os.environ):
        return
    known = consent.store().origins_of(_token(consent))
    places = " and ".join(known) or "no service yet; the first use decides"
    click.echo(f"The token belongs to: {places}")


def _revoke(consent: Consent) -> int:
    dropped = consent.store().drop_consent(consent.path)
    name = relative(consent.settings.path)
    consent.session.note(f"{name} is no longer trusted." if dropped else f"{name} was not trusted.")
    return ExitCode.DONE


def _allow_origin(consent: Consent, address: str) -> int:
    origin, token, store = _origin(address), _token(consent), consent.store()
    known = store.origins_of(token)
    if origin not in known and not store.keep_origins(token, (*known, origin)):
        raise UsageError(
            f"{store.folder or 'Your data folder'} cannot be written, so kbsync cannot remember this.",
            hint=f"Set KBSYNC_TOKEN_ORIGIN={address} instead.",
        )
    consent.session.note(f"The token may be sent to {origin}.")
    return ExitCode.DONE


def _forbid_origin(consent: Consent, address: str) -> int:
    origin, token, store = _origin(address), _token(consent), consent.store()
    rest = tuple(name for name in store.origins_of(token) if name != origin)
    if rest:
        store.keep_origins(token, rest)
        consent.session.note(f"The token may no longer be sent to {origin}.")
    else:
        store.drop_origins(token)
        consent.session.note("The token no longer belongs to a service. Its next use decides.")
    return ExitCode.DONE


def _token(consent: Consent) -> str:
    return read_token(
        consent.settings, token_file=consent.session.token_file, environ=os.environ, allow=consent.program
    )


def _origin(address: str) -> str:
    try:
        return origin_of(address)
    except ValueError as exc:
        raise UsageError(
            f"--origin: expected an address such as https://support.example.com, found {address!r}."
        ) from exc
