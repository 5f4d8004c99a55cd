"""Whether what a source points to in the tree exists, and whether readers can see it.

Also: dead links whose target git knows: where it was moved to, or when it was deleted. Pure.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from msgspec.structs import replace

from kbsync.content.fate import Fate
from kbsync.content.source import PICTURES, Link, Source, is_video
from kbsync.content.tree import Tree
from kbsync.lint.context import Context, at_link
from kbsync.lint.fill_ins import TEMPLATE
from kbsync.lint.finds import MOST, Needs, finds
from kbsync.lint.likely_targets import Moved, is_hidden, near_anchor, relative_to
from kbsync.model import Finding, Rule
from kbsync.patterns import Pattern

COMMIT_CHARS = 7
"""As git writes a commit in short."""


def links_with(tree: Tree, findings: Iterable[Finding], rule: Rule) -> Iterator[tuple[Finding, Link]]:
    """The findings of a rule about links in these, each with its link."""
    wanted = {
        (found.path, found.line, found.column): found
        for found in findings
        if found.code == rule.code and found.path in tree.sources
    }
    for path in dict.fromkeys(path for path, _, _ in wanted):
        for link in tree.sources[path].links:
            if found := wanted.get((path, link.line, link.column)):
                yield found, link


def dead_links(tree: Tree, findings: Iterable[Finding]) -> Iterator[tuple[Finding, Link]]:
    """The findings about links to files of the tree that do not exist, each with its link."""
    return ((found, link) for found, link in links_with(tree, findings, NO_FILE) if not link.target.startswith(".."))


def file_of(link: Link) -> str:
    """The article that a link means; other tools leave the ending out."""
    return link.target if link.target.endswith(".md") else f"{link.target}.md"


def explained(found: Finding, link: Link, fate: Fate) -> Finding:
    """The finding, with what became of the target of its link; one that says it already is as it was."""
    commit = f"commit {fate.commit[:COMMIT_CHARS]}" if fate.commit else "a change that is not committed yet"
    if not fate.path:
        told = f"It was deleted in {commit}. "
        rest = found.hint.removeprefix(told) if found.fixable or "Did you mean" in found.hint else ""
        return replace(found, hint=told + (rest or "Link to what replaces it, or delete the link."))
    written = relative_to(found.path, fate.path) + (f"#{link.anchor}" if link.anchor else "")
    hint = f"It was {'' if fate.is_sure else 'probably '}moved to `{written}` in {commit}."
    return replace(found, hint=hint, fixable=found.fixable or fate.is_sure)


NO_FILE = Rule("KB301", "Link to a file that does not exist", fixable=True)
NO_HEADING = Rule("KB302", "Link to a heading that does not exist")
NO_IMAGE = Rule("KB303", "Image file does not exist", fixable=True)
TO_DRAFT = Rule("KB304", "Link from a published article to a draft")
TO_ARCHIVED = Rule("KB305", "Link to an archived article")
TO_UNPUBLISHED = Rule("KB306", "Link to an article that kbsync does not publish", unnoticed=True)
NO_ARTICLE = Rule("KB307", "Link to a file that is not an article")
UNUSED_IMAGE = Rule("KB308", "Image that no article uses", unnoticed=True)

_OTHER_FILE = Pattern(r"\.(?!markdown\Z|mdx?\Z|html?\Z)[a-z][a-z0-9]{1,7}\Z", re.IGNORECASE)
"""A file that is not a page: `fix.patch`, `report.pdf`."""

_MAIL = Pattern(r"[\w.+-]{1,64}@[\w-][\w.-]*\.(?!(?:mdx?|html?|png|jpe?g|gif|svg|webp|pdf)\Z)[a-z]{2,}", re.IGNORECASE)

_HOST = Pattern(r"(?:www\.[\w-]+\.[a-z]{2,}|[\w-]+(?:\.[\w-]+){0,3}\.(?:com|org|net|gov|edu|de|fr|jp|cn|eu))(?:/|\Z)")
"""What begins as an address of the web does. Other endings are those of files, too: `guide.io`, `main.rs`."""

_PLAIN = Pattern(r"[\w.+/:@-]+")

README_HINT = "Give it front matter with a `title` if it is for readers, or link to another article."
LANDS_ABOVE = "Readers would land at the top of the page."


@finds(NO_FILE, NO_HEADING, NO_IMAGE, TO_DRAFT, TO_ARCHIVED, TO_UNPUBLISHED, NO_ARTICLE, needs=Needs.LINKS)
def check_links(context: Context) -> Iterator[Finding]:
    """Links to sources and their headings, and local images: one look-up says which of these rules it may be."""
    by_path, others = context.site.by_path, context.tree.others
    hidden, moved = context.overview.hidden, context.overview.moved
    anchors: dict[str, frozenset[str]] = {}
    for source in context.tree.sources.values():
        dead = 0
        # Ten thousand articles have seventy thousand links, nearly all of them good: what is good costs one look-up.
        for link in source.links:
            target = link.target
            if link.is_image:
                if target not in others:
                    dead += 1
                    yield from _no_image(source, link, moved) if dead <= MOST else _one_more(source, link, NO_IMAGE)
            elif (identity := by_path.get(target)) is None:
                dead += 1
                rule = NO_ARTICLE if target in others else NO_FILE
                yield from _no_file(source, link, moved, rule) if dead <= MOST else _one_more(source, link, rule)
            else:
                if link.anchor and not _has_anchor(context, anchors, identity.path, link.anchor):
                    yield _no_heading(context, source, link, compared=(dead := dead + 1) <= MOST)
                if target in hidden:
                    yield from _unseen(source, link, context.tree.sources[target])


def _is_filled_in(source: Source, link: Link) -> bool:
    """Whether the address is a template of another tool, which is reported as that: `[a]({{url}}/b.html)`."""
    return "{{" in link.target and any(
        problem.code == TEMPLATE.code and problem.line == link.line for problem in source.problems
    )


def _no_image(source: Source, link: Link, moved: Moved) -> Iterator[Finding]:
    named = moved.hint(source.path, link, moved.others)
    if named or not _is_filled_in(source, link):
        hint = named or "Add the file, or correct the path."
        what = "video" if is_video(link.target) else "image"
        found = at_link(NO_IMAGE, source, link, f"The {what} {link.target} does not exist.", hint)
        yield replace(found, fixable=bool(moved.sure(link.target, moved.others)))


def _no_file(source: Source, link: Link, moved: Moved, rule: Rule) -> Iterator[Finding]:
    if not _is_filled_in(source, link) or moved.hint(source.path, link, moved.pages):
        found = _no_article(source, link) if rule is NO_ARTICLE else _nothing(source, link, moved)
        is_sure = rule is NO_FILE and (moved.sure(link.target, moved.pages) or meant_elsewhere(source.path, link))
        yield replace(found, fixable=bool(is_sure))


def _one_more(source: Source, link: Link, rule: Rule) -> Iterator[Finding]:
    """A dead link of a source with more of them than are shown: it is counted, and nobody reads a hint."""
    if not _is_filled_in(source, link):
        yield at_link(rule, source, link, f"{link.target} does not exist.", "Correct the path.")


def _no_heading(context: Context, source: Source, link: Link, *, compared: bool) -> Finding:
    known = context.tree.sources[link.target].anchors if compared else ()
    near = near_anchor(unquote(link.anchor).lower(), known)
    first = f"Did you mean `#{near}`?" if near else "Correct the anchor."
    message = f"{link.target} does not have a heading `#{link.anchor}`."
    return at_link(NO_HEADING, source, link, message, f"{first} {LANDS_ABOVE}")


def meant_elsewhere(path: str, link: Link) -> str:
    """The address of a site or mailbox that somebody wrote without `https://` or `mailto:`; "" where the link is none.

    Args:
        path: the file with the link.
        link: a dead link.
    """
    written = posixpath.relpath(link.target, posixpath.dirname(path) or ".")
    if "@" in written and _MAIL.fullmatch(written):
        return f"mailto:{written}"
    return f"https://{written}" if _HOST.match(written) else ""


def _no_article(source: Source, link: Link) -> Finding:
    message = f"{link.target} is not an article, so the portal has no page for it."
    hint = "Put it on a web server, and link to its address there."
    return at_link(NO_ARTICLE, source, link, message, README_HINT if link.target.endswith(".md") else hint)


def _nothing(source: Source, link: Link, moved: Moved) -> Finding:
    target = link.target
    if meant := meant_elsewhere(source.path, link):
        message = f"{target} does not exist: without {meant.partition(':')[0]}: in front, this is the path of a file."
        # The path of a link has no percent signs any more: then only its beginning is sure.
        start = "mailto:" if meant.startswith("mailto:") else "https://"
        hint = f"Write `{meant}`." if _PLAIN.fullmatch(meant) else f"Write `{start}` in front of it."
        return at_link(NO_FILE, source, link, message, hint)
    if target.startswith(".."):
        message = f"{target} is outside of the content folder."
        return at_link(NO_FILE, source, link, message, "Link to its public address.")
    if target.endswith(".md"):
        hint = moved.hint(source.path, link, moved.pages) or "Correct the path. Readers would get a dead link."
        return at_link(NO_FILE, source, link, f"{target} does not exist.", hint)
    if _OTHER_FILE.search(target):
        hint = "Correct the path, or put the file on a web server and link to its address there."
        hint = moved.hint(source.path, link, moved.pages) if moved.sure(target, moved.pages) else hint
        return at_link(NO_FILE, source, link, f"{target} does not exist.", hint)
    message = f"There is no page for {target}: not an article, and not a folder with a `_category.md`."
    hint = moved.hint(source.path, link, moved.pages) or (
        "Write the name of the article's file with its `.md`. An address elsewhere begins with `https://`."
    )
    return at_link(NO_FILE, source, link, message, hint)


def _unseen(source: Source, link: Link, target: Source) -> Iterator[Finding]:
    """What is wrong with a link to an article that kbsync does not publish for readers."""
    if target.manage == "false":
        message = f"{target.path} is not published by kbsync (`manage: false`), so it may not be on the portal."
        yield at_link(TO_UNPUBLISHED, source, link, message, "Check that the portal has an article with that slug.")
    elif target.status == "archived" and source.status != "archived":
        message = f"{target.path} is archived, so readers find it only through this link."
        yield at_link(TO_ARCHIVED, source, link, message, "Link to what replaces it, or remove the link.")
    elif target.status in {"draft", None} and source.status == "published":
        message = f"{target.path} is a draft, and this article is published."
        if target.status is None:
            message = f"{target.path} has no status, so it stays a draft, and this article is published."
        yield at_link(TO_DRAFT, source, link, message, "Publish both: `status: published`.")


@finds(UNUSED_IMAGE, needs=Needs.EVERYTHING)
def check_unused(context: Context) -> Iterator[Finding]:
    """Images of the tree that nothing points to."""
    unused = {path for path in context.tree.others if path.lower().endswith(PICTURES) and not is_hidden(path)}
    if not unused:
        return
    for source in context.tree.sources.values():
        unused.difference_update(link.target for link in source.links)
    for path in sorted(unused):
        what, way = ("video", "[words]") if is_video(path) else ("image", "![what it shows]")
        message = f"No article shows or links to this {what} in Markdown."
        # A template, a tag or a style sheet may have it: what is deleted on the word of a hint is lost there.
        hint = f"Write `{way}(path)` where it belongs. Delete the file only if nothing else uses it."
        yield UNUSED_IMAGE.finding(path, 1, 1, message, hint)


def _has_anchor(context: Context, anchors: dict[str, frozenset[str]], path: str, anchor: str) -> bool:
    """Whether a source has an anchor; `anchors` are those of the sources that were asked for."""
    target = context.tree.sources[path]
    # A category has no body, and the headings of what could not be read are unknown.
    if target.body_blank:
        return True
    if path not in anchors:
        anchors[path] = frozenset(target.anchors)
    return (unquote(anchor) if "%" in anchor else anchor) in anchors[path]
