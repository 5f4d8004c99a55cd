"""The parts of `bench/` that compute: trees of samples, and marks and notes in RESULTS.md."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench"))  # Behind all others: its modules have common names.
flame, sections = import_module("flame"), import_module("sections")

RAW = """\
process 7:"python -m kbsync lint";_run_code (<frozen runpy>:88);<module> (kbsync/__main__.py:33);lint (kbsync/app.py:3);check (kbsync/rules.py:9) 30
process 7:"python -m kbsync lint";_run_code (<frozen runpy>:88);<module> (kbsync/__main__.py:33);lint (kbsync/app.py:5);check (kbsync/rules.py:4) 10
process 7:"python -m kbsync lint";<module> (kbsync/__main__.py:33);lint (kbsync/app.py:5);write (kbsync/files.py:1) 9
process 7:"python -m kbsync lint";<module> (kbsync/__main__.py:33);lint (kbsync/app.py:7);rare (kbsync/files.py:1) 1
process 7:"python -m kbsync lint";process 8:"python -m kbsync lint";<module> (kbsync/__main__.py:33);scan (kbsync/spans.py:2) 50
"""


def test_samples_of_a_process_and_of_its_children_are_apart_and_lines_of_a_function_are_one():
    found = flame.stacks_of(RAW.splitlines(keepends=True))
    start = "<module> (kbsync/__main__.py)"
    lint = (start, "lint (kbsync/app.py)")
    assert found == {
        flame.HERE: Counter(
            {
                (*lint, "check (kbsync/rules.py)"): 40,
                (*lint, "write (kbsync/files.py)"): 9,
                (*lint, "rare (kbsync/files.py)"): 1,
            }
        ),
        flame.CHILDREN: Counter({(start, "scan (kbsync/spans.py)"): 50}),
    }


def test_a_tree_adds_up_what_is_below_a_function_and_what_is_its_own():
    tree = flame.tree_of(Counter({("a", "b"): 3, ("a",): 2, ("c",): 1}))
    assert (tree.samples, tree.own) == (6, 0)
    assert {name: (node.samples, node.own) for name, node in tree.below.items()} == {"a": (5, 2), "c": (1, 1)}
    assert tree.below["a"].below["b"].own == 3


def test_a_report_shows_shares_of_the_samples_of_each_and_leaves_out_what_is_below_the_cut():
    assert flame.report(RAW.splitlines(), cut=4.0, most=45, width=110) == [
        "the process itself: 50 samples",
        "  all  self  (percent; function, file; below 4 % left out)",
        "100.0   0.0  kbsync/__main__.py > lint (kbsync/app.py)",
        " 80.0  80.0    check (kbsync/rules.py)",
        " 18.0  18.0    write (kbsync/files.py)",
        "",
        "its children: 50 samples",
        "  all  self  (percent; function, file; below 4 % left out)",
        "100.0 100.0  kbsync/__main__.py > scan (kbsync/spans.py)",
        "",
    ]


def test_no_tree_has_more_lines_or_longer_ones_than_asked_for():
    inner = [f"inner_{step} (b.py)" for step in range(9)]
    stacks = Counter({(f"outer_{number} (a.py)", *inner): 10 + number for number in range(12)})
    lines, cut = flame.lines_of(flame.tree_of(stacks), cut=2.0, most=5, width=54)
    assert len(lines) <= 5 and cut > 2.0
    assert lines[0] == " 11.3  11.3  outer_11 > .. > inner_7 > inner_8 (b.py)"
    assert all(len(line) <= 54 for line in lines)


def test_every_sample_of_a_chain_that_is_one_line_is_counted_once():
    stacks = Counter({("a (a.py)", "b (b.py)"): 99, ("a (a.py)",): 1})
    assert flame.lines_of(flame.tree_of(stacks), cut=4.0, most=9, width=80) == (["100.0 100.0  a > b (b.py)"], 4.0)


def test_a_figure_that_the_run_before_does_not_bear_out_is_marked():
    former = "## Lint\n\n| cold | 2.00 s | 100 MiB |\n| warm | 0.10 s | |\n"
    assert sections.marked(former, ["| cold | 2.20 s | 130 MiB |", "| warm | 0.11 s | |", "words"]) == [
        "| cold | 2.20 s | 130 MiB **not reproduced**: 100 before, 130 now |",
        "| warm | 0.11 s | |",
        "words",
    ]


def test_a_section_that_could_not_be_measured_keeps_its_figures_and_has_one_note():
    text = "# Results\n\n## A\n\n| a | 1 s |\n\n## B\n\nwords\n"
    for date in ("2026-11-01", "2026-11-02"):
        note = f"**Not measured on {date}**: the part ended with 1."
        text = sections.with_section(text, "## A", sections.with_note(sections.found_section(text, "## A"), note))
    assert text == (
        "# Results\n\n## A\n\n| a | 1 s |\n\n**Not measured on 2026-11-02**: the part ended with 1.\n\n## B\n\nwords\n"
    )
