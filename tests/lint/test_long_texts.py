"""Texts far beyond what a service takes, of shapes that once cost the square of their length; these would not end."""

from __future__ import annotations

import pytest

from builders import source_of
from kbsync.content.parse import MAX_SCANNED
from kbsync.lint import inspect


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- kbsync-ignore ",
        "<!-- kbsync-ignore KB301 -->",
        "<!-- kbsync-ignore KB301 -->\n",
        "1) ",
        "http://a**",
        "http://a)",
        "<a b=c ",
        "{#a .b ",
        "| a ",
        "[a](b c",
        "** ",
        "####### x\n",
        "a\n\n: b ",
        "import a from ' from ' ",
        ":::note\n",
        ":::note\nx\n:::\n",
        "!!! note\n\n    x\n\n",
        "{% hint %}\nx\n{% endhint %}\n",
        ">![info] x\n",
        "| a | b |\n| - |\n| c | d |\n| - | - |\n",
        "x\n[//]: # (x)\n\n",
        "a <!-- x ---> ",
    ],
)
def test_a_long_text_of_one_piece_is_read(piece):
    assert source_of("# T\n\n" + piece * (MAX_SCANNED // len(piece)), inspect=inspect).title == "T"


def test_callouts_in_each_other_are_read_however_many_they_are():
    text = ":::note\n" * 12_500 + ":::\n" * 25_000
    assert not any(problem.fixable for problem in source_of(f"# T\n\n{text}", inspect=inspect).problems)
