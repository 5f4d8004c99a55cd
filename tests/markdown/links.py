"""The links of a text as each of the two parsers sees them."""

from markdown_it.token import Token

from kbsync.markdown.constructs import Scan
from kbsync.markdown.dialect import portal_parser

_PARSER = portal_parser()


def destinations(text: str) -> list[str]:
    """Every link and image as the preview's parser sees it."""

    def walk(tokens: list[Token]) -> list[str]:
        found = []
        for token in tokens:
            if token.type in ("link_open", "image"):
                found.append(str(token.attrGet("href" if token.type == "link_open" else "src")))
            found += walk(token.children or [])
        return found

    return sorted(walk(_PARSER.parse(text)))


def scanned_destinations(found: Scan) -> list[str]:
    """Every link and image as the spans have it."""
    seen = [target.destination for target in found.targets if target.kind != "definition"]
    return sorted(seen + [reference.destination for reference in found.references])
