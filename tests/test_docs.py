"""What the code says of docs/service.md is there, and what that page says of the code is there."""

import re
from collections.abc import Iterator
from pathlib import Path

from test_layers import ROWS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kbsync"
SERVICE = (ROOT / "docs" / "service.md").read_text("utf-8")

FACTS = {f"S{number}" for number in re.findall(r"^### S(\d+)\. \S", SERVICE, re.MULTILINE)}
SECTIONS = set(re.findall(r"^## Section (\d+)\. \S", SERVICE, re.MULTILINE))

A_PLACE = r"(?:S\d+|(?:section )?\d+|sections \d+)"
CITATION = re.compile(rf"docs/service\.md(?:(?:, (?:and )?| and | to ){A_PLACE})*")
"""As in "docs/service.md, S6, S7", "docs/service.md, section 4 and S6", "docs/service.md, sections 2 to 4"."""

ELSEWHERE = re.compile(r"\b(?:observed(?:-4\.16)?\.(?:md|jsonl\b(?!\.gz))|interface\.md|design\.md)")
"""Notes that this repository does not have."""


A_TEST = re.compile(r"def test_(?:s|surprise_)(\d+)((?:_(?:and|to)_\d+)*)_")
"""As in `test_s105_…`, `test_surprise_02_and_08_…`, `test_surprise_151_to_155_…`."""

WITHOUT_A_TEST = {
    "S148": "anchors are as in 4.10 (section 9): tests/markdown/test_anchors.py",
}
"""Facts of 4.16 without a test of their number, and why."""


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def texts(*roots: str) -> Iterator[tuple[Path, str]]:
    """Every file of ours below these folders; a comment that runs over a line is one text."""
    for root in roots:
        for path in sorted((ROOT / root).rglob("*")):
            if path.suffix in {".py", ".toml"} and path != Path(__file__):
                yield path.relative_to(ROOT), re.sub(r"\s*\n\s*(?:# )?", " ", path.read_text("utf-8"))


def cited() -> Iterator[tuple[Path, str]]:
    """Every citation of the page, as it stands in the code."""
    for path, text in texts("src", "tests", "bench"):
        for citation in CITATION.findall(text):
            yield path, citation


def missing(citation: str) -> set[str]:
    """What a citation names and the page does not have."""
    facts = set(re.findall(r"\bS\d+", citation))
    sections = set(re.findall(r"(?<![S\d])\d+", citation))
    return (facts - FACTS) | (sections - SECTIONS)


def test_every_place_of_the_service_page_that_code_names_is_there():
    assert [(path, citation) for path, citation in cited() if missing(citation)] == []


def test_citations_are_found_over_lines_and_in_every_form():
    found = {place for _, citation in cited() for place in re.findall(r"S\d+|(?<![S\d])\d+", citation)}
    assert {"S1", "S9", "S19", "S24", "1", "7", "10", "11"} <= found
    assert CITATION.findall("see docs/service.md, sections 1, 6, 7.") == ["docs/service.md, sections 1, 6, 7"]
    assert missing("docs/service.md, section 4 and S6") == set()
    assert missing("docs/service.md, S6, section 99") == {"99"}
    assert missing("docs/service.md, S25") == {"S25"}


def test_every_citation_of_the_code_itself_says_where_on_the_page():
    vague = {path for path, citation in cited() if path.parts[0] == "src" and citation == "docs/service.md"}
    # The places marked [4.2], and all that was seen.
    assert {path.name for path in vague} == {"setup.py", "chatwoot.toml"}


def test_nothing_in_the_code_names_notes_that_are_not_in_the_repository():
    assert [(path, found) for path, text in texts("src", "tests", "bench") for found in ELSEWHERE.findall(text)] == []


def test_no_number_of_the_service_page_is_missing_or_used_twice():
    numbers = [int(number) for number in re.findall(r"^### S(\d+)\. ", SERVICE, re.MULTILINE)]
    assert numbers == [*range(1, 25), *range(101, 162)]
    sections = [int(number) for number in re.findall(r"^## Section (\d+)\. ", SERVICE, re.MULTILINE)]
    assert sections == list(range(1, len(sections) + 1))


def test_the_table_of_the_service_page_has_every_number_and_names_files_that_exist():
    rows = re.findall(r"^\| S(\d+)(?:–S(\d+))? \| .* \| (.*) \|$", SERVICE, re.MULTILINE)
    covered = [number for first, last, _ in rows for number in range(int(first), int(last or first) + 1)]
    assert {f"S{number}" for number in covered} == FACTS
    named = {name for _, _, where in rows for name in re.findall(r"`([\w/]+\.\w+)`", where)}
    assert [name for name in sorted(named) if not (SOURCE / name).is_file()] == []


def numbers_in_tests() -> set[str]:
    """The facts of the service page that the name of a test has."""
    found: set[int] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for first, more in A_TEST.findall(path.read_text("utf-8")):
            numbers = [int(first), *map(int, re.findall(r"\d+", more))]
            found |= {*range(numbers[0], numbers[-1] + 1)} if "_to_" in more else {*numbers}
    return {f"S{number}" for number in found}


def test_every_fact_of_4_16_has_a_test_with_its_number_or_a_reason_for_none():
    facts = {fact for fact in FACTS if int(fact[1:]) > 100}
    assert facts - numbers_in_tests() == set(WITHOUT_A_TEST)


def test_every_module_that_the_page_names_is_there():
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", ARCHITECTURE))
    assert len(named) > 30
    assert [name for name in sorted(named) if not any((at / name).exists() for at in (ROOT, SOURCE))] == []


def test_where_things_go_names_files_and_pages_that_are_there():
    table = ARCHITECTURE.partition("## Where a change goes")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:src|content|tests|docs)/[^`]*)`", table)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_what_is_read_first_stays_short():
    """One screen and a half, a map that is smaller than the country, and no history of what was never released."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 80
    assert len(ARCHITECTURE) <= 9_000
    assert len((ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()) <= 80
    assert "Chatwoot" in (ROOT / "README.md").read_text("utf-8").partition(".")[0]


def test_the_layers_on_the_page_are_those_of_the_test():
    rows = re.findall(r"^\| \d+ \| (.*?) \|", ARCHITECTURE, re.MULTILINE)
    shown = [tuple(re.findall(r"`(\w+)`", row)) for row in rows]
    named = [name for row in shown for name in row]
    assert sorted(named) == sorted(name for row in ROWS for name in row)
    level = {name: number for number, row in enumerate(shown) for name in row}
    below = [(upper, lower) for n, row in enumerate(ROWS) for upper in row for low in ROWS[n + 1 :] for lower in low]
    assert [pair for pair in below if level[pair[0]] > level[pair[1]]] == []
