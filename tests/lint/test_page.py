"""What rules look at first, before the prose: nothing that a reader sees may be missing in it.

A rule that asks for the prose of a page has it parsed a second time. Of pages without a suspicion, few may need it.
"""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import source_of
from kbsync.content.inspection import Body
from kbsync.lint.body_checks import BODY_CHECKS, marks_of
from kbsync.lint.page import Page
from kbsync.lint.tables import may_cut_code

from .texts import FRONT, OF_ONE_TEXT

LINES = sorted(
    {line for bad, good in OF_ONE_TEXT.values() for text in (*(t for t, _ in bad), *good) for line in text.splitlines()}
)
BLOCKS = ["```", "~~~ json", "    {code}", "<div>", "</div>", "<!--", "-->", "- ```", "  ```", "> ```", "- a", "", ""]
VISIBLE = re.compile(r"[^\0\x01\n]+")


def page_of(text: str) -> Page:
    """The page of a body."""
    pages: list[Page] = []

    def keep(body: Body) -> list[object]:
        pages.append(Page(body))
        return []

    source_of(FRONT + text, inspect=keep)
    return pages[0]


@given(st.lists(st.sampled_from(LINES) | st.sampled_from(BLOCKS), min_size=1).map("\n".join))
def test_a_check_finds_nothing_in_a_text_that_lacks_its_sign(text):
    page = page_of(f"{text}\n")
    for check in BODY_CHECKS:
        assert check.sign in page.signs or not list(check.find(page)), check.find.__name__


@given(st.lists(st.sampled_from(LINES) | st.sampled_from(BLOCKS), min_size=1).map("\n".join))
def test_whatever_is_left_in_the_prose_is_outside_of_blocks_and_has_its_signs(text):
    page = page_of(f"{text}\n")
    for run in VISIBLE.findall(page.prose.text):
        assert run in page.outside
        assert re.sub(r"[\w\s]|[^\x00-\x7f]", "", run).replace("_", "") in page.signs.replace("_", "").replace("\n", "")


def test_blocks_of_code_and_raw_html_are_inside_and_each_line_is_behind_a_line_end():
    page = page_of("# a\n\n```\n{b}\n```\n\n<div>\nc!\n</div>\n\n- d `e`\n\n      [f]\n")
    assert page.outside.split() == ["#", "a", "-", "d", "`e`"]
    assert page.outside.startswith("\n# a\n")
    assert page.signs.strip("\n").replace("\n", "") == "#-``"


WITH_BRACKETS = (
    "[a](b.md)", "![a](b.png)", "[a [b](c.md)", "- [ ] a", "[a]", "[a][b]", "[a]: b.md", "`[a`", "[`]`](b)", "[](b)",
)  # fmt: skip


@given(st.lists(st.sampled_from(WITH_BRACKETS) | st.sampled_from(LINES) | st.sampled_from(BLOCKS)).map("\n".join))
def test_without_loose_brackets_readers_see_no_bracket(text):
    page = page_of(f"{text}\n")
    if not page.has_loose_brackets:
        assert not set("[]") & set(page.prose.text)


def test_links_and_images_with_nothing_but_words_leave_no_loose_brackets():
    assert not page_of("A [b](c.md) and ![d](e.png).\n\n```\na[0]\n```\n").has_loose_brackets
    assert page_of("A [b](c.md) and [d].\n").has_loose_brackets


def test_what_was_taken_out_is_inside_with_its_signs():
    page = page_of("a!\n\n```js\n{b}\n```\n\n<div>\nc?\n</div>\n")
    assert page.inside.split() == ["```js", "{b}", "```", "<div>", "c?", "</div>"]
    assert page.signs_inside.replace("\n", "") == "```{}```<>?</>"


CELLS = st.lists(st.sampled_from(["`", "``", "a", "b.", " ", "\\", "|", "!"]), max_size=8).map("".join)


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4).map(lambda cells: f"|{'|'.join(cells)}|"), min_size=1, max_size=4)
)
def test_a_cell_with_an_odd_number_of_backticks_is_never_passed_by(rows):
    page = page_of("\n".join(["| a | b |", "| --- | --- |", *rows, ""]))
    if not may_cut_code(page.signs):
        assert all(cell.count("`") % 2 == 0 for row in rows for cell in row.split("|"))


