"""The pages in a real browser: schemes, widths, keys, the writer's layer, and articles that would like to do harm."""

import base64
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from playwright.sync_api import expect
from site_sample import CONTENT, body, frame, whole_site

from browsing import serious
from kbsync.markdown.html import render_html
from kbsync.markdown.versions import KNOWN
from kbsync.site.pages import ArticlePage, HomePage, Link
from rings import one_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ARTICLE = "/en/articles/first-push"
PHONE = {"width": 360, "height": 740}
CLIPBOARD = ["clipboard-read", "clipboard-write"]
MISSING = "/en/articles/first-pusch"
KINDS = ["/en/", "/en/categories/publishing", ARTICLE, "/-/overview", "/-/findings", MISSING, "/-/everything"]

EVERYTHING = """
Text with `code`, **strong**, *em*, ^up^, [a link](/en/) and a very-long-word-{long} and `{long}`.

# Section one

| Name | What it means | Default | Range | Unit | Since | Notes |
|:--|:-:|--:|---|---|---|---|
| `timeout_s_of_the_service` | how long | 30 | 1-600 | seconds | 0.1 | a_long_value_without_any_break_in_it |

## Section two

```sh
kbsync plan --config kbsync.toml --env staging --format json --out plan.json && kbsync push plan.json --wait --publish
```

> A quote.

### Section three

1. one
2. two

![A cat](https://img.example.com/cat.png) ![A dog](images/dog.png) [x](javascript:alert(1))

<https://youtu.be/abc>

---
""".replace("{long}", "x" * 120)


def everything(locale: str = "en") -> ArticlePage:
    html, toc = body(EVERYTHING)
    sample = whole_site()[ARTICLE]
    base = replace(frame(locale, "Everything", "/-/everything"), writer=sample.frame.writer)
    return ArticlePage(
        base,
        "Everything that an article may hold",
        html,
        (Link("Home", "/en/"), Link("Category", "/en/categories/publishing")),
        "Ana",
        "updated today",
        "draft",
        toc=toc,
        previous=Link("Before", "/en/"),
        next=Link("After", "/en/"),
        translations=(Link("Tout", "/fr/", "Français"),),
        description="What readers see under the title.",
        nav=sample.nav,
    )


def open_kind(open_page, site, url, **options):
    site.pages["/-/everything"] = everything()
    return open_page(url, **options)


# --- for everybody -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", one_of("light", "dark"))
@pytest.mark.parametrize("url", KINDS)
def test_axe_finds_nothing_serious_on_any_page(open_page, site, url, scheme):
    page = open_kind(open_page, site, url, color_scheme=scheme)
    expect(page.locator("main h1").first).to_be_visible()
    tabs = ["page", "findings", "translations", "portal"] if page.locator("#kb-tab-portal").count() else [""]
    for tab in tabs:
        if tab:
            page.click(f"#kb-tab-{tab}")
        assert serious(page) == []
    if tabs != [""]:
        page.click("[data-writer-close]")
        assert serious(page) == []
    if url in {"/en/", ARTICLE}:
        page.fill("#kb-query", "push")
        expect(page.locator("#kb-found mark").first).to_be_visible()
        assert serious(page) == []


@pytest.mark.parametrize("url", ["/en/", ARTICLE, "/-/everything"])
def test_axe_finds_nothing_serious_on_a_phone_with_the_layer_and_the_search_open(open_page, site, url):
    page = open_kind(open_page, site, url, viewport=PHONE)
    if page.locator("#kb-writer").count():
        page.click("#kb-writer-switch")
    assert serious(page) == []
    page.fill("#kb-query", "push")
    expect(page.locator("#kb-found a").first).to_be_visible()
    assert serious(page) == []
    page.fill("#kb-query", "zzzzzz")
    expect(page.locator("#kb-said")).to_contain_text("Nothing found for")
    assert serious(page) == []


