"""The whole of it: files that change, and the page in a real browser that follows."""

from base64 import b64decode
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from browsing import serious
from preview.workshop import BILLING, CHARGES, FRENCH_HOME, HOME, REFUNDS, TREE, Running
from rings import one_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Visit = Callable[..., Page]

A_REFUND = str(TREE["en/billing/refunds.md"])
LONG = A_REFUND + "\n".join(f"\nParagraph {number}.\n" for number in range(200))

PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

HOSTILE = """---
title: <script>window.bad = 1</script><b>
description: "\\"><img src=x onerror='window.bad = 1'>"
---
<script>window.bad = 1</script>
<img src=x onerror="window.bad = 1">

[one](javascript:window.bad=1) [two](&#106;avascript:window.bad=1) [three](<java\tscript:window.bad=1>)
[four](data:text/html,<script>parent.bad=1</script>) <javascript:window.bad=1>

![p](x" onerror="window.bad=1)
![p](https://images.example.com/p.png)

```"><script>window.bad=1</script>
x
```

[v](https://www.youtube.com/watch?v=x"onload="window.bad=1)

https://www.youtube.com/watch?v=abc

# <img src=x onerror=window.bad=1>
"""


def stay(page: Page) -> None:
    """Leave a mark that only a navigation takes away."""
    page.evaluate("window.stayed = true")


def test_a_save_shows_in_the_open_page_without_navigation_and_without_losing_the_place(desk: Running, visit: Visit):
    desk.save("en/billing/refunds.md", LONG)
    page = visit(REFUNDS)
    stay(page)
    page.get_by_text("Paragraph 150.").scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    assert place > 1_000
    desk.save("en/billing/refunds.md", LONG.replace("Paragraph 151.", "Paragraph 151, mended."))
    expect(page.get_by_text("Paragraph 151, mended.")).to_be_visible()
    assert page.evaluate("window.stayed")
    assert abs(page.evaluate("scrollY") - place) <= 2


def test_the_focus_is_not_lost_with_what_a_save_takes_away(desk: Running, visit: Visit):
    page = visit(REFUNDS)
    for found, around in (("article p a", "#kb-main"), (".finding a", "#kb-panel-findings")):
        desk.save("en/billing/refunds.md", A_REFUND + "\n[Here](https://example.com/), ![not](none.png).\n")
        page.click("#kb-tab-findings")
        page.locator(found).last.focus()
        desk.save("en/billing/refunds.md", A_REFUND)
        expect(page.locator(found)).to_have_count(0)
        expect(page.locator(around)).to_be_focused()


