"""KB205 to KB208: what the service will not take, or take and make trouble with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.context import Context
from kbsync.model import Finding

PLAIN_SLUG = re.compile(r"(?![0-9]{10}-)[a-z0-9]++(?:[-_][a-z0-9]++)*+")
MACHINE_MADE = re.compile(r"[0-9]{10}-")
"""How the panel begins the slug of an article whose writer gave none: the seconds since 1970."""


def check_texts(context: Context) -> Iterator[Finding]:
    """Titles, names, descriptions and bodies are within the profile's limits, counted in characters."""
    limits = context.limits
    for source in context.tree.sources.values():
        for key in ("title", "name"):
            text = getattr(source, key)
            if limits.title_chars and text is not None and len(text) > limits.title_chars:
                message = f"the {key} has {len(text):,} characters; the service takes {limits.title_chars:,}"
                yield context.finding("KB206", "error", source, key, message, "shorten it")
        description = source.description
        if limits.description_chars and description is not None and len(description) > limits.description_chars:
            message = (
                f"the description has {len(description):,} characters; the service takes {limits.description_chars:,}"
            )
            yield context.finding("KB208", "error", source, "description", message, "one sentence is enough")
        if limits.content_chars and source.body_chars > limits.content_chars:
            message = f"the body has {source.body_chars:,} characters; the service takes {limits.content_chars:,}"
            yield context.finding("KB207", "error", source, "", message, "make two articles of it")


def check_slugs(context: Context) -> Iterator[Finding]:
    """Slugs go into addresses. The service stores any; readers and links fare better with plain ones."""
    longest = context.limits.slug_chars
    for identity in (*context.site.categories.values(), *context.site.articles.values()):
        source = context.tree.sources[identity.path]
        if not identity.slug.strip():
            yield context.finding("KB206", "error", source, "slug", "the slug is empty", "write one, or leave it out")
        elif longest and len(identity.slug) > longest:
            message = f"the slug has {len(identity.slug)} characters; the service takes {longest}"
            yield context.finding("KB206", "error", source, "slug", message, "give a shorter `slug:`")
        elif not PLAIN_SLUG.fullmatch(identity.slug):
            message, hint = _odd(identity.slug, is_article=source.kind == "article")
            yield context.finding("KB205", "warning", source, "slug", message, hint)


def _odd(slug: str, *, is_article: bool) -> tuple[str, str]:
    """What makes a slug a bad address, worst first, and what to do. Source: docs/service.md, S21 and section 9."""
    if "." in slug and is_article:
        return (
            f"the page of `{slug}` will be 404: the part after the dot is taken as a format",
            "write a hyphen instead",
        )
    if "/" in slug:
        return f"the slug `{slug}` has a slash, which most programs take for a folder", "write a hyphen instead"
    if any(character.isspace() for character in slug):
        return f"the slug `{slug}` has blanks, which an address shows as `%20`", "write hyphens instead"
    if slug != slug.lower():
        lower = slug.lower()
        return f"the slug `{slug}` has capitals: `{lower}` will be 404 for readers who type it", f"write `{lower}`"
    if MACHINE_MADE.match(slug):
        hint = "give it a plain one before readers know this; ignore KB205 here if they do already"
        return f"the slug `{slug}` was made by the panel, and says little", hint
    message = f"the slug `{slug}` has more in it than a-z, 0-9 and single hyphens between them"
    return message, "plain slugs make plain addresses"
