"""Where links to other sites are, and which of them are dead. `service/external.py` checks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kbsync.content.tree import Tree
from kbsync.lint.article_text import article_text
from kbsync.markdown.offsets import Places
from kbsync.markdown.spans import scan
from kbsync.model import Finding, Rule
from kbsync.service.external import Verdict

DEAD_LINK = Rule("KB310", "External link that is dead")


@dataclass(frozen=True, slots=True)
class External:
    """A link or image of another site: its place in the file, and the address that is asked for."""

    path: str
    line: int
    column: int
    url: str


def find_external(tree: Tree, paths: Iterable[str]) -> Iterator[External]:
    """Every link of these sources that leaves the tree for the web. The scan cache has none of them, so files are read.

    A file that is no longer the one that was linted is left out.
    """
    for path in paths:
        text, start = article_text(tree, path), tree.sources[path].body_start
        if text is None or "//" not in text:
            continue
        first_line = Places(text).line(start) - 1
        for target in scan(text[start:]).targets:
            if url := address_of(target.destination):
                yield External(path, first_line + target.line, target.column, url)


def address_of(destination: str) -> str:
    """What is asked for: the address without its fragment, `//host` as https; "" for what is not of the web."""
    url = f"https:{destination}" if destination.startswith("//") else destination
    return url.partition("#")[0].strip() if url.lower().startswith(("http://", "https://")) else ""


def external_findings(links: Iterable[External], verdicts: Mapping[str, Verdict]) -> Iterator[Finding]:
    """One finding for each link that is dead."""
    for link in links:
        if verdicts[link.url].state == "dead":
            message = f"The link to {link.url} is dead: {verdicts[link.url].reason}."
            yield DEAD_LINK.finding(link.path, link.line, link.column, message, "Correct it, or remove it.")
