"""An answer of the service for stdout: JSON in lines, anything else as it is, the token in neither. Pure."""

from __future__ import annotations

import msgspec

from kbsync.model import visible
from kbsync.report.escape import inert, spelt_json
from kbsync.service.exchange import Answer


def answer_text(answer: Answer, *, screen: bool) -> str:
    """The body, with a line break at its end; "" where there is none.

    Args:
        answer: what came; the token in it is replaced by `[token]` (docs/service.md, section 1).
        screen: whether a terminal shows it, which obeys control characters.
    """
    text = answer.body.decode("utf-8", "replace")
    if answer.secret:
        text = text.replace(answer.secret, "[token]")
    if not text.strip():
        return ""
    try:
        return spelt_json(msgspec.json.format(text.encode(), indent=2).decode()) + "\n"
    except (msgspec.DecodeError, RecursionError):
        lines = text.removesuffix("\n").split("\n")
        return inert("\n".join(map(visible, lines) if screen else lines)) + "\n"
