"""A rule that asks for the prose of a page has it parsed a second time. Of pages without a suspicion, few may need it."""

from __future__ import annotations

from collections import Counter

import pytest

from kbsync.lint.body_checks import BODY_CHECKS, marks_of
from kbsync.lint.page import Page

from .test_page import page_of

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
