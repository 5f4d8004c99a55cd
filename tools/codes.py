"""Writes the help center's pages of codes, from the rules and their explanations: `make codes`.

python tools/codes.py            writes what follows the heading of all codes; what is above it stays
python tools/codes.py --check    changes nothing, and ends with 1 if a page is not as it would be written

The English page has the whole text of each rule. The French one has its title, from `codes_fr.toml` beside this file,
and leads to the English text: so it stays true when a rule's text changes.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from kbsync.lint.explanations import MORE_PAGE, PAGE, anchor_of, explain, page_of, section_of
from kbsync.model import Rule
from kbsync.report.rules import RULES

CONTENT = Path(__file__).resolve().parent.parent / "content"
TITLES = Path(__file__).with_name("codes_fr.toml")
PAGES = {
    f"en/{PAGE}": "## All codes\n",
    f"en/{MORE_PAGE}": "## The other codes\n",
    f"fr/{PAGE}": "## Tous les codes\n",
}
"""Each page, and the heading below which it is written."""
TO_ARTICLES = "../"
"""From the folder of the page to that of its locale."""

FAMILIES = {
    "KB1": "Fichiers et en-tête",
    "KB2": "Slugs, catégories, langues et textes",
    "KB3": "Liens, images et titres",
    "KB4": "Ce que le portail ne montre pas",
    "KB5": "Ce que voit un plan",
    "KB6": "Traductions et originaux",
}
LEVELS = {"error": "erreur", "warning": "avertissement"}

Titles = Mapping[str, Mapping[str, str]]


def written(text: str, page: str, titles: Titles) -> str:
    """A page as it should be, from the page as it is."""
    head, _, _ = text.partition(PAGES[page])
    locale, _, article = page.partition("/")
    if locale == "fr":
        sections = french_sections(RULES.values(), titles)
    else:
        sections = (section_of(rule, see=TO_ARTICLES) for rule in RULES.values() if page_of(rule.code) == article)
    return f"{head}{PAGES[page]}\n" + "\n".join(sections)


def french_sections(rules: Iterable[Rule], titles: Titles) -> Iterator[str]:
    """A table for each family of codes."""
    for family, members in groupby(rules, key=lambda rule: rule.code[:3]):
        rows = [_row(rule, titles[rule.code]["french"]) for rule in members]
        heading = f"### {family}\u00a0: {FAMILIES[family]}"
        yield "\n".join(
            [heading, "", "| Code | Titre | Niveau | En savoir plus |", "| --- | --- | --- | --- |", *rows, ""]
        )


def _row(rule: Rule, title: str) -> str:
    code = f"[{rule.code}]({TO_ARTICLES}../en/{page_of(rule.code)}#{anchor_of(rule.code)})"
    level = LEVELS[rule.level] + (", corrigé par `--fix`" if rule.fixable else "")
    return f"| {code} | {title} | {level} | {_see(explain(rule.code).see)} |"


def _see(path: str) -> str:
    """A link to the French article about a rule; "" where there is none."""
    article = CONTENT / "fr" / path
    if not path or not article.is_file():
        return ""
    title = re.search(r'^title: "?(.+?)"?$', article.read_text("utf-8"), re.MULTILINE)
    return f"[{title[1]}]({TO_ARTICLES}{path})" if title else ""


def complaints(rules: Iterable[Rule], titles: Titles) -> Iterator[str]:
    """What `codes_fr.toml` lacks, or has for a rule that is called otherwise now."""
    known = {rule.code: rule.title for rule in rules}
    for code, title in known.items():
        if code not in titles:
            yield f"{TITLES.name}: {code} has no French title. Translate `{title}`."
        elif titles[code]["english"] != title:
            yield f"{TITLES.name}: {code} is called `{title}` now. Look at its French title."
    yield from (f"{TITLES.name}: There is no rule {code}." for code in titles if code not in known)


def main(arguments: list[str]) -> None:
    """Write the pages, or end with 1 if one would change."""
    titles = tomllib.loads(TITLES.read_text("utf-8"))
    if wrong := list(complaints(RULES.values(), titles)):
        sys.exit("\n".join(wrong))
    for page in PAGES:
        file = CONTENT / page
        before = file.read_text("utf-8")
        after = written(before, page, titles)
        if "--check" not in arguments:
            file.write_text(after, "utf-8")
        elif before != after:
            sys.exit(f"{page} is out of date. Run `make codes`.")


if __name__ == "__main__":
    main(sys.argv[1:])
