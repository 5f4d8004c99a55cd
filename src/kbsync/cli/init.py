"""`kbsync init`: write kbsync.toml, a sample content tree and the .gitignore lines. Overwrites nothing."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import click
from msgspec import structs

from kbsync.app.consent import Consent
from kbsync.app.session import Session
from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.command import quote
from kbsync.config import CONFIG_NAME, SANDBOX, read_settings
from kbsync.config.checks import PageAddress, check_base_url, take_apart
from kbsync.config.settings import ServiceSettings
from kbsync.content.post import dumps, new_post
from kbsync.errors import ConfigError, ExitCode
from kbsync.files import real_path, relative, working_folder, write_whole
from kbsync.ledger.git_command import remote_names

IGNORE_NAME = ".gitignore"
IGNORED = ".kbsync/"

LOCALE = "en"
"""The first locale, where no other is given."""

ACCOUNT = re.compile(r"[1-9][0-9]{0,17}")

PORTAL = re.compile(r"[\w.~-]+")
"""The slug of a portal is a part of addresses. Its name, with spaces, is what people type instead."""

LOCALE_CODE = re.compile(r"[A-Za-z]{2,3}(?:[_-][A-Za-z0-9]{1,8}){0,3}")
"""The code of a language has two or three letters; a word such as `English` has more."""

T = TypeVar("T")

CONFIG = """\
# Where the help center is. "sandbox" is a service built into kbsync, for trying things out.
# Do not write the token here: set KBSYNC_TOKEN.
[service]
base_url = {base_url}
account_id = {account_id}
portal = {portal}
profile = {profile}

[content]
root = "content"
default_locale = {default}
locales = [{locales}]

[push]
publish = false             # true: also apply the status in the front matter
live = "update"             # of an article that readers see now: "update" it, "stage" its text, or "hold" it
removed = "report"          # an article whose file is gone: "report", "archive" or "delete" it
"""

LEDGER = """
[ledger]
url = {url}          # kbsync's own record, in a ref of this repository's remote
"""

WELCOME = """
This is your first article. Change it, then run `kbsync plan` to see what a push would do.

## Write the next one

Add another file to this folder. [How to link](how-to-link.md) shows how files link to each other.
"""

LINKING = """
Write the path of the other file, as in [Welcome](welcome.md) or
[its second part](welcome.md#write-the-next-one). kbsync puts the address of the article there.
"""


@dataclass(frozen=True, slots=True)
class Answers:
    """The user's answers, from options or questions; `status` is that of the sample articles."""

    base_url: str
    account_id: int
    portal: str
    profile: str
    locales: tuple[str, ...]
    ledger: str = ""
    status: str = "draft"


LOOPBACK_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|\Z)")
HOST = re.compile(r"[\w-]++(?:\.[\w-]++)++(?:[:/]|\Z)")
"""How an address begins that was pasted without `http://` or `https://`."""


def _address(text: str) -> PageAddress:
    address = text.strip(" \t<>\"'")
    scheme = "http://" if LOOPBACK_HOST.match(address) else "https://" if HOST.match(address) else ""
    found = take_apart(f"{scheme}{address}")
    try:
        check_base_url(ServiceSettings(base_url=found.base_url), "")
    except ConfigError as exc:
        raise click.BadParameter(f"{exc.message} {exc.hint}") from exc
    return found


def _account(text: str) -> int:
    if not ACCOUNT.fullmatch(text.strip()):
        raise click.BadParameter(f"`{text}` is not the number of an account. See the panel's address: /accounts/1.")
    return int(text)


def _portal(text: str) -> str:
    slug = text.strip()
    if not PORTAL.fullmatch(slug):
        raise click.BadParameter(f"`{text}` is not a slug. See the portal's address: /hc/handbook.")
    return slug


def _locale(text: str) -> str:
    locale = text.strip()
    if not LOCALE_CODE.fullmatch(locale):
        raise click.BadParameter(f"`{text}` is not the code of a locale, such as en or pt_BR.")
    return locale