@pytest.mark.parametrize("writer", one_of("on", "off"))
@pytest.mark.parametrize("url", KINDS)
def test_nothing_is_wider_than_a_phone(open_page, site, url, writer):
    page = open_kind(open_page, site, url, viewport=PHONE)
    page.evaluate(f"localStorage.setItem('kbsync-writer', '{writer}')")
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    wide = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        # These scroll by themselves: the filters of a list, too.
        " && !e.closest('pre, table, .filter .choices')).map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []


def test_a_wide_table_scrolls_in_its_own_box_and_can_be_reached_by_keyboard(open_page, site):
    page = open_kind(open_page, site, "/-/everything", viewport=PHONE)
    # From 4.16 on it is in a box of the portal's own.
    box = page.locator("article .tableWrapper")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    assert box.get_attribute("tabindex") == "0"
    assert open_page(ARTICLE).locator("article pre").first.get_attribute("tabindex") is None


LONG_TABLE = "| Name | What it does |\n| --- | --- |\n" + "".join(
    f"| `a_setting_with_a_long_name_{n}` | It does this, and it does that, and then the other thing. |\n"
    for n in range(60)
)


@pytest.mark.parametrize("version", KNOWN)
@pytest.mark.parametrize(("width", "height"), [(320, 640), (360, 740), (844, 390)])
def test_on_a_phone_a_long_table_scrolls_with_the_page_and_ends_with_its_last_line(
    open_page, site, width, height, version
):
    site.pages["/-/table"] = ArticlePage(frame("en", "Table", "/-/table"), "Table", render_html(LONG_TABLE, version))
    page = open_page("/-/table", viewport={"width": width, "height": height})
    box = page.locator("article > *").first
    assert box.evaluate("box => box.scrollHeight - box.clientHeight") == 0
    last = page.locator("article tr").last.bounding_box()
    assert last["y"] + last["height"] <= box.bounding_box()["y"] + box.bounding_box()["height"]
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_code_can_be_copied_and_says_when_it_goes_on(open_page, site):
    page = open_kind(open_page, site, "/-/everything", viewport=PHONE, permissions=CLIPBOARD)
    block = page.locator(".code")
    assert block.locator("pre").evaluate("box => box.scrollWidth > box.clientWidth && box.tabIndex === 0")
    expect(block.locator(".code-name")).to_have_text("Shell")
    block.locator(".copy").click()
    expect(block.locator(".copy")).to_have_attribute("aria-label", "Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("kbsync plan --config kbsync.toml")


def test_the_pages_around_are_beside_the_text_or_behind_a_line_that_opens_without_scripts_too(open_page):
    wide = open_page(ARTICLE, java_script_enabled=False)
    here = wide.locator(".places [aria-current]")
    boxes = here, wide.locator("article"), wide.locator(".toc a").first
    left, middle, right = (box.bounding_box()["x"] for box in boxes)
    assert left < middle < right
    for page in (open_page(ARTICLE, java_script_enabled=False, viewport=PHONE), open_page(ARTICLE, viewport=PHONE)):
        here = page.locator(".places [aria-current]")
        expect(here).to_be_hidden()
        page.locator(".places summary").click()
        expect(here).to_be_visible()
    page.keyboard.press("Escape")
    expect(here).to_be_hidden()
    expect(page.locator(".places summary")).to_be_focused()


@pytest.mark.parametrize("width", [1180, 1280, 1366, 1920])
def test_the_contents_are_beside_the_text_and_the_panel_beside_both_and_the_pages_around_stay(open_page, width):
    page = open_page(ARTICLE, viewport={"width": width, "height": 800})
    around = [".places [aria-current]"] if width >= 1280 else []
    boxes = [page.locator(name).bounding_box() for name in (*around, "article", ".toc", "#kb-writer")]
    assert all(left["x"] + left["width"] <= right["x"] for left, right in pairwise(boxes))
    assert boxes[-1]["x"] + boxes[-1]["width"] == width
    assert page.locator("article").bounding_box()["width"] >= 448
    assert page.locator(".toc a").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_bar_and_text_begin_and_end_at_the_same_edges_and_the_bar_is_opaque(open_page):
    off = "localStorage.setItem('kbsync-writer', 'off')"
    page = open_page(ARTICLE, script=off, viewport={"width": 1440, "height": 900})
    edges = page.evaluate(
        "['.badge', '.places-head a', '.toc', '#kb-writer-switch'].map(s => document.querySelector(s).getBoundingClientRect())"
        ".map(box => [Math.round(box.left), Math.round(box.right)])"
    )
    assert edges[0][0] == edges[1][0]
    assert edges[2][1] == edges[3][1]
    assert "/" not in page.locator(".top").evaluate("bar => getComputedStyle(bar).backgroundColor")


def test_the_search_of_a_home_page_is_below_its_heading(open_page):
    page = open_page("/en/")
    heading, box = page.locator("h1").bounding_box(), page.locator("#kb-query").bounding_box()
    assert box["y"] >= heading["y"] + heading["height"]
    assert box["y"] + box["height"] <= page.locator(".card").first.bounding_box()["y"]
    assert len({round(card.bounding_box()["height"]) for card in page.locator(".card").all()}) == 1


def test_the_keyboard_goes_from_the_skip_link_through_the_bar_to_the_text_and_the_layer(open_page):
    page = open_page(ARTICLE)
    order = []
    for _ in range(8):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.className || document.activeElement.id"))
    assert order[:1] == ["skip"]
    assert order[1:6] == ["name", "kb-query", "", "tool", "tool"]
    places = page.evaluate(
        "['.skip', '.top', 'main', '.foot', '#kb-writer'].map(s => document.querySelector(s))"
        ".every((e, i, all) => !i || all[i - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)"
    )
    assert places


def test_the_skip_link_leads_to_the_text(open_page):
    page = open_page(ARTICLE)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "kb-main"


def test_a_right_to_left_page_is_mirrored(open_page, site):
    site.pages["/ar/x"] = replace(everything("ar"), frame=replace(everything("ar").frame, locale="ar"))
    page = open_page("/ar/x")
    names = ".name", ".search", "article", "#kb-writer", "#kb-scheme"
    box = {name: page.locator(name).first.bounding_box() for name in names}
    assert box[".name"]["x"] > box[".search"]["x"] > box["#kb-scheme"]["x"]
    assert box["#kb-writer"]["x"] == 0
    assert box["article"]["x"] > box["#kb-writer"]["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_on_paper_there_is_only_the_article(open_page):
    page = open_page(ARTICLE)
    page.emulate_media(media="print")
    for name in (".top", ".foot", "#kb-writer", ".toc", ".turn"):
        expect(page.locator(name)).to_be_hidden()
    expect(page.locator("article")).to_be_visible()
    room = "['body', '.page'].map(name => getComputedStyle(document.querySelector(name)).paddingInlineEnd)"
    assert page.evaluate(room) == ["0px", "0px"], "paper keeps room for the panel"


def test_a_home_page_loses_no_card_on_paper_and_its_cards_are_even(open_page, site):
    home = site.pages["/en/"]
    long = replace(home.sections[0], articles=(Link("A title that goes on " * 9, "/en/"),))
    none = replace(home.sections[1], description="", articles=())
    site.pages["/-/cards"] = replace(home, sections=(long, none, *home.sections[2:]))
    page = open_page("/-/cards")
    tops = "es => es.slice(0, 3).map((e) => Math.round(e.getBoundingClientRect().bottom))"
    assert len(set(page.eval_on_selector_all(".card .count", tops))) == 1
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 640, "height": 900})
    right = "es => Math.max(...es.map((e) => e.getBoundingClientRect().right))"
    assert page.eval_on_selector_all(".card", right) <= 640


