"""Whether articles, categories and locales fit together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from msgspec.structs import replace

from kbsync.content.identity import Identity, Site, locale_of, title_of
from kbsync.content.rules import HIDES_KEYS, UNKNOWN_KEY
from kbsync.content.source import Source
from kbsync.content.unknown_keys import SHORT_CHARS, slips
from kbsync.lint.context import Context, at_key
from kbsync.lint.finds import Needs, finds
from kbsync.markdown.anchors import made_slug
from kbsync.model import Finding, Rule
from kbsync.patterns import Pattern
from kbsync.words import did_you_mean, suggestion

NO_TITLE = Rule("KB110", "Article without a title, or category without a name", "error", fixable=True)
TAKEN_SLUG = Rule("KB201", "Slug that is used twice", "error")
NO_CATEGORY = Rule("KB202", "Category that is not declared", "error", fixable=True)
NO_LOCALE = Rule("KB203", "Locale that is missing, or not in kbsync.toml", "error")
CONTRADICTION = Rule("KB204", "Front matter and path disagree", unnoticed=True)
UNKNOWN_AUTHOR = Rule("KB210", "Author who is not in kbsync.toml", "error")
NO_BODY = Rule("KB211", "Article without a body", "error")
NO_ORIGINAL = Rule("KB213", "Translation of an article that does not exist", unnoticed=True)
NEVER_PUBLISHED = Rule("KB119", "Date or release of an article that is not to be published", unnoticed=True)
UNTRANSLATED = Rule("KB214", "Article that is not translated", unnoticed=True)

_BARE_KEY = Pattern(r"[A-Za-z0-9_-]+")


@finds(NO_TITLE, needs=Needs.SHAPES)
def check_titles(context: Context) -> Iterator[Finding]:
    """Each category has a name, and each article a title."""
    for path in context.site.categories:
        source = context.tree.sources[path]
        is_told = "title" in source.keys.split("\n") and "name" not in source.keys.split("\n")
        if not (source.name or "").strip() and not is_told and not _is_blamed(source, "name"):
            yield at_key(NO_TITLE, source, "name", "The category has no name.", "Add `name: ...`.")
    for source, _ in _readable(context):
        if lacks_title(source):
            hint = "Add `title: ...` to the front matter, or a heading `# ...`."
            found = at_key(NO_TITLE, source, "title", "The article has no title.", hint)
            yield replace(found, fixable=bool(title_of(source.path)))


def lacks_title(source: Source) -> bool:
    """Whether an article has no title, and nothing else is wrong with that."""
    return not (source.title or "").strip() and not _is_blamed(source, "title")


@finds(NO_BODY, needs=Needs.SHAPES)
def check_bodies(context: Context) -> Iterator[Finding]:
    """Each article has a body; of drafts and archived ones only older services demand it (docs/service.md, S117)."""
    for source, _ in _readable(context):
        if source.body_blank and (source.status == "published" or not context.empty_drafts):
            yield _without_body(source, context.empty_drafts)


def _without_body(source: Source, empty_drafts: bool | None) -> Finding:
    start = "Write something below the front matter: the service does not accept"
    if source.status == "published" or empty_drafts is False:
        return at_key(NO_BODY, source, "", "The article has no body.", f"{start} empty articles.")
    hint = f"{start} empty drafts before version 4.16. If yours is newer, set `version` under [service] in kbsync.toml."
    return replace(at_key(NO_BODY, source, "", "The article has no body.", hint), level="warning")


@finds(UNKNOWN_AUTHOR, needs=Needs.SHAPES)
def check_authors(context: Context) -> Iterator[Finding]:
    """Each author is in kbsync.toml."""
    for source, _ in _readable(context):
        if source.author is not None and source.author not in context.authors:
            known = ", ".join(context.authors) or "none"
            message = f"The author `{source.author}` is not in [authors] of kbsync.toml (known: {known})."
            hint = f"Add `{_toml_key(source.author)} = 12` there, with the ID of that user in place of 12."
            yield at_key(UNKNOWN_AUTHOR, source, "author", message, hint)


def _toml_key(name: str) -> str:
    """A name as a key of TOML: in quotes, where it is more than letters, digits and hyphens."""
    if _BARE_KEY.fullmatch(name):
        return name
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


@finds(NEVER_PUBLISHED, needs=Needs.SOURCE)
def check_moments(context: Context) -> Iterator[Finding]:
    """What says when an article is published says also that it is to be published."""
    for source in context.tree.sources.values():
        if (source.publish_on or source.release) and source.status != "published" and not _is_blamed(source, "status"):
            key = "publish_on" if source.publish_on else "release"
            message = f"`{key}` has no effect, because the status is `{source.status or 'draft'}`."
            hint = f"Write `status: published`, or delete `{key}`."
            yield at_key(NEVER_PUBLISHED, source, key, message, hint)


def _readable(context: Context) -> Iterator[tuple[Source, Identity]]:
    """The articles whose front matter could be read."""
    for path, identity in context.site.articles.items():
        source = context.tree.sources[path]
        if not _is_unread(source):
            yield source, identity


def _is_unread(source: Source) -> bool:
    """Whether the front matter is not known: what seems to be missing may well be there."""
    return bool(source.problems) and any(problem.code in HIDES_KEYS for problem in source.problems)


def _is_blamed(source: Source, key: str) -> bool:
    """Whether reading complained of this key already: that it is missing then is not worth a second finding."""
    place, meant = source.place(key), suggestion(key)
    written = key in source.keys.split("\n")
    return _is_unread(source) or any(
        (problem.code == UNKNOWN_KEY.code and problem.hint == meant)
        or (written and problem.level == "error" and (problem.line, problem.column) == (place.line, place.column))
        for problem in source.problems
    )


@finds(NO_LOCALE, CONTRADICTION, needs=Needs.SHAPES)
def check_locales(context: Context) -> Iterator[Finding]:
    """Each category and article has a locale of kbsync.toml, and its path does not say another."""
    for path, identity in context.site.categories.items():
        yield from _check_locale(context, context.tree.sources[path], identity)
    for source, identity in _readable(context):
        yield from _check_locale(context, source, identity)


def _check_locale(context: Context, source: Source, identity: Identity) -> Iterator[Finding]:
    locales = context.site.locales
    allowed = ", ".join(locales)
    of_path = locale_of(identity.path, locales)
    if not identity.locale:
        message = f"This file is not in a locale folder{f' ({allowed})' if allowed else ''}."
        yield at_key(NO_LOCALE, source, "locale", message, _locale_hint(context, identity, allowed))
    elif locales and identity.locale not in locales:
        message = f"The locale `{identity.locale}` is not one of {allowed}."
        hint = "Add it to `[content] locales` in kbsync.toml, or correct it."
        yield at_key(NO_LOCALE, source, "locale", message, hint)
    elif of_path and source.locale and source.locale != of_path:
        message = f"The front matter has locale `{source.locale}`, the path `{of_path}`. The front matter wins."
        yield at_key(CONTRADICTION, source, "locale", message, "Delete the key, or move the file.")


def _locale_hint(context: Context, identity: Identity, allowed: str) -> str:
    first = identity.path.partition("/")[0] if "/" in identity.path else ""
    same = next((locale for locale in context.site.locales if locale.casefold() == first.casefold()), "")
    if same:
        return f"Rename the folder to `{same}`: letters are compared in their case."
    if near := did_you_mean(first, context.site.locales):
        return near
    if allowed:
        other = " To add a locale, write it into `[content] locales` in kbsync.toml." if first else ""
        return f"Move it into one of these folders: {allowed}. Or add `locale:`.{other}"
    return f"Move it into a folder named after its locale, such as {context.site.default_locale}/. Or add `locale:`."


@finds(NO_CATEGORY, needs=Needs.SHAPES)
def check_categories(context: Context) -> Iterator[Finding]:
    """Each article's category is declared in its locale."""
    site = context.site
    for source, identity in _readable(context):
        # Without a locale (KB203) there is no folder to declare it in.
        if not (identity.category and identity.locale) or (identity.locale, identity.category) in site.declared:
            continue
        declared = [slug for locale, slug in site.declared if locale == identity.locale]
        message = f"The category `{identity.category}` is not declared in {identity.locale}."
        hint = f"Add {identity.locale}/{identity.category}/_category.md."
        if near := did_you_mean(identity.category, declared):
            hint += f" {near}"
        elif declared:
            hint += f" Or use one of: {', '.join(declared[:8])}{' ...' if len(declared) > 8 else ''}."
        found = at_key(NO_CATEGORY, source, "category", message, hint)
        yield replace(found, fixable=bool(sure_category(site, source)))


