"""KB205 to KB208: what the service will not take, or take and make trouble with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.context import Context
from kbsync.model import Finding

PLAIN_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")


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
        elif "." in identity.slug and source.kind == "article":
            # Source: observed.md, surprise 21.
            message = f"the page of `{identity.slug}` will be 404: the part after the dot is taken as a format"
            yield context.finding("KB205", "warning", source, "slug", message, "use a hyphen instead of the dot")
        elif not PLAIN_SLUG.fullmatch(identity.slug):
            message = f"the slug `{identity.slug}` has more in it than a-z, 0-9 and hyphens"
            yield context.finding("KB205", "warning", source, "slug", message, "plain slugs make plain addresses")
