"""What the service does not accept, or accepts and makes trouble with: texts, slugs, images."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kbsync.content.images import MAX_BYTES, MP4, SVG, UNREAD, Image
from kbsync.lint.context import Context, at_key, at_link
from kbsync.lint.finds import Needs, finds
from kbsync.markdown.anchors import made_slug
from kbsync.model import Finding, Rule
from kbsync.patterns import Pattern

PLAIN_SLUG = Pattern(r"(?![0-9]{10}-)[a-z0-9]++(?:[-_][a-z0-9]++)*+")
MACHINE_MADE = Pattern(r"[0-9]{10}-")
"""How the panel begins the slug of an article whose writer gave none: the seconds since 1970."""

SHORT_CHARS = 40
"""A slug up to this length is one that a writer would choose."""

ODD_SLUG = Rule("KB205", "Slug that makes a bad address")
WRONG_LENGTH = Rule("KB206", "Title or slug that is empty or too long", "error")
LONG_BODY = Rule("KB207", "Body that is too long", "error")
RESERVED_SLUG = Rule("KB209", "Slug that the service keeps for itself", "error")
OLDER = (
    " Before version 4.16 the service takes it: if yours is older, set its version under [service] in kbsync.toml, "
    'such as `version = "4.10"`.'
)
LONG_DESCRIPTION = Rule("KB208", "Description that is too long", "error")
A_SENTENCE = "Write one sentence."


@finds(WRONG_LENGTH, LONG_DESCRIPTION, LONG_BODY, needs=Needs.SOURCE)
def check_lengths(context: Context) -> Iterator[Finding]:
    """Titles, names, descriptions and bodies are within the profile's limits, counted in characters."""
    limits = context.limits
    for source in context.tree.sources.values():
        for rule, key, chars, longest, hint in (
            (WRONG_LENGTH, "title", len(source.title or ""), limits.title_chars, "Write a shorter title."),
            (WRONG_LENGTH, "name", len(source.name or ""), limits.title_chars, "Write a shorter name."),
            (LONG_DESCRIPTION, "description", len(source.description or ""), limits.description_chars, A_SENTENCE),
            (LONG_BODY, "", source.body_chars, limits.content_chars, ""),
        ):
            if longest and chars > longest:
                message = f"The {key or 'body'} has {chars:,} characters. The service accepts {longest:,}."
                yield at_key(rule, source, key, message, hint or _split(chars, longest))