def an_svg(height: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="{height}"><rect width="9" height="9"/></svg>'


def test_an_image_that_comes_above_the_reader_has_its_size_at_once_and_moves_nothing(desk: Running, visit: Visit):
    desk.save("en/billing/x.svg", an_svg(300))
    desk.save("en/billing/refunds.md", LONG)
    page = visit(REFUNDS)
    spot = page.get_by_text("Paragraph 150.")
    spot.scroll_into_view_if_needed()
    before = spot.bounding_box()
    # What is measured is the state after the change itself, before anything could come later.
    page.evaluate("""() => addEventListener("kbsync-page", () => queueMicrotask(() => {
        window.height = document.querySelector("article img").getBoundingClientRect().height;
    }))""")
    desk.save("en/billing/refunds.md", LONG.replace("Text.", "Text.\n\n![x](x.svg)"))
    expect(page.locator("article img")).to_be_attached()
    assert page.evaluate("window.height") == 300
    after = spot.bounding_box()
    assert abs(after["y"] - before["y"]) <= 2


def test_one_save_after_another_is_shown_while_a_new_image_does_not_come(desk: Running, visit: Visit):
    desk.save("en/billing/x.svg", an_svg(300))
    page = visit(REFUNDS)
    held: list[Route] = []
    page.route("**/-/files/**", lambda route: held.append(route))  # noqa: PLW0108  (it gets an attribute)
    page.evaluate("() => { window.shown = 0; addEventListener('kbsync-page', () => { window.shown += 1; }); }")
    for number in range(20):
        desk.save("en/billing/refunds.md", A_REFUND.replace("Text.", f"Save {number}.\n\n![x](x.svg)"))
        page.wait_for_timeout(120)
    # Each save comes before the image of the one before it was given up.
    assert page.evaluate("window.shown") > 2
    for route in held:
        route.continue_()
    page.unroute("**/-/files/**")


def test_an_image_that_is_saved_again_is_shown_until_the_new_one_is_there(desk: Running, visit: Visit):
    desk.save("en/billing/x.svg", an_svg(300))
    desk.save("en/billing/refunds.md", LONG.replace("Text.", "![x](x.svg)"))
    page = visit(REFUNDS)
    image = page.locator("article img")
    expect(image).to_be_visible()
    held: list[Route] = []
    page.route("**/-/files/**", lambda route: held.append(route))  # noqa: PLW0108  (it gets an attribute)
    before = str(image.get_attribute("src"))
    desk.save("en/billing/x.svg", an_svg(200))
    expect(image).not_to_have_attribute("src", before)
    assert image.bounding_box()["height"] == 300
    for route in held:
        route.continue_()
    page.unroute("**/-/files/**")
    page.wait_for_function("() => document.querySelector('article img').getBoundingClientRect().height === 200")


def test_a_number_that_comes_on_a_tab_of_the_panel_moves_no_other_tab(desk: Running, visit: Visit):
    page = visit(REFUNDS)
    page.keyboard.press("w")
    before = page.locator("#kb-tab-portal").bounding_box()
    assert before
    desk.save("en/billing/refunds.md", A_REFUND + "\n[x](none.md)\n")
    expect(page.locator("#kb-tab-findings .tally")).to_have_text("1")
    assert page.locator("#kb-tab-portal").bounding_box() == before


def test_findings_are_beside_the_article_and_lead_to_the_editor_and_to_what_explains_the_code(
    desk: Running, visit: Visit
):
    page = visit(REFUNDS)
    desk.save("en/billing/refunds.md", A_REFUND + "\n[x](none.md)\n")
    finding = page.locator(".finding", has_text="KB301")
    expect(finding).to_be_attached()
    place = (desk.content / "en/billing/refunds.md").resolve().as_posix()
    expect(finding.locator(".where a")).to_have_attribute("href", f"vscode://file{place}:11:5")
    code = finding.get_by_role("link", name="KB301", exact=True, include_hidden=True)
    expect(code).to_have_attribute("href", "/-/codes#kb-301")
    page.goto(page.url.partition("/en/")[0] + "/-/codes#kb-301")
    expect(page.locator("#kb-301")).to_have_text("KB301")
    expect(page.locator("#kb-301")).to_be_in_viewport()


def test_a_finding_leads_to_its_place_in_the_text_from_the_panel_and_from_the_list(desk: Running, visit: Visit):
    desk.save("en/billing/refunds.md", LONG + "\nSee [x](none.md).\n")
    page = visit(REFUNDS)
    page.locator("#kb-tab-findings").focus()
    page.keyboard.press("Enter")
    show = page.locator(".finding", has_text="KB301").get_by_role("button", name="Show on the page")
    show.press("Enter")
    expect(page.locator("article .dead")).to_be_in_viewport(ratio=1)
    page.goto(desk.address.rstrip("/") + HOME)
    page.locator(".counts a", has_text="warning").click()
    page.locator(".finding", has_text="KB301").get_by_role("link", name="Show on the page").click()
    expect(page.locator("article .dead")).to_be_in_viewport(ratio=1)
    expect(page.locator("#kb-panel-findings")).to_be_visible()


def test_the_page_of_a_renamed_file_goes_along_without_navigation(desk: Running, visit: Visit):
    page = visit(REFUNDS)
    stay(page)
    (desk.content / "en/billing/refunds.md").rename(desk.content / "en/billing/money-back.md")
    expect(page).to_have_url(f"{desk.address}en/articles/money-back")
    desk.save("en/billing/money-back.md", A_REFUND.replace("Text.", "Followed."))
    expect(page.get_by_text("Followed.")).to_be_visible()
    expect(page.locator(".gone")).to_have_count(0)
    assert page.evaluate("window.stayed")


def test_the_search_finds_what_was_just_written_with_the_keyboard_alone(desk: Running, visit: Visit):
    page = visit(HOME)
    desk.save("en/billing/invoices.md", "---\ntitle: Invoices\n---\nÄpfel und 日本語.\n")
    page.get_by_role("link", name="Invoices").first.wait_for()
    for words in ("apfel", "日本"):
        page.keyboard.press("/")
        page.keyboard.type(words)
        expect(page.get_by_role("option").first).to_contain_text("Invoices")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("apfel")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{desk.address}en/articles/invoices")


def test_a_hostile_article_runs_no_script_and_asks_nobody(desk: Running, visit: Visit):
    desk.save("en/billing/refunds.md", HOSTILE)
    page = visit(REFUNDS)
    # The page has loaded, and with it everything that could run: scripts, and images that fail.
    assert page.evaluate("window.bad") is None
    assert page.locator("article script, article [onerror], article [onload], article iframe").count() == 0
    hrefs = page.locator("a").evaluate_all("links => links.map(link => link.protocol)")
    assert set(hrefs) <= {"http:", "https:", "vscode:"}
    # The same by an event: it goes through another door.
    desk.save("en/billing/refunds.md", HOSTILE + "\nThe end.\n")
    expect(page.get_by_text("The end.")).to_be_attached()
    assert page.evaluate("window.bad") is None


def test_columns_and_images_have_the_widths_that_the_panel_wrote_and_follow_a_save(desk: Running, visit: Visit):
    sized = "---\ntitle: Refunds\n---\n<!--cw-colwidths:120,80-->\n| a | b |\n| --- | --- |\n| c | d |\n"
    desk.save("en/billing/refunds.md", sized)
    page = visit(REFUNDS)
    stay(page)
    table = page.locator("article table")
    expect(table).to_have_css("width", "200px")
    expect(table.locator("th").first).to_have_css("width", "120px")
    (desk.content / "en/billing/x.png").write_bytes(PIXEL)
    desk.save("en/billing/refunds.md", sized.replace("120", "140") + "\n![x](x.png?cw_image_width=60px)\n")
    expect(table).to_have_css("width", "220px")
    expect(page.locator("article img").last).to_have_css("width", "60px")
    assert page.evaluate("window.stayed")


def test_a_right_to_left_locale_reads_from_right_to_left(desk: Running, visit: Visit):
    (desk.content / "ar/billing").mkdir(parents=True)
    desk.save("ar/billing/refunds.md", "---\ntitle: المبالغ المستردة\n---\nنص.\n")
    # The file may be read only after the page was asked for; then the page follows.
    expect(visit("/ar/articles/refunds-ar").get_by_role("heading", name="المبالغ المستردة")).to_be_visible()
    page = visit("/ar/articles/refunds-ar")
    assert page.evaluate("getComputedStyle(document.body).direction") == "rtl"


@pytest.mark.parametrize("scheme", one_of("light", "dark"))
@pytest.mark.parametrize(
    "url", [HOME, BILLING, REFUNDS, FRENCH_HOME, "/en/articles/none", "/-/overview", "/-/findings", "/-/codes"]
)
def test_axe_finds_nothing_serious(visit: Visit, url: str, scheme: str):
    page = visit(url, color_scheme=scheme)
    assert serious(page) == []


@pytest.mark.parametrize("scheme", one_of("light", "dark"))
def test_axe_finds_nothing_serious_where_everything_is_marked(desk: Running, visit: Visit, scheme: str):
    marked = "[x](none.md) <b>y</b> ![z](none.png)\n\n<div>d</div>\n\n~~s~~\n"
    desk.save("en/billing/refunds.md", f"---\ntitle: ''\nstatus: published\n---\n{marked}")
    page = visit(REFUNDS, color_scheme=scheme)
    page.click("#kb-tab-findings")
    expect(page.locator(".dead, .absent")).to_have_count(2)
    for _ in ("open", "closed"):
        assert serious(page) == []
        page.keyboard.press("w")
    page.keyboard.press("w")
    expect(page.locator(".bar.errors")).to_be_visible()
    page.get_by_role("button", name="Show", exact=True).press("Enter")
    expect(page.locator("#kb-tab-findings")).to_be_focused()
    expect(page.locator(".bar.errors")).to_be_hidden()


@pytest.mark.parametrize("url", [HOME, BILLING, CHARGES, REFUNDS, "/-/overview"])
@pytest.mark.parametrize("width", one_of(320, 1280))
def test_a_word_longer_than_the_line_is_broken_wherever_it_stands(desk: Running, visit: Visit, url: str, width: int):
    word = "Benachrichtigungseinstellungen" * 3
    for name in ("refunds", "charges"):
        front = f"title: {word}\ndescription: {word}\nstatus: published\n"
        desk.save(f"en/billing/{name}.md", f"---\n{front}---\nText.\n")
    desk.save("en/billing/_category.md", f"---\nname: {word}\ndescription: {word}\n---\n")
    page = visit(url, viewport={"width": width, "height": 740})
    expect(page.locator("body")).to_contain_text(word)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
