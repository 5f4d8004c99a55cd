"""One rule of lint: its code, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One code and what it is about.

    Args:
        code: stable, `KB` and three digits.
        title: what was found, in a few words.
        explanation: what readers or the service would make of it, and what to do; a few sentences.
        example: a source (front matter and body) that has it; "" for what cannot be shown in one file.
        fixable: whether `lint --fix` mends it where that is surely right.
    """

    code: str
    title: str
    explanation: str
    example: str = ""
    fixable: bool = False


def article(body: str, front: str = "") -> str:
    """An example: an article with this body and these keys beside its title."""
    return f"---\ntitle: Refunds\n{front}---\n{body}"
