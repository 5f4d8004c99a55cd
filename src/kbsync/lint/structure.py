"""KB110, KB20x, KB21x: whether articles, categories and locales fit together."""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.content.identity import Identity, locale_of
from kbsync.content.source import Source
from kbsync.lint.context import Context
from kbsync.model import Finding
from kbsync.words import did_you_mean

UNREAD = frozenset({"KB101", "KB102", "KB103", "KB104", "KB105", "KB111", "KB112"})
"""What leaves keys of a file unknown."""


def check_categories(context: Context) -> Iterator[Finding]:
    """Each `_category.md` has a name, a locale and a slug of its own in it."""
    first: dict[tuple[str, str], str] = {}
    for path, identity in context.site.categories.items():
        source = context.tree.sources[path]
        if not (source.name or "").strip() and not _is_blamed(source, "name"):
            yield context.finding("KB110", "error", source, "name", "the category has no name", "add `name: ...`")
        yield from _check_locale(context, identity)
        key = (identity.locale, identity.slug)
        if key in first:
            message = f"the category `{identity.slug}` ({identity.locale}) is declared already in {first[key]}"
            yield context.finding("KB201", "error", source, "slug", message, "give one of them another slug")
        first.setdefault(key, path)


def check_articles(context: Context) -> Iterator[Finding]:
    """Each article has a title, a body, a locale, a declared category and a known author."""
    for path, identity in context.site.articles.items():
        source = context.tree.sources[path]
        if _is_unread(source):
            continue
        if not (source.title or "").strip() and not _is_blamed(source, "title"):
            hint = "add `title: ...` to the front matter, or a heading `# ...`"
            yield context.finding("KB110", "error", source, "title", "the article has no title", hint)
        if source.body_blank:
            yield context.finding(
                "KB211",
                "error",
                source,
                "",
                "the article has no body",
                "write something below the front matter: the service takes no empty article",
            )
        yield from _check_locale(context, identity)
        yield from _check_category(context, identity)
        if source.author is not None and source.author not in context.authors:
            known = ", ".join(context.authors) or "none"
            message = f"the author `{source.author}` is not in [authors] of kbsync.toml (known: {known})"
            yield context.finding("KB210", "error", source, "author", message, f"add `{source.author} = ID` there")


def _is_unread(source: Source) -> bool:
    """Whether the front matter is not known: what seems to be missing may well be there."""
    return bool(source.problems) and any(problem.code in UNREAD for problem in source.problems)


def _is_blamed(source: Source, key: str) -> bool:
    """Whether reading complained of this key already: that it is missing then is not worth a second finding."""
    place = source.place(key)
    written = key in source.keys.split("\n")
    return _is_unread(source) or any(
        written and problem.level == "error" and (problem.line, problem.column) == (place.line, place.column)
        for problem in source.problems
    )


def _check_locale(context: Context, identity: Identity) -> Iterator[Finding]:
    source = context.tree.sources[identity.path]
    allowed = ", ".join(context.site.locales)
    said = locale_of(identity.path, context.site.locales)
    if not identity.locale:
        first = identity.path.partition("/")[0] if "/" in identity.path else ""
        place = f"one of: {allowed}" if allowed else f"a folder named after it, such as {context.site.default_locale}/"
        hint = did_you_mean(first, context.site.locales) or f"move it below {place}, or give `locale:`"
        yield context.finding("KB203", "error", source, "locale", "nothing says this file's locale", hint)
    elif context.site.locales and identity.locale not in context.site.locales:
        message = f"the locale `{identity.locale}` is not among the locales ({allowed})"
        yield context.finding("KB203", "error", source, "locale", message, "add it to [content] locales, or mend it")
    elif said and source.locale and source.locale != said:
        message = f"the front matter says locale `{source.locale}`, the path says `{said}`; the front matter wins"
        yield context.finding("KB204", "warning", source, "locale", message, "delete the key, or move the file")


def _check_category(context: Context, identity: Identity) -> Iterator[Finding]:
    site = context.site
    if not identity.category or (identity.locale, identity.category) in site.declared:
        return
    source = context.tree.sources[identity.path]
    declared = [slug for locale, slug in site.declared if locale == identity.locale]
    message = f"the category `{identity.category}` is not declared in {identity.locale}"
    hint = f"add {identity.locale}/{identity.category}/_category.md"
    if near := did_you_mean(identity.category, declared):
        hint = f"{near} Or {hint}"
    elif declared:
        hint += f", or use one of: {', '.join(declared[:8])}{' ...' if len(declared) > 8 else ''}"
    yield context.finding("KB202", "error", source, "category", message, hint)


def check_unique_slugs(context: Context) -> Iterator[Finding]:
    """Article slugs are unique over the whole service, locales included. Source: docs/service.md, S1."""
    first: dict[str, str] = {}
    for path, identity in context.site.articles.items():
        source = context.tree.sources[path]
        if source.slug is None and _is_unread(source):
            continue
        if identity.slug in first:
            message = f"the slug `{identity.slug}` is used already by {first[identity.slug]}"
            hint = f"give one of them another, for example `slug: {identity.slug}-{identity.locale or '2'}`"
            yield context.finding("KB201", "error", source, "slug", message, hint)
        first.setdefault(identity.slug, path)


def check_coverage(context: Context) -> Iterator[Finding]:
    """Each article of the default locale is there in every other locale that the tree has articles in."""
    site = context.site
    present = {identity.locale for identity in site.articles.values()} - {"", site.default_locale}
    if not present:
        return
    there: dict[str, set[str]] = {}
    for path, identity in site.articles.items():
        if identity.locale in present:
            there.setdefault(_original(context, path), set()).add(identity.locale)
    for path, identity in site.articles.items():
        if identity.locale != site.default_locale or not (missing := present - there.get(path, set())):
            continue
        source = context.tree.sources[path]
        if _is_for_readers(source):
            message = f"there is no translation into {', '.join(sorted(missing))}"
            hint = f"add {sorted(missing)[0]}/{path.partition('/')[2]}, or ignore KB214"
            yield context.finding("KB214", "warning", source, "", message, hint)


def _is_for_readers(source: Source) -> bool:
    """Whether readers of another locale miss it; nobody knows of one whose status could not be read."""
    is_withheld = source.status in {"draft", "archived"} or source.manage == "false" or source.body_blank
    return not is_withheld and not (source.status is None and _is_blamed(source, "status"))


def _original(context: Context, path: str) -> str:
    """The article that one translates, at the end of every chain; by default that of the same path."""
    articles, seen = context.site.articles, {path}
    while True:
        said = context.tree.sources[path].translation_of
        if said is None and articles[path].locale != context.site.default_locale:
            said = f"{context.site.default_locale}/{path.partition('/')[2]}"
        if said is None or said not in articles or said in seen:
            return path
        seen.add(said)
        path = said


def check_translations(context: Context) -> Iterator[Finding]:
    """`translation_of` names a source of another locale."""
    for path, identity in context.site.articles.items():
        source = context.tree.sources[path]
        if source.translation_of is None:
            continue
        other = context.site.articles.get(source.translation_of)
        if other is None:
            message = f"`translation_of` names {source.translation_of}, which is no article of the tree"
            yield context.finding(
                "KB213",
                "warning",
                source,
                "translation_of",
                message,
                "give the path from the content root, for example en/billing/refunds.md",
            )
        elif other.locale == identity.locale:
            message = f"{source.translation_of} is of the same locale ({identity.locale})"
            yield context.finding("KB213", "warning", source, "translation_of", message, "name the original")
