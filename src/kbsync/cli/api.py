"""`kbsync api`: one request to the service with the project's token, at its pace. What comes back goes to stdout.

Also: an answer of the service for stdout: JSON in lines, anything else as it is, the token in neither. Pure.
"""

from __future__ import annotations

import mimetypes
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from kbsync.cli.calling import with_options
from kbsync.cli.screen import Options
from kbsync.errors import ExitCode, UsageError
from kbsync.files import read_within
from kbsync.model import visible
from kbsync.report.escape import inert, spelt_json
from kbsync.service.answers import check_status
from kbsync.service.api import METHODS, READS, ApiRequest, in_query, read_path, typed
from kbsync.service.exchange import Answer

if TYPE_CHECKING:
    from kbsync.service.exchange import Answer
    from kbsync.service.transport import File


def answer_text(answer: Answer, *, screen: bool) -> str:
    """The body, with a line break at its end; "" where there is none.

    Args:
        answer: what came; the token in it is replaced by `[token]` (docs/service.md, section 1).
        screen: whether a terminal shows it, which obeys control characters.
    """
    text = answer.body.decode("utf-8", "replace")
    if answer.secret:
        text = text.replace(answer.secret, "[token]")
    if not text.strip():
        return ""
    try:
        return spelt_json(msgspec.json.format(text.encode(), indent=2).decode()) + "\n"
    except (msgspec.DecodeError, RecursionError):
        lines = text.removesuffix("\n").split("\n")
        return inert("\n".join(map(visible, lines) if screen else lines)) + "\n"


MAX_FILE_BYTES = 100_000_000

Pair = tuple[str, Any]


@click.command("api")
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.option(
    "-f",
    "--field",
    "texts",
    multiple=True,
    metavar="KEY=VALUE",
    help="A field whose value is text. KEY=@FILE uploads a file.",
)
@click.option(
    "-F",
    "--typed-field",
    "values",
    multiple=True,
    metavar="KEY=VALUE",
    help="A field whose value is a number, true, false, null or other JSON.",
)
@click.option("--paginate", is_flag=True, help="Read all pages of a list and print one list.")
@click.option("--yes", is_flag=True, help="Allow a write to portals, categories or articles.")
@with_options
def command(
    options: Options,
    method: str,
    path: str,
    texts: tuple[str, ...],
    values: tuple[str, ...],
    paginate: bool,
    yes: bool,
) -> int:
    """Send one request to the service and print the answer.

    PATH is a path of your account, for example inboxes or reports/summary. A path that begins with / is used as it is,
    for example /api/v1/profile. {account_id} and {portal} are replaced. With GET, the fields are the query; with other
    methods, they are one JSON object.

    \b
    kbsync api GET portals/{portal}/articles -f locale=en --paginate
    kbsync api POST labels -f title=refunds -F show_on_sidebar=true
    kbsync api POST upload -f attachment=@image.png
    """
    project = options.open_project()
    service = project.workspace.settings.service
    place, query = read_path(path, account_id=service.account_id, portal=service.portal)
    request = _request(method, place, query, [*_texts(texts), *_typed(values)])
    if request.changes_help_center and not yes:
        raise UsageError(
            f"{method} {visible(place)} changes your help center, but not your files.",
            hint="Edit the file and run `kbsync push`. To send the request anyway, add `--yes`.",
        )
    if paginate and method != "GET":
        raise UsageError("--paginate is for GET.", hint="Leave it out.")
    return _print(project.ask(request, paginate=paginate), options)


def _print(answer: Answer, options: Options) -> int:
    """The body to stdout; what an error status means goes the way of all errors, to stderr.

    Raises:
        ServiceError: the status is not 2xx.
    """
    click.echo(answer_text(answer, screen=sys.stdout.isatty()), nl=False)
    check_status(answer)
    if not answer.body:
        options.note(f"{answer.asked}: {answer.status}, without a body.")
    return ExitCode.DONE


def _request(method: str, path: str, query: dict[str, list[str]], fields: list[tuple[str, Any]]) -> ApiRequest:
    """The request, with its fields where they belong.

    Raises:
        UsageError: the fields do not go together.
    """
    files = [(key, value) for key, value in fields if isinstance(value, Path)]
    others = [(key, value) for key, value in fields if not isinstance(value, Path)]
    if method in READS:
        if files:
            raise UsageError(f"A {method} has no body, so it cannot upload {files[0][1]}.", hint="Use POST.")
        for key, value in others:
            query.setdefault(key, []).append(in_query(value))
        return ApiRequest(method, path, query)
    body = _body(others)
    if not files:
        return ApiRequest(method, path, query, body if fields else None)
    if len(files) > 1:
        raise UsageError("A request can upload one file.", hint="Send one request for each file.")
    (key, file), beside = files[0], {name: in_query(value) for name, value in body.items()}
    return ApiRequest(method, path, query, file=_file(key, file, beside))


def _body(fields: Iterable[Pair]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for key, value in fields:
        if key in body:
            raise UsageError(f"The field `{key}` is given twice.", hint=f"For a list, use -F '{key}=[1, 2]'.")
        body[key] = value
    return body


def _file(key: str, path: Path, beside: dict[str, str]) -> File:
    from kbsync.service.transport import File

    try:
        data = read_within(path, MAX_FILE_BYTES)
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}.") from exc
    return File(key, path.name, mimetypes.guess_type(path.name)[0] or "application/octet-stream", data, beside)


def _texts(fields: Iterable[str]) -> Iterable[Pair]:
    for key, text in map(_pair, fields):
        yield key, Path(text[1:]) if text.startswith("@") else text


def _typed(fields: Iterable[str]) -> Iterable[Pair]:
    for key, text in map(_pair, fields):
        try:
            yield key, typed(text)
        except ValueError as exc:
            raise UsageError(f"-F {key}: this is not JSON: {exc}.", hint=f"For a text, use -f {key}=...") from exc


def _pair(field: str) -> tuple[str, str]:
    key, equals, text = field.partition("=")
    if not key or not equals:
        raise UsageError(f"`{field}` is not a field.", hint="Write KEY=VALUE.")
    return key, text