def _split(chars: int, longest: int) -> str:
    number = -(-chars // longest)
    return f"Split it into {number if number > 2 else 'two'} articles."


@finds(WRONG_LENGTH, ODD_SLUG, needs=Needs.SOURCE)
def check_slugs(context: Context) -> Iterator[Finding]:
    """Slugs go into addresses. The service stores any; readers and links fare better with plain ones."""
    longest = context.limits.slug_chars
    for identity in (*context.site.categories.values(), *context.site.articles.values()):
        source = context.tree.sources[identity.path]
        if not identity.slug.strip():
            yield at_key(WRONG_LENGTH, source, "slug", "The slug is empty.", "Write one, or delete the line.")
        elif longest and len(identity.slug) > longest:
            message = f"The slug has {len(identity.slug)} characters. The service accepts {longest}."
            yield at_key(WRONG_LENGTH, source, "slug", message, "Write a shorter `slug:`.")
        elif not PLAIN_SLUG.fullmatch(identity.slug):
            message, hint = _odd(identity.slug, is_article=source.kind == "article")
            yield at_key(ODD_SLUG, source, "slug", message, hint)


@finds(ODD_SLUG, needs=Needs.SOURCE)
def check_aliases(context: Context) -> Iterator[Finding]:
    """Former slugs are slugs; Hugo has whole paths there."""
    for source in context.tree.sources.values():
        path = next((alias for alias in source.aliases if "/" in alias), None)
        if path is not None:
            slug = path.strip("/").rpartition("/")[2]
            message = f"`{path}` is a path, as Hugo has them: `aliases` of kbsync are former slugs of the article."
            hint = f"Write only the slug, `{slug}`, or delete it." if slug else "Delete it."
            yield at_key(ODD_SLUG, source, "aliases", message, hint)


@finds(RESERVED_SLUG, needs=Needs.SOURCE)
def check_reserved(context: Context) -> Iterator[Finding]:
    """No article has a slug under which the portal shows something else. Source: docs/service.md, S118 and S119."""
    reserved = context.limits.reserved_slugs
    older = "" if context.empty_drafts is not None else OLDER
    for identity in context.site.articles.values() if reserved else ():
        if identity.slug in reserved:
            source = context.tree.sources[identity.path]
            message = f"The service keeps the slug `{identity.slug}` for itself and refuses the article."
            hint = f"Write another one, for example `slug: {_instead(identity.slug, source.title or '', reserved)}`."
            yield at_key(RESERVED_SLUG, source, "slug", message, f"{hint}{older}")


def _instead(slug: str, title: str, reserved: Collection[str]) -> str:
    """A slug of the title's words, where that is another one and short."""
    made = made_slug(title)
    is_good = PLAIN_SLUG.fullmatch(made) and made not in reserved and len(made) <= SHORT_CHARS
    return made if is_good else f"about-{slug}"


def _odd(slug: str, *, is_article: bool) -> tuple[str, str]:
    """What makes a slug a bad address, worst first, and what to do. Source: docs/service.md, S21 and section 9."""
    if "." in slug and is_article:
        message = f"The page of `{slug}` will be a 404: the portal reads what follows the dot as a format."
        return message, "Use a hyphen instead."
    if "/" in slug:
        return f"The slug `{slug}` has a slash, which most programs read as a folder.", "Use a hyphen instead."
    if any(character.isspace() for character in slug):
        return f"The slug `{slug}` has spaces, which addresses show as `%20`.", "Use hyphens instead."
    if slug != slug.lower():
        lower = slug.lower()
        message = f"The slug `{slug}` has capital letters. Readers who type `{lower}` will get a 404."
        return message, f"Write `{lower}`."
    if MACHINE_MADE.match(slug):
        hint = "Give it a plain one with `kbsync mv --slug`, before readers know this one. Else ignore KB205 here."
        return f"The slug `{slug}` was made by the panel and says little.", hint
    message = f"The slug `{slug}` has characters other than a-z, 0-9 and single hyphens between them."
    return message, "Use a plain slug: it makes a plain address."


KINDS = "PNG, JPEG, GIF, WebP, AVIF"

WRONG_TYPE = Rule("KB320", "Not an image, or an image type that is not allowed", "error")
LARGE_FILE = Rule("KB321", "Image file is too large", "error")
MANY_PIXELS = Rule("KB322", "Image has too many pixels", "error")
NO_UPLOAD = Rule("KB323", "Images cannot be uploaded", "error")


@finds(WRONG_TYPE, LARGE_FILE, MANY_PIXELS, NO_UPLOAD, needs=Needs.LINKS)
def check_images(context: Context) -> Iterator[Finding]:
    """Each local image is one, is within the limits of kbsync.toml, and has a way to the portal: the worst of these."""
    images = context.images
    if not images.by_path:
        return
    can_be_shown = images.can_upload or bool(images.base_url)
    for source in context.tree.sources.values():
        for link in source.links:
            if (image := images.by_path.get(link.target)) is not None and link.is_image:
                for rule, message, hint in _wrongs(context, image, can_be_shown=can_be_shown):
                    yield at_link(rule, source, link, message, hint)
                if image.kind == MP4 and link.kind == "image":
                    message = f"{image.path} is a video, and `![...]` shows images only."
                    hint = "Write a link, `[words](path)`, in a paragraph of its own: it becomes a player."
                    yield at_link(WRONG_TYPE, source, link, message, hint)


def _wrongs(context: Context, image: Image, *, can_be_shown: bool) -> Iterator[tuple[Rule, str, str]]:
    limits = context.assets
    if not can_be_shown:
        message = f"The service accepts no images with this profile, so {image.path} cannot be shown."
        yield NO_UPLOAD, message, "Publish your images elsewhere, and set `[assets] base_url` in kbsync.toml."
    elif image.kind == UNREAD and not image.size:
        yield WRONG_TYPE, f"{image.path} cannot be read.", "Check its permissions."
    elif image.size > (most_bytes := min(limits.max_bytes, MAX_BYTES)):
        allowed = "kbsync reads" if most_bytes == MAX_BYTES else "[assets] max_kb allows"
        message = f"{image.path} has {image.size / 1000:,.0f} kB; {allowed} {most_bytes // 1000:,} kB."
        yield LARGE_FILE, message, "Save a smaller file."
    elif image.kind in {"", UNREAD}:
        message = f"{image.path} is not an image or a video that browsers show."
        yield WRONG_TYPE, message, f"Use one of: {KINDS}; MP4 for a video."
    elif image.kind == SVG and not limits.allow_svg:
        hint = f"Save it as one of {KINDS}. If you trust its author, set `allow_svg = true` in [assets]."
        yield WRONG_TYPE, f"{image.path} is an SVG, which can contain scripts.", hint
    elif max(image.width, image.height) > limits.max_pixels:
        size = f"{image.width:,} x {image.height:,} pixels"
        message = f"{image.path} has {size}; [assets] max_pixels allows {limits.max_pixels:,}."
        yield MANY_PIXELS, message, "Scale it down."
