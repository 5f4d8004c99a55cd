"""The glossary of a project, and what `kbsync lint` finds with it."""

from __future__ import annotations

from kbsync.app.reading import Reading
from kbsync.app.workspace import Workspace
from kbsync.content.glossary import Term, read_glossary
from kbsync.content.identity import Site
from kbsync.lint import in_order
from kbsync.lint.finds import bounded
from kbsync.lint.ignore import Severities
from kbsync.lint.terms import check_terms
from kbsync.model import Finding


def has_glossary(workspace: Workspace) -> bool:
    """Whether the project has one."""
    return (workspace.settings.folder / "glossary.csv").is_file()


def glossary_of(workspace: Workspace, site: Site) -> tuple[Term, ...]:
    """Its terms.

    Raises:
        ContentError: it cannot be read.
    """
    locales = dict.fromkeys((site.default_locale, *site.locales))
    return read_glossary(workspace.settings.folder, tuple(locales))


def check_glossary(workspace: Workspace, reading: Reading) -> tuple[Finding, ...]:
    """The findings of the tree, and those about terms.

    Raises:
        ContentError: the glossary cannot be read.
    """
    tree, site = reading.compiler.tree, reading.compiler.site
    found = check_terms(tree, site, glossary_of(workspace, site), tree.sources)
    kept = Severities(workspace.settings.lint).judge(found, tree.sources)
    return tuple(in_order([*reading.findings, *bounded(list(kept))]))