LANGUAGES = {
    "en": ("Refund a charge", "Open the invoice and choose “Refund”", "Step", "It’s there – wait"),
    "fr": ("Rembourser un débit", "Ouvrez la facture : choisissez « Rembourser »", "Étape", "C’est là – à côté"),
    "de": ("Zahlung erstatten", "Öffnen Sie die Rechnung und wählen „Erstatten“", "Schritt", "Größe: 5 µm – ähnlich"),
    "el": ("Επιστροφή χρέωσης", "Ανοίξτε το τιμολόγιο και επιλέξτε «Επιστροφή»", "Βήμα", "Είναι εκεί"),
    "ru": ("Вернуть платёж", "Откройте счёт и выберите «Вернуть»", "Шаг", "Он там — рядом"),
    "ar": ("استرداد رسوم", "افتح الفاتورة واختر «استرداد»", "خطوة", "إنه هناك، انتظر"),
    "he": ("החזר חיוב", "פתחו את החשבונית ובחרו „החזר”", "שלב", "זה שם"),
    "hi": ("शुल्क वापस करें", "चालान खोलें और “वापसी” चुनें।", "चरण", "यह वहाँ है"),
    "th": ("คืนเงิน", "เปิดใบแจ้งหนี้แล้วเลือก “คืนเงิน”", "ขั้นตอน", "อยู่ที่นั่น"),
    "zh": ("退款", "打开账单，选择“退款”。这很*重要*，请看**说明**。", "步骤", "就在那里——稍等"),
    "ja": ("返金する", "請求書を開き、「返金」を選びます。これは**重要**です。", "手順", "そこにあります"),
    "ko": ("환불하기", "청구서를 열고 ‘환불’을 선택하세요.", "단계", "거기에 있습니다"),
}
"""Title, sentence, word and aside of each language."""

SHAPES = (
    "{1}\n\n## {0}\n\n{1} **{2}** *{2}* `{{code}}` {3}.\n\n- {2} 1\n- {2} 2\n  - [{0}](refunds.md#a)\n\n1. {1}\n2. {1}\n",
    "{1}\n\n![{0}](https://x.y/a.png)\n\n| {2} | € |\n| --- | ---: |\n| `a \\| b` | $5 |\n| {0} | 10 % |\n\n> **{2}** {1}\n",
    "## {0}\n\n```js\nconst a = {{b: [c[0], `${{d}}`]}};\n```\n\n{1} (10:30), C++, a_b, x * y, {2} #1 & {3}! 🎉\n\n---\n\n### {2}\n\n{3}\n",
    "{1}\\\n{1}\n\n<https://x.y/a?b=c#d> {2}: [{0}](https://x.y/a_(b)) “{3}” @{2} 50^2 ~10\n\n1. {2}\n\n    {1}\n\n    ```\n    {0}\n    ```\n",
)

PARSED_AGAIN: dict[str, int] = {}
"""Of the pages below, how many a check may have parsed a second time. A number here wants a reason."""


@pytest.fixture(scope="module")
def bodies():
    """Pages as people write them, four shapes in each language; nothing is wrong with any."""
    texts = [shape.format(*words) for words in LANGUAGES.values() for shape in SHAPES]
    return [page_of(text).body for text in texts]


def test_nothing_is_found_in_these_pages(bodies):
    assert [[mark.code for mark in marks_of(body)] for body in bodies] == [[]] * len(bodies)


def test_no_rule_has_pages_parsed_again_without_a_suspicion(bodies):
    parsed: Counter[str] = Counter()
    for body in bodies:
        for check in BODY_CHECKS:
            page = Page(body)
            assert check.sign not in page.signs or list(check.find(page)) == []
            parsed[check.find.__name__] += "prose" in vars(page)
    assert +parsed == PARSED_AGAIN


def test_a_rule_that_asks_for_the_prose_is_counted(bodies):
    page = Page(bodies[0])
    assert "prose" not in vars(page)
    assert page.prose.text and "prose" in vars(page)
