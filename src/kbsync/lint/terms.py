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
    for path in sorted(paths):
        identity = site.articles.get(path)
        original = site.translated(path, tree.sources[path].translation_of) if identity else ""
        if not original or identity is None:
            continue
        theirs, ours = article_text(tree, original), article_text(tree, path)
        if theirs is None or ours is None or tree.sources[path].status == "archived":
            continue
        locale = site.articles[original].locale
        for term in terms:
            found = term.found_in(theirs, locale)
            if found and (words := term.spellings.get(identity.locale)) and not term.is_in(ours, identity.locale):
                line = theirs.count("\n", 0, found.start()) + 1
                message = (
                    f"`{found[0]}` of the original ({original}:{line}) is not translated as {_listed(words)} here."
                )
                yield OTHER_TERM.finding(path, 1, 1, message, f"Use the word of {NAME}, or add this spelling to it.")


def _listed(words: Sequence[str]) -> str:
    return " or ".join(f"`{word}`" for word in words)
