"""What a library imports that is not needed here, left out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without(name: str) -> Iterator[None]:
    """Within the block, a module cannot be imported, as if it were not installed. One that is loaded already stays.

    None in `sys.modules` is how Python says that. Another thread that imports the library meanwhile does without, too.
    """
    is_ours = name not in sys.modules
    if is_ours:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if is_ours and sys.modules.get(name) is None:
            sys.modules.pop(name, None)
