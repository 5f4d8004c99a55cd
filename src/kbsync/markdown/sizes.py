"""Widths that the panel writes into a text since 4.16: of a table's columns and of an image.

Source: docs/service.md, S151 to S153.
"""

import re
from collections.abc import Sequence
from urllib.parse import unquote_plus

WRAPPER = "tableWrapper"
"""The class of the element around every table."""

MIN_COLUMN_PX = 50
"""What a column without a width counts in a table where others have one."""

IMAGE_PX = range(1, 2001)
"""The widths that an image may have."""

MAX_DIGITS = 1_000
"""Python reads no number beyond 4,300 digits. A longer width is cut: no screen shows it either way."""

_COLUMNS = re.compile(r"<!--cw-colwidths:([0-9,]+)-->")
_WIDTH = re.compile(r"([0-9]+)px")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


def column_widths(raw_html: str) -> tuple[int, ...] | None:
    """The widths in `<!--cw-colwidths:120,80-->` within a block of raw HTML, in pixels; None where it has no such."""
    found = _COLUMNS.search(raw_html)
    if found is None:
        return None
    return tuple(int(width[:MAX_DIGITS] or 0) for width in found[1].rstrip(",").split(","))


def open_table(widths: Sequence[int]) -> str:
    """The beginning of a table with its wrapper.

    Args:
        widths: of its columns in pixels; zeros are open, and if there is nothing else the table is as wide as it likes.
    """
    if not any(widths):
        return f'<div class="{WRAPPER}"><table>\n'
    total = sum(width or MIN_COLUMN_PX for width in widths)
    columns = "".join(f'<col style="width: {width}px;">' if width else "<col>" for width in widths)
    around, style = "", f"min-width: max(100%, {total}px) !important;"
    if all(widths):
        around = f' style="width: {total}px; max-width: 100%;"'
        style = f"width: {total}px !important; min-width: {total}px !important;"
    return (
        f'<div class="{WRAPPER}"{around}><table style="table-layout: fixed; {style}">\n<colgroup>{columns}</colgroup>\n'
    )


def image_style(src: str) -> str:
    """The attribute `style` of an image that says in its address how wide it is, with a space before it; else "".

    Args:
        src: the address as it is in the HTML: the portal reads it there, where an `&` is `&amp;`.
    """
    query = src.partition("#")[0].partition("?")[2]
    if "cw_image_width" not in query or _BROKEN_ESCAPE.search(src):
        return ""
    pairs = (pair.partition("=") for pair in re.split("[&;]", query))
    width = next((value for name, _, value in pairs if unquote_plus(name) == "cw_image_width"), "")
    found = _WIDTH.fullmatch(unquote_plus(width))
    if found is None or int(found[1][:MAX_DIGITS]) not in IMAGE_PX:
        return ""
    return f' style="width: {int(found[1])}px; max-width: 100%; height: auto;"'
