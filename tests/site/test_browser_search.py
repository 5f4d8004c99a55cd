"""The search box in a real browser, over every script."""

import re

import pytest
from playwright.sync_api import expect

from patience import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]

INVOICE = "An invoice shows every refund since the beginning of the year. " * 9
JAPANESE = "kbsyncを使うと、返金のAPIを呼び出せます。カタカナもガギグも。"
ROWS = [
    ["/en/articles/refunds", "Refund a charge", "Give money back.", "Billing", "Open the charge and press the button."],
    ["/en/articles/charges", "Charges", "What a refund costs you.", "Billing", "Nothing at all."],
    ["/en/articles/invoices", "Invoices", "", "Billing", INVOICE],
    ["/en/articles/cafe", "Le café de l’Élysée", "", "Divers", "Straße, Łódź, İstanbul, ﬁne and naïve."],
    ["/en/articles/ja", "返金の設定画面", "", "日本語", JAPANESE],
    ["/en/articles/ko", "환불하는 방법", "", "한국어", "고객에게 환불하는 방법을 설명합니다."],
    ["/en/articles/ar", "استرداد الأموال", "", "العربية", "كيف تسترد المال"],
    ["/en/articles/ru", "Возврат средств", "", "Русский", "Как вернуть деньги. Ёлка."],
    ["/en/articles/hi", "धन वापसी", "", "हिन्दी", "धन वापस कैसे करें"],
    ["/en/articles/th", "การคืนเงิน", "", "ไทย", "วิธีขอคืนเงินของคุณ"],
]
HOSTILE = ["<b>Bold</b> & <script>alert(1)</script>", "", "A & <i>B</i>", "x <img src=x onerror=alert(1)> markup"]
ROWS.append(["/en/articles/html", *HOSTILE])
PAGE = "/en/articles/first-push"
INDEX = re.compile(r"/search/.*json$")


@pytest.fixture
def search(open_page, site):
    site.indexes["/-/search/en.json"] = ROWS
    page = open_page(PAGE)
    assert page.locator("script[src$='/search.js']").count() == 0, "the search loads when it is first used"

    def ask(query):
        page.fill("#kb-query", query)
        return page

    return ask


def titles(page):
    expect(page.locator("#kb-found a").first).to_be_visible()
    return page.locator("#kb-found .hit-title > :first-child").all_inner_texts()


def test_a_title_comes_before_a_description_and_that_before_a_text(search):
    page = search("refund")
    expect(page.locator("#kb-found a")).to_have_count(3)
    assert titles(page) == ["Refund a charge", "Charges", "Invoices"]


FINDS = {
    "refunds": ("ref char", "REFUND CHARGE", "refudn charge", "rfund charge"),
    "cafe": ("cafe elysee", "CAFÉ", "cafe\u0301", "strasse", "lodz", "istanbul", "fine naive", "elyssee"),
    "ja": ("設定", "返金 画面", "ｶﾀｶﾅ", "kbsync 使う", "api", "返金設定"),
    "ko": ("환불", "방법을"),
    "ar": ("الاموال",),
    "ru": ("возвр сред", "елка"),
    "hi": ("वापसी",),
    "th": ("คืนเงิน",),
    "html": ("markup",),
}


def test_words_are_found_in_every_script_by_their_beginnings_whatever_their_marks(search):
    for name, queries in FINDS.items():
        for query in queries:
            page = search(query)
            address = page.url.replace(PAGE, f"/en/articles/{name}")
            expect(page.locator("#kb-found a").first, query).to_have_attribute("href", address)


def test_what_is_nowhere_is_said_to_be_nowhere(search):
    for query in ("fund", "refund zzz", "zzz", "返品"):
        page = search(query)
        expect(page.locator("#kb-said")).to_have_text(f"Nothing found for “{query}”.")
        expect(page.locator("#kb-found")).to_be_hidden()


def test_a_query_without_words_shows_nothing(search):
    for query in ("", "  ", "!?", "<>"):
        page = search("refund")
        expect(page.locator("#kb-results")).to_be_visible()
        search(query)
        expect(page.locator("#kb-results"), query).to_be_hidden()


