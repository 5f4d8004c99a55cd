"""One request to the service as a person words it, or all pages of a list."""

from __future__ import annotations

import msgspec
from msgspec import structs

from kbsync.app.workspace import Workspace
from kbsync.errors import Misbehaved, UsageError
from kbsync.service.api import MAX_PAGES, ApiRequest, rows_of
from kbsync.service.client import Service
from kbsync.service.exchange import Answer


def ask(workspace: Workspace, request: ApiRequest) -> Answer:
    """Whatever the service answers, also where that is an error."""
    with workspace.open_service() as service:
        return service.send(request)


def ask_pages(workspace: Workspace, request: ApiRequest) -> Answer:
    """The rows of all pages as one JSON list, up to the first page without any; or the first answer that is an error.

    Raises:
        UsageError: the answer is not a list.
        Misbehaved: the list does not end.
    """
    with workspace.open_service() as service:
        return _all_pages(service, request)


def _all_pages(service: Service, request: ApiRequest) -> Answer:
    rows: list[msgspec.Raw] = []
    seen: set[bytes] = set()
    for number in range(1, MAX_PAGES + 1):
        answer = service.send(structs.replace(request, query={**request.query, "page": [str(number)]}))
        if not 200 <= answer.status < 300:
            return answer
        found = rows_of(answer)
        if found is None:
            raise UsageError(f"{answer.asked}: The answer is not a list.", hint="Leave out `--paginate`.")
        page = msgspec.json.encode(found)
        # A list that knows no pages gives all of it each time, and so may a page beyond the end (docs/service.md, S18).
        if not found or page in seen:
            return structs.replace(answer, body=msgspec.json.encode(rows))
        rows += found
        seen.add(page)
    raise Misbehaved(f"{request.method} {request.path}: The list has more than {MAX_PAGES:,} pages.")