def test_the_page_itself_is_in_view_in_a_long_list_of_pages_around(open_page, site):
    sample = site.pages[ARTICLE]
    links = tuple(Link(f"Article {n}", f"/en/articles/{n}", mark="current" if n == 80 else "") for n in range(90))
    site.pages["/-/long"] = replace(sample, nav=replace(sample.nav, links=links))
    page = open_page("/-/long", viewport={"width": 1600, "height": 800})
    expect(page.locator("#kb-places [aria-current]")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(PHONE)
    page.locator("#kb-places summary").click()
    expect(page.locator("#kb-places [aria-current]")).to_be_in_viewport(ratio=1)


# --- light and dark ------------------------------------------------------------------------------------------------------

COLOUR = "getComputedStyle(document.body).backgroundColor"


def test_the_scheme_follows_the_system_until_a_reader_chooses_and_then_is_remembered_without_a_flash(open_page):
    page = open_page("/en/", color_scheme="dark")
    dark = page.evaluate(COLOUR)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(COLOUR)
    assert dark != light
    page.click("#kb-scheme")
    assert page.evaluate(COLOUR) == dark
    page.add_init_script(
        "new MutationObserver((_, o) => { if (document.body) { window.first = document.documentElement.dataset.scheme;"
        " o.disconnect(); } }).observe(document, { childList: true, subtree: true })"
    )
    page.goto(page.url.replace("/en/", ARTICLE))
    assert page.evaluate("window.first") == "dark"
    assert page.evaluate(COLOUR) == dark


def test_in_the_dark_an_image_has_no_ground_but_the_page(open_page, site):
    svg = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='40' height='40'/%3E"
    html = f'<p><img src="{svg}" alt="" /></p>'
    site.pages["/-/clear"] = ArticlePage(frame("en", "Clear", "/-/clear"), "Clear", html)
    page = open_page("/-/clear", color_scheme="dark")
    image = page.locator("article img")
    assert image.evaluate("async image => { await image.decode(); return image.naturalWidth; }") == 40
    assert image.evaluate("image => getComputedStyle(image).backgroundColor") == "rgba(0, 0, 0, 0)"
    shown = [base64.b64encode(image.screenshot()).decode()]
    shown += [base64.b64encode(path.read_bytes()).decode() for path in sorted((CONTENT / "images").glob("*.png"))]
    corners = page.evaluate(
        """async images => Promise.all(images.map(async text => {
            const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
            const canvas = new OffscreenCanvas(9, 9).getContext('2d');
            canvas.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0);
            return [...canvas.getImageData(4, 4, 1, 1).data]; }))""",
        shown,
    )
    assert corners[0] == [18, 21, 26, 255]
    assert {tuple(corner) for corner in corners[1:]} == {(0, 0, 0, 0)}, "a diagram of the handbook is a white slab"


# --- the contents --------------------------------------------------------------------------------------------------------


def test_the_contents_follow_the_reader(open_page):
    page = open_page(ARTICLE)
    current = page.locator(".toc [aria-current]")
    expect(current).to_have_text("1. Make the folder")
    page.locator("[id='5-push']").evaluate("heading => heading.scrollIntoView({ behavior: 'instant' })")
    expect(current).to_have_text("5. Push")
    page.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    expect(current).to_have_text("With the documented profile")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_heading_that_is_gone_to_is_below_the_bars_and_is_the_one_that_the_contents_mark(open_page, width):
    page = open_page(ARTICLE, viewport={"width": width, "height": 800})
    page.evaluate("location.hash = '#5-push'")
    expect(page.locator(".toc [aria-current]")).to_have_text("5. Push")
    page.reload()  # The browser goes there at once, without gliding.
    expect(page.locator(".toc [aria-current]")).to_have_text("5. Push")
    assert page.evaluate(
        "document.getElementById('5-push').getBoundingClientRect().top >= Math.max(...[...document"
        ".querySelectorAll('.top, .places summary')].map(bar => bar.getBoundingClientRect().bottom))"
    )


def test_the_contents_begin_closed_on_a_phone_and_stay_as_the_reader_wants_them(open_page, site):
    page = open_page(ARTICLE, viewport=PHONE)
    contents = page.locator(".toc")
    expect(contents).not_to_have_attribute("open", "")
    contents.locator("summary").click()
    site.show(ARTICLE, replace(site.pages[ARTICLE], title="Another title"))
    expect(page.locator("h1")).to_have_text("Another title")
    expect(contents).to_have_attribute("open", "")


# --- languages -----------------------------------------------------------------------------------------------------------


def test_the_switch_of_languages_keeps_the_article(open_page):
    page = open_page(ARTICLE)
    page.click("#kb-locales summary")
    page.click("#kb-locales a[href='/fr/articles/premier-push']")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator("h1").first).to_have_text("Votre premier push")


