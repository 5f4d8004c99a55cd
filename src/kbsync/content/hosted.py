"""Images that somebody uploaded in the panel: where the service has them, by what is in them.

kbsync names its own uploads by their content, so that both sides know an image when they see it. An upload of the panel
has any name. `pull` writes its address into `_images.json` beside the files: as long as the image in the tree is
the same, it is that address, and nothing is uploaded a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from kbsync.errors import ContentError
from kbsync.files import read_within

HOSTED_FILE = "_images.json"

MAX_BYTES = 50_000_000
"""A hundred thousand images have some twenty."""


def read_hosted(root: Path, others: Mapping[str, object]) -> dict[str, str]:
    """The addresses of images by git's id of their bytes.

    Args:
        root: the content root.
        others: the files of the tree that are no sources.

    Raises:
        ContentError: the file is not what `pull` wrote.
    """
    if HOSTED_FILE not in others:
        return {}
    try:
        found = msgspec.json.decode(read_within(root / HOSTED_FILE, MAX_BYTES), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as exc:
        raise ContentError(
            f"{HOSTED_FILE} cannot be read: {exc}.",
            hint="It should be an object of image ids and addresses. If a merge left its markers, keep both sides.",
        ) from exc
    return {image: address for image, address in found.items() if _is_address(address)}


def hosted_text(addresses: Mapping[str, str]) -> bytes:
    """The file, a line for each image, so that git can merge it."""
    lines = [f"  {_quoted(image)}: {_quoted(address)}" for image, address in sorted(addresses.items())]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


def _is_address(text: str) -> bool:
    """Whether it can be put into a body: nothing that could end a link's destination."""
    return text.startswith(("https://", "http://", "/")) and text.isprintable() and not set(text) & set(" ()<>\"'\\")