MARKS = [
    ("cafe elys", ["café", "Élys"]),
    ("strasse", ["Straße"]),
    ("設定", ["設定"]),
    ("ガギグ", ["ガギグ"]),
    ("환불", ["환불", "환불"]),
    ("fine", ["ﬁne"]),
    ("елка", ["Ёлка"]),
    ("a refnud", ["Refund"]),
    ("面", ["面"]),
]


def test_what_was_found_is_marked_as_it_is_written(search):
    for query, marks in MARKS:
        expect(search(query).locator("#kb-found a").first.locator("mark"), query).to_have_text(marks)


def test_a_letter_by_itself_finds_and_is_marked_nowhere(search, site):
    site.indexes["/-/search/en.json"] = [["/en/articles/slugs", "Slugs", "", "", "A file has a slug."]]
    page = search("s")
    expect(page.locator("#kb-found a")).to_have_count(1)
    expect(page.locator("#kb-found mark")).to_have_count(0)
    search("a slug")
    expect(page.locator("#kb-found mark").first).to_have_text("Slug")
    with page.expect_navigation():
        page.locator("#kb-found a").click()
    marked = page.evaluate("[...CSS.highlights.get('kb-found')].map(place => place.endOffset - place.startOffset)")
    assert set(marked) == {4}


def test_a_snippet_shows_the_text_around_what_was_found(search, site):
    site.indexes["/-/search/en.json"] = [["/a", "T", "", "", "word " * 500 + "the needle in it" + " word" * 500]]
    text = search("needle").locator(".hit-text")
    expect(text.locator("mark")).to_have_text("needle")
    words = text.inner_text()
    assert words.startswith("… ")
    assert words.endswith(" …")
    assert len(words) < 220


def test_markup_in_an_article_stays_text_in_the_results(search):
    page = search("bold markup")
    expect(page.locator("#kb-found a")).to_have_count(1)
    assert titles(page) == ["<b>Bold</b> & <script>alert(1)</script>"]
    assert page.locator("#kb-found :is(b, script, img, i)").count() == 0


def test_the_box_is_driven_by_keys_alone(search):
    page = search("")
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("refund")
    box, hits = page.locator("#kb-query"), page.locator("#kb-found a")
    expect(hits).to_have_count(3)
    expect(box).to_have_attribute("aria-expanded", "true")
    expect(box).to_have_attribute("aria-activedescendant", "kb-hit-0")
    page.keyboard.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "kb-hit-1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(hits.nth(2)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#kb-results")).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("refund")
    page.keyboard.type("zz")
    expect(page.locator("#kb-said")).to_contain_text("Nothing found")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(hits).to_have_count(3)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/en/articles/refunds")


def test_the_results_go_when_something_else_is_meant(search):
    page = search("refund")
    expect(page.locator("#kb-found a")).to_have_count(3)
    # Where it begins: the results may lie over its end.
    page.locator("h1").click(position={"x": 3, "y": 3})
    expect(page.locator("#kb-results")).to_be_hidden()
    page.click("#kb-query")
    expect(page.locator("#kb-found a")).to_have_count(3)


def test_a_click_on_a_result_goes_there(search):
    page = search("refund")
    with page.expect_navigation():
        page.locator("#kb-found a").nth(1).click()
    assert page.url.endswith("/en/articles/charges")


def test_the_index_is_asked_for_once_when_the_box_is_used_and_again_when_files_have_changed(open_page, site):
    page = open_page(PAGE)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if INDEX.search(request.url) else None)
    eventually(lambda: site.streams, "the page's scripts have run")
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert asked == []
    page.fill("#kb-query", "push")
    expect(page.locator("#kb-found a").first).to_be_visible()
    page.fill("#kb-query", "pushing")
    expect(page.locator("#kb-found mark").first).to_have_text("Pushing")
    assert len(asked) == 1
    site.indexes["/-/search/en.json"] = [["/new", "Pushing daisies", "", "", ""]]
    site.tell("search")
    expect(page.locator("#kb-found a")).to_have_count(1)
    assert len(asked) == 2