def _locales(text: str) -> tuple[str, ...]:
    return tuple(map(_locale, text.replace(",", " ").split())) or (LOCALE,)


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option(
    "--base-url",
    "address",
    type=_address,
    metavar="URL",
    help='Address of the service, "sandbox", or the address of a page in the panel or the help center.',
)
@click.option("--account-id", type=_account, metavar="N", help="Number of the account.")
@click.option("--portal", type=_portal, metavar="SLUG", help="Slug of the portal.")
@click.option("--profile", default="chatwoot", show_default=True, help="chatwoot, documented, or a TOML file.")
@click.option("--ledger", metavar="URL", help="Where kbsync keeps its own record, for example git:origin.")
@click.option(
    "--locale",
    "locales",
    multiple=True,
    type=_locale,
    metavar="CODE",
    help="A locale. The first one is the default.",
)
@with_options
def command(
    options: Options,
    folder: Path,
    address: PageAddress | None,
    account_id: int | None,
    portal: str | None,
    profile: str,
    ledger: str | None,
    locales: tuple[str, ...],
) -> int:
    """Write kbsync.toml, sample articles and a .gitignore line into FOLDER. Overwrites nothing.

    On a terminal, kbsync asks for what no option gives. Elsewhere it uses the sandbox. An address that you copied from
    the panel or the help center gives the account and the portal too.
    """
    config = working_folder() / folder / CONFIG_NAME
    if config.exists() or config.is_symlink():
        hint = "Edit it. `kbsync init` does not overwrite files."
        raise ConfigError(f"{folder / CONFIG_NAME} already exists.", hint=hint)
    address = address or _ask("Address of your panel or help center, or sandbox", SANDBOX, _address)
    told = {"account": not account_id and address.account_id, "portal": not portal and address.portal}
    if any(told.values()):
        options.note(f"From the address: {', '.join(f'{name} {value}' for name, value in told.items() if value)}.")
    answers = Answers(
        address.base_url,
        account_id or address.account_id or _ask("Number of the account", "1", _account),
        portal or address.portal or _ask("Slug of the portal", "handbook", _portal),
        profile,
        locales or _ask("Locales (default first)", LOCALE, _locales),
    )
    answers = replace(answers, ledger=_ledger_for(folder, answers) if ledger is None else ledger)
    try:
        written = write_project(folder, answers)
    except OSError as exc:
        raise ConfigError(f"{folder} cannot be written: {exc.strerror}.", hint="Choose another folder.") from exc
    _trust(structs.replace(options.session(), config=folder / CONFIG_NAME, env=""))
    for path, verb in written:
        options.note(f"{verb:<8} {relative(path)}")
    options.note(f"\n{_what_next(folder, answers)}")
    return ExitCode.DONE


def _what_next(folder: Path, answers: Answers) -> str:
    steps = [] if folder.resolve() == working_folder() else [f"Go into the folder: `cd {quote(str(folder))}`."]
    if answers.base_url != SANDBOX:
        steps.append("Set KBSYNC_TOKEN. `kbsync check` shows whether everything works.")
    return "\n  ".join(["Next:", *steps, "`kbsync plan` shows what a push would do. `kbsync push` does it."])


def _ledger_for(folder: Path, answers: Answers) -> str:
    """A repository with a remote can keep the ledger for every clone and CI job. One for trying out needs none."""
    place = next((parent for parent in (folder, *folder.absolute().parents) if parent.is_dir()), working_folder())
    remotes = remote_names(place, os.environ) if answers.base_url != SANDBOX else []
    if not remotes:
        return ""
    proposed = f"git:{'origin' if 'origin' in remotes else remotes[0]}"
    question = "Where kbsync keeps its record (git:REMOTE: in this repository, for every clone and CI job)"
    return _ask(question, proposed, str.strip)


def _trust(session: Session) -> None:
    """Who writes a kbsync.toml here is not asked later whether it is to be trusted."""
    consent = Consent(session.read_settings(), session)
    if reaches := consent.reaches():
        consent.give(reaches)