def test_the_menu_of_languages_closes_with_escape_and_with_a_click_elsewhere(open_page):
    page = open_page(ARTICLE)
    menu = page.locator("#kb-locales")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    menu.locator("summary").click()
    page.locator("h1").click()
    expect(menu).not_to_have_attribute("open", "")


# --- the writer's layer --------------------------------------------------------------------------------------------------


def calm(page):
    """The page without problems."""
    writer = replace(page.frame.writer, findings=(), hidden=())
    return replace(page, frame=replace(page.frame, writer=writer))


def test_the_layer_opens_by_itself_only_for_problems_and_only_until_a_person_has_chosen(open_page, site):
    site.pages["/-/calm"] = calm(site.pages[ARTICLE])
    page = open_page("/-/calm", script="localStorage.setItem('kbsync-tab', 'portal')")
    layer = page.locator("#kb-writer")
    for _ in range(2):
        expect(layer).to_be_hidden()
        expect(page.locator("#kb-writer-switch")).to_have_attribute("aria-pressed", "false")
        page.goto(site.url + ARTICLE)
        expect(layer).to_be_visible()
        expect(page.locator("#kb-panel-findings")).to_be_visible()
        page.goto(f"{site.url}/-/calm")
    page.keyboard.press("w")
    expect(layer).to_be_visible()
    page.reload()
    expect(layer).to_be_visible()
    page.keyboard.press("w")
    page.goto(site.url + ARTICLE)
    expect(layer).to_be_hidden()