def test_addresses_of_a_static_build_are_seen_from_the_index(open_page, site):
    page = open_page(PAGE)
    site.indexes["/-/search/en.json"] = [["../deep/a.html", "Deep", "", "", ""]]
    page.fill("#kb-query", "deep")
    expect(page.locator("#kb-found a")).to_have_attribute("href", page.url.replace(PAGE, "/-/deep/a.html"))


def test_an_index_that_cannot_be_read_is_told(open_page, site):
    site.indexes.clear()
    page = open_page(PAGE)
    page.fill("#kb-query", "push")
    expect(page.locator("#kb-said")).to_have_text("The search could not be loaded.")


def test_while_the_server_is_away_the_box_says_so_and_searches_again_when_it_is_back(open_page):
    page = open_page(PAGE)
    page.route("**/-/search/**", lambda route: route.abort("connectionrefused"))
    page.fill("#kb-query", "push")
    expect(page.locator("#kb-said")).to_contain_text("The server does not answer.")
    page.unroute("**/-/search/**")
    page.fill("#kb-query", "pus")
    expect(page.locator("#kb-found a").first).to_be_visible()
    # What is known can be searched without it.
    page.route("**/-/search/**", lambda route: route.abort("connectionrefused"))
    page.evaluate("dispatchEvent(new Event('kbsync-search'))")
    expect(page.locator("#kb-said")).to_contain_text("The server does not answer.")
    expect(page.locator("#kb-found a").first).to_be_visible()


def test_a_result_opens_at_its_heading_with_the_words_marked(open_page, site):
    url, target = next(
        (url, page)
        for url, page in site.pages.items()
        if url.startswith("/en/articles/") and url != PAGE and len(getattr(page, "toc", ())) > 3
    )
    heading, last = target.toc[1], target.toc[-1]
    zebras = [heading.text, heading.anchor, "Prose of zebras.", "run --zebra-code"]
    sections = [["", "", "Nothing."], zebras, [last.text, "", "Elephants."]]
    site.indexes["/-/search/en.json"] = [[url, target.title, "", "", sections]]
    page = open_page(PAGE)
    page.fill("#kb-query", heading.text.split()[0] + " zebra code")
    hit = page.locator("#kb-found a")
    expect(hit).to_have_attribute("href", f"{site.url}{url}#{heading.anchor}")
    expect(hit.locator(".hit-heading")).to_have_text(heading.text)
    expect(hit.locator(".hit-text")).to_have_text("Prose of zebras.")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith(f"#{heading.anchor}")
    assert page.evaluate("CSS.highlights.get('kb-found').size") > 0
    page.keyboard.press("Escape")
    assert not page.evaluate("CSS.highlights.has('kb-found')")
    # A heading without an address is found by its words; the mark is not there a second time.
    page.reload()
    assert not page.evaluate("CSS.highlights.has('kb-found')")
    page.fill("#kb-query", "elephants")
    expect(page.locator("#kb-found a")).to_have_attribute("href", site.url + url)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("article").get_by_role("heading", name=last.text).last).to_be_in_viewport()


def test_enter_opens_the_first_result_as_soon_as_there_is_one(open_page):
    page = open_page(PAGE)
    held = []
    page.route("**/-/search/**", lambda route: held.append(route))  # noqa: PLW0108  (it gets an attribute)
    page.fill("#kb-query", "push")
    eventually(lambda: page.title() and held, "the index is asked for")
    page.keyboard.press("Enter")
    with page.expect_navigation():
        held[0].continue_()
    assert "/en/articles/" in page.url


def test_ten_thousand_articles_are_searched_while_somebody_types(open_page, site):
    filler = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor. " * 30
    site.indexes["/-/search/en.json"] = [
        [f"/en/articles/{n}", f"Article number {n}", "About it.", "C", f"{filler} needle{n}"] for n in range(10_000)
    ]
    page = open_page(PAGE)
    page.focus("#kb-query")
    page.keyboard.type("needle987", delay=30)
    expect(page.locator("#kb-found a")).to_have_count(11)
    page.fill("#kb-query", "article number 4242")
    expect(page.locator("#kb-found a").first).to_have_attribute("href", page.url.replace(PAGE, "/en/articles/4242"))
