"""KB32x: whether the pictures that sources show can be published as they are."""

from __future__ import annotations

from collections.abc import Iterator

from kbsync.content.pictures import MAX_BYTES, SVG, UNREAD, Picture
from kbsync.lint.context import Context
from kbsync.model import Finding

KINDS = "PNG, JPEG, GIF, WebP, AVIF"


def check_pictures(context: Context) -> Iterator[Finding]:
    """Each local picture is one, is within the limits of kbsync.toml, and has a way to the portal."""
    pictures = context.pictures
    if not pictures.by_path:
        return
    can_be_shown = pictures.can_upload or bool(pictures.base_url)
    for source in context.tree.sources.values():
        for link in source.links:
            if not link.is_picture or (picture := pictures.by_path.get(link.target)) is None:
                continue
            for code, message, hint in _wrongs(context, picture, can_be_shown=can_be_shown):
                yield Finding(code, "error", source.path, link.line, link.column, message, hint)


def _wrongs(context: Context, picture: Picture, *, can_be_shown: bool) -> Iterator[tuple[str, str, str]]:
    limits = context.assets
    if not can_be_shown:
        message = f"the service takes no pictures with this profile, so {picture.path} cannot be shown"
        yield "KB323", message, "publish them elsewhere, and say where: [assets] base_url in kbsync.toml"
    elif picture.kind == UNREAD and not picture.size:
        yield "KB320", f"{picture.path} cannot be read", "check its permissions"
    elif picture.size > (most_bytes := min(limits.max_bytes, MAX_BYTES)):
        allowed = "kbsync reads" if most_bytes == MAX_BYTES else "[assets] max_kb allows"
        message = f"{picture.path} has {picture.size / 1000:,.0f} kB; {allowed} {most_bytes // 1000:,}"
        yield "KB321", message, "save it smaller"
    elif picture.kind in {"", UNREAD}:
        yield "KB320", f"{picture.path} is no picture that browsers show", f"use one of: {KINDS}"
    elif picture.kind == SVG and not limits.allow_svg:
        hint = f"save it as one of {KINDS}, or set `allow_svg = true` in [assets] if you trust its author"
        yield "KB320", f"{picture.path} is an SVG, which may hold scripts", hint
    elif max(picture.width, picture.height) > limits.max_pixels:
        size = f"{picture.width:,} x {picture.height:,} pixels"
        yield "KB322", f"{picture.path} has {size}; [assets] max_pixels allows {limits.max_pixels:,}", "scale it down"
