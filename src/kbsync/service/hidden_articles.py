"""Articles that no page of any list shows, looked up by their ids (docs/service.md, S6).

Of many articles with one `updated_at` and no order in their categories a list hides some, and every time the same ones.
What is imported together has ids that follow each other, so the hidden ones are those between the ones that were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from kbsync.model import RemoteId
from kbsync.service.article_lister import Listing
from kbsync.service.snapshot import Row

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

MOST_ASKED = 500
"""Look-ups, a request each: 25 seconds at the usual pace. Other accounts of the service have ids in between, too."""

SIDE_BY_SIDE = 20
"""Look-ups that are sent before it is seen whether any more are needed."""

Show = Callable[[RemoteId], tuple[Row, str] | None]
"""One article and its locale, "" where no category says it (S3); None where this portal has none of this id."""


def find_hidden(
    short: Mapping[str, Listing], ids: Iterable[RemoteId], show: Show, pool: ThreadPoolExecutor
) -> dict[str, dict[RemoteId, Row]]:
    """The rows of each locale that its list lacks, as far as they are found.

    Args:
        short: by locale, the lists that are shorter than the service counts.
        ids: what to look up, the likeliest first; none of a row that was found.
        show: asks for one.
        pool: asks side by side.
    """
    missing = {locale: listing.missing for locale, listing in short.items()}
    hidden: dict[str, dict[RemoteId, Row]] = {locale: {} for locale in short}
    only = next(iter(short)) if len(short) == 1 else ""
    asked = islice(ids, MOST_ASKED if sum(missing.values()) <= MOST_ASKED else 0)
    while any(len(hidden[locale]) < number for locale, number in missing.items()):
        some = list(islice(asked, SIDE_BY_SIDE))
        if not some:
            break
        for seen in pool.map(show, some):
            if seen is not None and (locale := seen[1] or only) in hidden:
                hidden[locale][seen[0].id] = seen[0]
    return hidden
