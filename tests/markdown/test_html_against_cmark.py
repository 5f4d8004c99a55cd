"""cmark-gfm, which the portal is built on, reads as we do; where not, `test_known_differences.py` names it."""

import json
import random
import sysconfig
from itertools import islice
from pathlib import Path

import pytest
from cmark import agrees, without_the_portals_own

MARKS = (
    "a * ** _ ` `` [ ] ( ) ! ![ ](x) [a] [a][b] \\ \\| &amp; &#0; &#1; &copy < > <b> </b> <br> --- === ## ``` ~~~ + | "
    "|-|-| :-: <!-- a --> € — é “ 日本 https://x.y <https://x.y?a&amp;b> <a@b.c> <script> </script>"
)
FRAGMENTS = (
    *MARKS.split(),
    *("\n", "\n", "\n\n", "\r\n", "  \n", "\\\n", "  ", "    ", "\t", "\u00a0", "b c", '"t"', "# ", "- ", "2. ", "> "),
    *("\n> ", "\n- ", "\n  - ", "\n1. ", "\n***\n", "\n<div>\n", "\n<br>\n", "```js\n", "\n|---|\n"),
    *("| a | b |\n|---|---|\n", "[a]: /u\n", '[b]:\n/x\n"t\n"\n'),
)


def test_at_least_199_of_200_real_documents_read_the_same():
    packages = Path(sysconfig.get_path("purelib"))
    found = [*packages.rglob("*.md"), *packages.glob("*.dist-info/METADATA")]
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(found))
    documents = list(islice((without_the_portals_own(text) for text in texts if len(text) < 40_000), 80))
    different = [text[:60] for text in documents if not agrees(text)]
    assert documents
    assert len(different) * 200 <= len(documents), different


def test_at_least_199_of_200_texts_of_random_marks_read_the_same():
    draw = random.Random(1)
    texts = ["".join(draw.choices(FRAGMENTS, k=draw.randint(2, 14))) for _ in range(3000)]
    different = [text for text in texts if not agrees(text)]
    assert len(different) * 200 <= len(texts), different[:10]


@pytest.mark.parametrize(
    "markdown",
    [
        "a\n:-:",
        "|\n-|\n|-",
        "[a]: b\n|-|",
        "[a]: u\n-",
        "> ``a\n  b``",
        "-\t```\n\n\ta\n\t\tb",
        "- .\n<r>",
        "a*€*b **é**x",
        "\u00a0a\u00a0\n",
        "# \u00a0a\u00a0",
        "x <!--> y",
        "<textarea>\n\na",
        "a\n<source>",
        '[a]: b\n"t" c\n\n[a]',
        "a|b\n-|-\n<b>\n",
        "&#xD800; &#1114112; &#1; &#128;",
        "<https://a?b&amp;c>",
        "[a](b\\\nc)",
        "~~~\nx",
    ],
)
def test_a_place_where_markdown_it_reads_otherwise_is_read_as_cmark_does(markdown: str):
    assert agrees(markdown)


REDUCED = [
    json.loads(line) for line in (Path(__file__).parents[1] / "fixtures/parity/reduced.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("markdown", [case[1] for case in REDUCED], ids=[case[0] for case in REDUCED])
def test_what_was_once_read_otherwise_in_a_real_page_or_a_random_text_is_read_as_cmark_does(markdown: str):
    assert agrees(markdown)