def sure_category(site: Site, source: Source) -> str:
    """The declared category of its locale that the front matter of an article means, where that is only one."""
    identity = site.articles.get(source.path)
    if identity is None or not source.category or (identity.locale, source.category) in site.declared:
        return ""
    declared = [slug for locale, slug in site.declared if locale == identity.locale]
    made = made_slug(source.category)
    if made in declared:
        return made
    near = [slug for slug in declared if len(slug) > SHORT_CHARS and slips(made, slug) == 1]
    return near[0] if len(near) == 1 else ""


@finds(TAKEN_SLUG, needs=Needs.SHAPES)
def check_category_slugs(context: Context) -> Iterator[Finding]:
    """Category slugs are unique within their locale."""
    first: dict[tuple[str, str], str] = {}
    for path, identity in context.site.categories.items():
        other = first.setdefault((identity.locale, identity.slug), path)
        if other != path:
            message = f"The category `{identity.slug}` ({identity.locale}) is already declared in {other}."
            source = context.tree.sources[path]
            yield at_key(TAKEN_SLUG, source, "slug", message, "Give one of them another slug.")


@finds(TAKEN_SLUG, needs=Needs.SHAPES)
def check_article_slugs(context: Context) -> Iterator[Finding]:
    """Article slugs are unique over the whole service, locales included. Source: docs/service.md, S1."""
    first: dict[str, str] = {}
    proposals: _Proposals | None = None
    numbers = Counter(identity.slug for identity in context.site.articles.values())
    for path, identity in context.site.articles.items():
        if numbers[identity.slug] == 1:
            continue
        source = context.tree.sources[path]
        if source.slug is None and _is_unread(source):
            continue
        other = first.setdefault(identity.slug, path)
        if other != path:
            proposals = proposals or _Proposals(identity.slug for identity in context.site.articles.values())
            message = f"The slug `{identity.slug}` is already used by {other}."
            hint = f"Give one of them another slug, for example `slug: {proposals.next(identity)}`."
            yield at_key(TAKEN_SLUG, source, "slug", message, hint)


