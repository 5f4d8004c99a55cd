"""Full addresses of a portal's own pages in a body: for readers, links to them lead where their paths lead. Pure."""

from __future__ import annotations

from operator import attrgetter
from urllib.parse import urlsplit

import msgspec

from kbsync.markdown.spans import scan


class OwnPages(msgspec.Struct, frozen=True):
    """Where a portal's pages are: its hosts with their ports, lower case, and how the paths of its pages begin."""

    hosts: frozenset[str] = frozenset()
    path: str = ""

    def of(self, address: str) -> str:
        """What comes before the path in the full address of one of these pages; "" for any other."""
        scheme, _, rest = address.partition("://")
        host, slash, path = rest.partition("/")
        is_own = scheme.lower() in {"http", "https"} and host.lower() in self.hosts
        return f"{scheme}://{host}" if is_own and f"{slash}{path}".startswith(self.path) else ""


NO_PAGES = OwnPages()


def own_pages(addresses: tuple[str, ...], article_url: str, portal: str) -> OwnPages:
    """Those of a portal.

    Args:
        addresses: of the service, and the host that readers know the portal by, where it has one of its own.
        article_url: the path of an article, with `{portal}` and what is behind it.
        portal: its slug.
    """
    hosts = (urlsplit(address if "://" in address else f"https://{address}").netloc for address in addresses)
    path = f"{article_url.partition('{portal}')[0]}{portal}/"
    return OwnPages(frozenset(host.lower() for host in hosts if host), path)


def with_paths(text: str, own: OwnPages) -> str:
    """A body whose links lead to its portal's own pages by path; what a reader sees as an address stays."""
    if not own.hosts or own.path not in text or "://" not in text:
        return text
    pieces, at = [], 0
    for target in sorted(scan(text).targets, key=attrgetter("start")):
        cut = own.of(text[target.start : target.end]) if target.kind != "autolink" else ""
        if cut:
            pieces.append(text[at : target.start])
            at = target.start + len(cut)
    return "".join((*pieces, text[at:]))
