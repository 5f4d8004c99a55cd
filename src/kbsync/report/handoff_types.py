"""The JSON of a hand-off to translators, and what a program that translates gets, as types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

NAME = "manifest.json"
VERSION: Literal["kbsync.handoff/1"] = "kbsync.handoff/1"
INPUT: Literal["kbsync.translate/1"] = "kbsync.translate/1"

Sha = Annotated[str, Meta(description="SHA-256 of the file, in hexadecimal digits; empty if it did not exist.")]
Text = Annotated[str, Meta(description="The whole file; empty if it does not exist.")]


class HandedArticle(Struct, frozen=True):
    """One article to translate."""

    path: Annotated[str, Meta(description="Path of the translation below the content folder.")]
    original: Annotated[str, Meta(description="Path of the original below the content folder.")]
    locale: Annotated[str, Meta(description="Language of the translation.")]
    state: Annotated[Literal["stale", "missing", "unknown"], Meta(description="Why it is here.")]
    translated_from: Annotated[str, Meta(description="Beginning of the git blob id of the original, as handed off.")]
    file: Annotated[str, Meta(description="The file to translate, below the folder of the hand-off.")]
    original_file: Annotated[str, Meta(description="The original as it is now.")]
    before_file: Annotated[str, Meta(description="The original as it was translated; empty if that is not known.")]
    diff_file: Annotated[str, Meta(description="What changed in the original since; empty if that is not known.")]
    given: Sha
    present: Annotated[str, Meta(description="SHA-256 of the translation in your files at that time, or empty.")]
    views: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="How often readers opened the original; null if that is not known."),
    ] = None


class HandOff(Struct, frozen=True):
    """The manifest of a hand-off, from `kbsync translate --out`."""

    schema: Annotated[Literal["kbsync.handoff/1"], Meta(description="Name and version of this format.")]
    locales: Annotated[Sequence[str], Meta(description="The languages to translate into.")]
    articles: Annotated[
        Sequence[HandedArticle],
        Meta(description="The articles, those whose original is read most first, then in the order of the paths."),
    ]
    terms: Annotated[int, Meta(ge=0, description="Terms of the glossary that occur, in `glossary.csv`.")]


class GlossaryTerm(Struct, frozen=True):
    """A term that occurs in the original."""

    term: Annotated[str, Meta(description="The spelling in the language of the original.")]
    translations: Annotated[Sequence[str], Meta(description="The spellings in the language to translate into.")]
    note: Annotated[str, Meta(description="The other columns of the glossary.")]


class TranslateInput(Struct, frozen=True):
    """What the program of `kbsync translate --with` gets on stdin, for one article."""

    schema: Annotated[Literal["kbsync.translate/1"], Meta(description="Name and version of this format.")]
    path: Annotated[str, Meta(description="Path of the translation below the content folder.")]
    source_locale: Annotated[str, Meta(description="Language of the original.")]
    target_locale: Annotated[str, Meta(description="Language to translate into.")]
    original: Text
    original_before: Text
    diff: Annotated[str, Meta(description="What changed in the original since the last translation.")]
    translation: Annotated[str, Meta(description="The present translation, or the prepared file to write over.")]
    glossary: Annotated[Sequence[GlossaryTerm], Meta(description="The terms that occur.")]
