"""Whether the images that sources show can be published as they are."""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.content.images import MAX_BYTES, SVG, UNREAD, Image
from kbsync.lint.context import Context, at_link
from kbsync.lint.finds import Needs, finds
from kbsync.model import Finding, Rule

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
        yield WRONG_TYPE, f"{image.path} is not an image that browsers show.", f"Use one of: {KINDS}."
    elif image.kind == SVG and not limits.allow_svg:
        hint = f"Save it as one of {KINDS}. If you trust its author, set `allow_svg = true` in [assets]."
        yield WRONG_TYPE, f"{image.path} is an SVG, which can contain scripts.", hint
    elif max(image.width, image.height) > limits.max_pixels:
        size = f"{image.width:,} x {image.height:,} pixels"
        message = f"{image.path} has {size}; [assets] max_pixels allows {limits.max_pixels:,}."
        yield MANY_PIXELS, message, "Scale it down."
