"""What `lint --fix` mends: only what is safe, and not a byte beside it. Pure."""

from __future__ import annotations


def fix_text(path: str, data: bytes) -> bytes:
    """The bytes of a source with everything mended that can be; the same bytes where there is nothing to mend.

    Args:
        path: relative to the content root.
        data: the file's bytes.
    """
    # No rule is fixable yet.
    return data