def test_where_it_would_cover_the_text_the_layer_does_not_open_by_itself(open_page):
    page = open_page(ARTICLE, viewport={"width": 1100, "height": 800})
    expect(page.locator("#kb-writer")).to_be_hidden()
    expect(page.locator("#kb-writer-switch")).to_have_attribute("data-level", "error")


def test_a_problem_that_is_led_to_opens_the_layer_on_that_page_alone(open_page, site):
    site.pages["/-/calm"] = calm(site.pages[ARTICLE])
    page = open_page(f"{ARTICLE}#at-24-17", viewport={"width": 1100, "height": 800})
    expect(page.locator("#kb-panel-findings")).to_be_visible()
    page.goto(f"{site.url}/-/calm")
    expect(page.locator("#kb-writer")).to_be_hidden()


@pytest.mark.parametrize("width", [700, 1180, 1280, 1920])
def test_the_difference_to_the_portal_has_the_page_to_itself_beside_the_pages_around(open_page, width):
    page = open_page(ARTICLE, viewport={"width": width, "height": 800})
    if width < 1180:
        page.click("#kb-writer-switch")
    page.click("#kb-tab-portal")
    panel = page.locator("#kb-writer").bounding_box()
    around = page.locator(".places [aria-current]")
    if width >= 1280:
        assert around.is_visible()
        assert around.bounding_box()["x"] + around.bounding_box()["width"] <= panel["x"]
        assert panel["x"] <= page.locator("article").bounding_box()["x"]
    else:
        assert panel["x"] == 0
    assert panel["x"] + panel["width"] == width
    here = page.locator("#kb-panel-portal")
    expect(here.get_by_role("link", name="Open the file")).to_have_attribute("href", re.compile("vscode://file/"))
    here.get_by_role("button", name="Show the page").click()
    expect(page.locator("#kb-writer")).to_be_hidden()
    page.reload()
    expect(page.locator("#kb-writer")).to_be_visible()