class _Proposals:
    """Slugs that are free: not that of an article, and not proposed to another."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, Iterator[int]] = {}

    def next(self, identity: Identity) -> str:
        """A slug like that of an article, with its locale behind it or, where that is taken, with a number."""
        slug = identity.slug
        proposal = f"{slug}-{identity.locale.lower().replace('_', '-')}" if identity.locale else slug
        numbers = self._numbers.setdefault(slug, count(2))
        while proposal in self._taken:
            proposal = f"{slug}-{next(numbers)}"
        self._taken.add(proposal)
        return proposal


@finds(UNTRANSLATED, needs=Needs.EVERYTHING)
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
            message = f"There is no translation into {', '.join(sorted(missing))}."
            hint = f"Add {sorted(missing)[0]}/{path.partition('/')[2]}, or ignore KB214."
            yield at_key(UNTRANSLATED, source, "", message, hint)


def _is_for_readers(source: Source) -> bool:
    """Whether readers of another locale miss it; if its status could not be read, they may not."""
    is_withheld = source.status in {"draft", "archived"} or source.manage == "false" or source.body_blank
    return not is_withheld and not (source.status is None and _is_blamed(source, "status"))


def _original(context: Context, path: str) -> str:
    """The article that one translates, at the end of every chain."""
    named, seen = context.overview.named, {path}
    while (original := context.site.translated(path, named.get(path))) and original not in seen:
        seen.add(original)
        path = original
    return path


@finds(NO_ORIGINAL, needs=Needs.SHAPES)
def check_translations(context: Context) -> Iterator[Finding]:
    """`translation_of` names a source of another locale."""
    for path, identity in (*context.site.categories.items(), *context.site.articles.items()):
        source = context.tree.sources[path]
        if not source.translation_of:
            continue  # Left out, or empty: an original, whatever other files are called.
        is_category = path in context.site.categories
        other = (context.site.categories if is_category else context.site.articles).get(source.translation_of)
        what, example = ("a category", "_category.md") if is_category else ("an article", "refunds.md")
        if other is None:
            message = f"`translation_of` names {source.translation_of}, which is not {what} in this repository."
            hint = f"Write the path from the content root, for example en/billing/{example}."
            yield at_key(NO_ORIGINAL, source, "translation_of", message, hint)
        elif other.locale == identity.locale:
            message = f"{source.translation_of} has the same locale ({identity.locale})."
            yield at_key(NO_ORIGINAL, source, "translation_of", message, f"Name the original {source.kind}.")
