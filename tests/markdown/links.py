"""What has to hold of the spans of any text, told as a list of what does not."""

from markdown_it.token import Token

from kbsync.markdown.constructs import Scan, Target
from kbsync.markdown.dialect import portal_parser
from kbsync.markdown.rewrite import rewrite
from kbsync.markdown.spans import scan

_PARSER = portal_parser()
NEW = "../x y/é(1.md?a=1&b=2#c"
"""A destination that every place has to write in its own way."""


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


def shape(found: Scan) -> list[object]:
    """All that a rewrite of destinations has no business changing."""
    return [
        [(target.kind, target.text, target.title) for target in found.targets],
        [(reference.kind, reference.label, reference.text) for reference in found.references],
        [(heading.level, heading.text) for heading in found.headings],
        [piece.html for piece in found.raw_html],
    ]


def rewritable(found: Scan) -> list[Target]:
    """The targets whose kind a rewrite keeps."""
    return [target for target in found.targets if target.kind != "autolink"]


def spans_are_wrong(text: str, new: str = NEW) -> list[str]:
    """Name what does not hold: `links`, `same`, `targets`, `shape`; nothing where all is well."""
    found = scan(text)
    wrong = [] if scanned_destinations(found) == destinations(text) else ["links"]
    if rewrite(text, [(target, target.destination) for target in found.targets]) != text:
        wrong.append("same")
    changed = rewritable(found)
    after = scan(rewrite(text, [(target, new) for target in changed]))
    asked = [new if target in changed else target.destination for target in found.targets]
    if [target.destination for target in after.targets] != asked:
        wrong.append("targets")
    elif shape(after) != shape(found):
        wrong.append("shape")
    return wrong