def test_the_commands_that_decide_have_buttons_that_copy_them(open_page):
    page = open_page(ARTICLE, permissions=CLIPBOARD)
    page.click("#kb-tab-portal")
    buttons = page.locator("#kb-panel-portal .commands button")
    expect(buttons).to_have_text(["Copy"] * 3)
    buttons.nth(1).click()
    expect(buttons.nth(1)).to_have_attribute("aria-label", "Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "kbsync resolve en/getting-started/first-push.md --theirs"


def test_the_layer_goes_and_comes_with_its_key_and_its_button_and_is_remembered(open_page):
    page = open_page(ARTICLE)
    layer = page.locator("#kb-writer")
    expect(layer).to_be_visible()
    page.keyboard.press("w")
    expect(layer).to_be_hidden()
    page.reload()
    expect(layer).to_be_hidden()
    page.click("#kb-writer-switch")
    expect(layer).to_be_visible()
    expect(page.locator("#kb-writer-switch")).to_have_attribute("aria-pressed", "true")
    layer.get_by_role("button", name="Hide the writer panel").click()
    expect(layer).to_be_hidden()


def test_the_key_of_the_layer_takes_the_focus_there_and_back(open_page):
    page = open_page(ARTICLE)
    page.locator("#kb-scheme").focus()
    page.keyboard.press("w")
    page.keyboard.press("w")
    expect(page.locator("#kb-tab-findings")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#kb-scheme")).to_be_focused()
    page.keyboard.press("w")
    page.keyboard.press("w")
    expect(page.locator("#kb-scheme")).to_be_focused()


def test_the_key_of_the_layer_types_a_letter_in_the_search_box(open_page):
    page = open_page(ARTICLE)
    page.click("#kb-query")
    page.keyboard.press("w")
    expect(page.locator("#kb-query")).to_have_value("w")
    expect(page.locator("#kb-writer")).to_be_visible()


def test_the_layer_covers_no_text_on_a_wide_screen_and_is_a_drawer_on_a_phone(open_page):
    wide = open_page(ARTICLE)
    text, layer = wide.locator("article").bounding_box(), wide.locator("#kb-writer").bounding_box()
    assert text["x"] + text["width"] <= layer["x"]
    phone = open_page(ARTICLE, viewport=PHONE)
    expect(phone.locator("#kb-writer")).to_be_hidden()
    phone.click("#kb-writer-switch")
    drawer = phone.locator("#kb-writer").bounding_box()
    assert drawer["width"] == PHONE["width"]
    assert drawer["y"] + drawer["height"] == PHONE["height"]


def test_the_tabs_are_turned_with_the_arrow_keys_and_the_last_one_is_remembered(open_page):
    page = open_page(ARTICLE)
    page.click("#kb-tab-page")
    for name in ("findings", "translations", "portal", "page", "findings"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"#kb-tab-{name}")).to_be_focused()
        expect(page.locator(f"#kb-tab-{name}")).to_have_attribute("aria-selected", "true")
        expect(page.locator("[role=tabpanel]:visible")).to_have_id(f"kb-panel-{name}")
    page.goto(page.url.replace(ARTICLE, "/en/articles/slugs"))
    expect(page.locator("#kb-panel-findings")).to_be_visible()


def test_a_page_without_a_file_has_counts_that_lead_to_lists_and_no_panel(open_page):
    page = open_page("/en/")
    expect(page.locator("#kb-writer, #kb-writer-switch:visible")).to_have_count(0)
    assert page.evaluate("getComputedStyle(document.body).paddingInlineEnd") == "0px"
    page.locator(".counts a", has_text="1 error").click()
    expect(page.locator(".findings-of .finding").first).to_be_visible()
    without_page = page.locator(".findings-of h2 a[href^='vscode://file/']")
    expect(without_page).to_have_text("en/writing/links.markdown")


def test_only_what_readers_will_not_see_can_be_listed(open_page):
    page = open_page(ARTICLE)
    page.click("#kb-tab-findings")
    expect(page.locator("#kb-panel-findings .finding:visible")).to_have_count(3)
    page.check("[data-only-hidden]")
    expect(page.locator("#kb-panel-findings .finding:visible")).to_have_count(1)


def test_the_public_address_can_be_copied(open_page):
    page = open_page(ARTICLE, permissions=CLIPBOARD)
    page.click("#kb-tab-page")
    page.click("#kb-panel-page [data-copy]")
    expect(page.locator("#kb-panel-page [data-copy]")).to_have_attribute("aria-label", "Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "https://support.example.com/hc/handbook/articles/first-push"


# --- harm ----------------------------------------------------------------------------------------------------------------

HOSTILE = """
[one](javascript:document.title='x') <script>document.title = 'x'</script> <img src=x onerror="document.title='x'">

~~~"><script>document.title='x'</script>
code
~~~

[two](<https://youtu.be/x"onload="document.title='x'>)

![three](javascript:document.title='x') ![four](https://img.example.com/x.png "a \\" onerror=document.title='x'")

## <b onclick=x>five</b> `"><script>` constructor

<https://youtu.be/abc>
"""


def test_a_hostile_article_runs_no_script_and_asks_no_other_host(open_page, site):
    html, toc = body(HOSTILE)
    site.pages["/-/hostile"] = ArticlePage(frame("en", "Safe", "/-/hostile"), "Safe", html, toc=toc)
    page = open_page("/-/hostile")
    for box in page.locator(".defused").all():
        box.click()
    assert page.title() == "Safe | Handbook"
    assert page.locator("article script, article iframe, article [onerror], article [onload]").count() == 0
    assert page.locator(".blocked.player").count() == 2


def test_one_switch_asks_for_images_and_players_of_other_hosts_and_one_takes_that_back(open_page, site):
    page = open_kind(open_page, site, "/-/everything")
    expect(page.locator("[data-media-on]")).to_be_hidden()
    with page.expect_navigation():
        page.locator(".blocked.player button").click()
    assert [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "kbsync_media"] == ["1"]
    with page.expect_navigation():
        page.locator("[data-media-on] button").click()
    assert [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "kbsync_media"] == ["0"]


def test_in_a_folder_of_files_the_switch_is_not_there_and_the_link_beside_it_is(open_page, site):
    site.pages["/-/static"] = replace(everything(), frame=replace(everything().frame, live_url=""))
    page = open_page("/-/static")
    expect(page.locator(".blocked.player button")).to_be_hidden()
    expect(page.locator(".blocked.player a")).to_be_visible()


def test_a_home_page_of_ten_thousand_articles_stays_small(open_page, site):
    home = site.pages["/en/"]
    many = tuple(Link(f"Article {n}", f"/en/articles/{n}") for n in range(10_000))
    site.pages["/-/many"] = HomePage(home.frame, "Many", tuple(replace(s, articles=many) for s in home.sections))
    page = open_page("/-/many")
    assert page.locator(".card").first.locator("li").count() == 4
    expect(page.locator(".card .count").first).to_have_text("10,000 articles")


def test_a_waiting_image_stands_in_the_line_and_covers_nothing(open_page, site):
    html, _ = body("Before ![x](https://img.example.com/x.png) behind.")
    site.pages["/-/line"] = ArticlePage(frame("en", "Line", "/-/line"), "Line", html)
    page = open_page("/-/line")
    box = page.locator(".blocked.picture").bounding_box()
    behind = page.evaluate(
        "() => { const r = document.createRange(); r.selectNodeContents(document.querySelector('article p').lastChild);"
        " return r.getBoundingClientRect().left; }"
    )
    assert behind >= box["x"] + box["width"]


def test_a_page_without_a_layer_keeps_no_room_for_one(open_page, site):
    bare = replace(site.pages[ARTICLE].frame, writer=None, live_url="")
    site.pages["/-/bare"] = replace(site.pages[ARTICLE], frame=bare)
    page = open_page("/-/bare")
    assert page.evaluate("getComputedStyle(document.body).paddingInlineEnd") == "0px"
