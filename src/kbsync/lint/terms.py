"""Whether translations use the words of `glossary.csv`. Only `kbsync lint` looks: every text has to be read for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kbsync.content.glossary import NAME, Term
from kbsync.content.identity import Site
from kbsync.content.tree import Tree
from kbsync.lint.context import article_text
from kbsync.model import Finding, Rule

OTHER_TERM = Rule("KB607", "Glossary term that the translation lacks")


def check_terms(tree: Tree, site: Site, terms: Sequence[Term], paths: Collection[str]) -> Iterator[Finding]:
    """Each term of an original is in its translation, in one of the spellings of that language.

    Args:
        tree, site: the files.
        terms: the glossary.
        paths: the translations to look at.
    """
    for path in sorted(site.articles.keys() & paths):
        source, locale = tree.sources[path], site.articles[path].locale
        original = site.translated(path, source.translation_of)
        if not original or source.status == "archived":
            continue
        theirs, ours = article_text(tree, original), article_text(tree, path)
        if theirs is None or ours is None:
            continue
        for term in terms:
            found = term.found_in(theirs, site.articles[original].locale)
            if found and (words := term.spellings.get(locale)) and not term.is_in(ours, locale):
                line = theirs.count("\n", 0, found.start()) + 1
                message = (
                    f"`{found[0]}` of the original ({original}:{line}) is not translated as {_listed(words)} here."
                )
                yield OTHER_TERM.finding(path, 1, 1, message, f"Use the word of {NAME}, or add this spelling to it.")


def _listed(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)