def _ask(question: str, default: str, kind: Callable[[str], T]) -> T:
    """An answer, asked for again until it is of this kind; the default without a terminal."""
    if not sys.stdin.isatty():
        return kind(default)
    answer: T = click.prompt(question, default=default, value_proc=kind, err=True)
    return answer


def write_project(folder: Path, answers: Answers) -> list[tuple[Path, str]]:
    """Write what is missing; each path, and whether it was `wrote`, `kept` or `extended`.

    Raises:
        ConfigError: the answers make no usable kbsync.toml, or a link leads somewhere else; nothing was written.
    """
    first = answers.locales[0]
    samples = folder / "content" / first / "getting-started"
    for place in (folder / IGNORE_NAME, samples):
        _check_place(place, folder)
    # Where there are sources already, a sample would be noise among them.
    files = {} if any((folder / "content").rglob("*.md")) else _samples(answers.status)
    ledger = LEDGER.format(url=_quoted(answers.ledger)) if answers.ledger else ""
    config = CONFIG.format(
        base_url=_quoted(answers.base_url),
        account_id=answers.account_id,
        portal=_quoted(answers.portal),
        profile=_quoted(answers.profile),
        default=_quoted(first),
        locales=", ".join(map(_quoted, answers.locales)),
    )
    config += ledger
    done = [(_write_first(folder, config), "wrote")]
    for name, text in files.items():
        path = samples / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
        done.append((path, "wrote"))
    return [*done, _ignore_state(folder / IGNORE_NAME)]


def _write_first(folder: Path, config: str) -> Path:
    """Write kbsync.toml. If it cannot be used, the folders that were made for it go again.

    Raises:
        ConfigError: it cannot be used.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return _write_config(folder / CONFIG_NAME, config)
    except ConfigError:
        for place in made:
            place.rmdir()
        raise


def _samples(status: str) -> dict[str, str]:
    """The texts of a first category and two articles that link to each other, by file name."""
    category = {"name": "Getting started", "description": "The first steps.", "position": 1}
    welcome = {"title": "Welcome", "description": "What this help center is about.", "position": 10}
    linking = {
        "title": "How to link",
        "description": "Links between files become links between articles.",
        "position": 20,
    }
    return {
        "_category.md": dumps(new_post("", **category)),
        "welcome.md": dumps(new_post(WELCOME, **welcome, status=status)),
        "how-to-link.md": dumps(new_post(LINKING, **linking, status=status)),
    }


def _check_place(path: Path, folder: Path) -> None:
    """Refuse a link in the place of what is written.

    Raises:
        ConfigError: there is one that leads out of the folder, or that git does not follow.
    """
    if path.name == IGNORE_NAME and path.is_symlink():
        hint = "Replace it with a file, then run the command again."
        # By its own name: `relative` follows the link.
        raise ConfigError(f"{folder / path.name} is a link, and git does not read that.", hint=hint)
    if not real_path(path).is_relative_to(real_path(folder)):
        hint = "Replace the link with a folder, or choose another folder."
        raise ConfigError(f"{relative(path)} leads out of {folder}, because of a link.", hint=hint)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write_config(path: Path, text: str) -> Path:
    """Write it under another name, read it as kbsync would, and only then give it its name."""
    # A name that is not taken: a link of that name could lead anywhere.
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        try:
            read_settings(draft, environ={})
        except ConfigError as exc:
            raise ConfigError(exc.message.replace(draft.name, path.name, 1), hint=exc.hint) from exc
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _ignore_state(path: Path) -> tuple[Path, str]:
    # As bytes: line ends, and names that are not UTF-8, stay as they are.
    data = path.read_bytes() if path.exists() else b""
    if IGNORED.encode() in (line.strip() for line in data.splitlines()):
        return path, "kept"
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    end = b"" if not data or data.endswith(b"\n") else newline
    write_whole(path, data + end + IGNORED.encode() + newline)
    return path, "extended" if data else "wrote"
