"""An open page that follows its file: what changes in it, and what does not."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect
from site_sample import body, frame, whole_site

from kbsync.site.pages import ArticlePage, Link
from kbsync.site.writer_panel import Broken, WriterFinding
from patience import eventually

pytestmark = [pytest.mark.browser, pytest.mark.slow]

URL = "/en/articles/live"
KEEP_MARKS = """() => { window.marks = []; new MutationObserver(list => { for (const m of list)
    if (m.target.classList.contains('changed')) window.marks.push(m.target.textContent); })
    .observe(document.getElementById('live'), { subtree: true, attributeFilter: ['class'] }); }"""
"""JavaScript that keeps the text of all that is ever marked as changed."""

PARAGRAPHS = [f"Paragraph {number}. {'Some words that fill the line. ' * 8}  \nEnd." for number in range(40)]
"""The last line has room in any font: one word more makes none of them higher."""

PLACE = """number => [...document.querySelectorAll('article p')]
    .find(p => p.textContent.startsWith(`Paragraph ${number}.`)).getBoundingClientRect().top"""
"""JavaScript for how far below the top of the window a paragraph begins."""


def article(markdown: str, **changes) -> ArticlePage:
    html, toc = body(markdown)
    base = replace(frame("en", "Live", URL), writer=whole_site()["/en/articles/first-push"].frame.writer)
    return replace(ArticlePage(base, "Live", html, toc=toc), **changes)


def text(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


@pytest.fixture
def live(open_page, site):
    """Opens the page with a text; gives the page, and how to save another text."""

    def opened(markdown, **options):
        site.pages[URL] = article(markdown)
        page = open_page(URL, **options)
        wait_for_streams(site, 1)
        page.evaluate("window.loaded = 'once'")

        return page, lambda markdown, **changes: site.show(URL, article(markdown, **changes))

    return opened


def go_to(page, number):
    """Scroll as a reader does. The page hears of it when it is drawn: before, it follows what is saved elsewhere."""
    page.evaluate(f"document.querySelectorAll('article p')[{number}].scrollIntoView({{ behavior: 'instant' }})")
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def wait_for_streams(site, count):
    eventually(lambda: len(site.streams) == count, f"{count} streams are open")


def test_a_save_shows_up_without_loading_the_page_again(live):
    page, save = live("Before.")
    save("After.")
    expect(page.locator("article p")).to_have_text("After.")
    assert page.evaluate("window.loaded") == "once"


def test_what_did_not_change_stays_the_same_element(live):
    page, save = live(text("One.", "Two.", "Three.", "- a\n- b"))
    page.evaluate("window.kept = [...document.querySelectorAll('article > *')].map(e => e)")
    save(text("One.", "New.", "Two, changed.", "Three.", "- a\n- b\n- c"))
    expect(page.locator("article li")).to_have_count(3)
    kept = page.evaluate("window.kept.map(e => e.isConnected ? e.textContent.trim().replace(/\\s+/g, ' ') : 'gone')")
    assert kept[0] == "One."
    assert kept[2] == "Three."
    assert kept[3] == "a b c"


def test_many_different_edits_end_in_the_page_that_a_fresh_load_shows(live, site):
    page, save = live("Start.")
    pieces = ["# A", "## B\n\ntext", "One.", "Two.", "- a\n- b", "1. x\n2. y", "```js\ncode\n```", "> quote", "---"]
    pieces += ["| a |\n|---|\n| 1 |", "![p](https://x.example/p.png)", "[l](/en/)", "`c` **d** *e*"]
    pieces += ["<https://youtu.be/abc>", "Deep ^up^ text"]
    whole = list(range(15))
    orders = [[3, 1, 2], [2, 3], [0, 5, 9, 1], whole, whole[::-1], [1, 1, 2, 2], [14, 0, 7, 3, 7], [], [4, 6, 8]]
    for number, order in enumerate(orders):
        save(text(*(pieces[place] for place in order)), title=f"Title {number}")
        expect(page.locator("main h1").first).to_have_text(f"Title {number}")
        html = page.evaluate("document.querySelector('article').innerHTML.replace(/ class=\"changed\"/g, '')")
        fresh = page.evaluate(
            "async () => { const html = await (await fetch(location.href)).text();"
            " return new DOMParser().parseFromString(html, 'text/html').querySelector('article').innerHTML; }"
        )
        assert html.replace(' tabindex="0" data-keeps="tabindex"', "") == fresh


def test_what_the_reader_looks_at_stays_where_it_is_when_something_above_grows_or_goes(live):
    page, save = live(text(*PARAGRAPHS))
    go_to(page, 20)
    before = page.evaluate(PLACE, 20)
    grown = ["New. " * 300, *PARAGRAPHS]
    save(text(*grown))
    expect(page.locator("article p").first).to_contain_text("New.")
    assert abs(page.evaluate(PLACE, 20) - before) <= 1
    save(text(*PARAGRAPHS[10:]))
    expect(page.locator("article p")).to_have_count(30)
    assert abs(page.evaluate(PLACE, 20) - before) <= 1
    # What a browser does for itself to keep a place, it does when it draws.
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert abs(page.evaluate(PLACE, 20) - before) <= 1


def test_at_the_top_the_page_stays_at_the_top(live):
    page, save = live(text(*PARAGRAPHS))
    save(text("New. " * 300, *PARAGRAPHS))
    expect(page.locator("article p").first).to_contain_text("New.")
    assert page.evaluate("scrollY") == 0


MEASURE_SHIFTS = """() => { window.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: 'layout-shift' }); }"""
"""JavaScript that adds up how far the page jumps under the reader's eyes."""

PAST_TWO_FRAMES = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))"


def changed(*places: int) -> str:
    return text(*(f"{old} Changed." if number in places else old for number, old in enumerate(PARAGRAPHS)))


def test_a_change_out_of_sight_is_scrolled_to_and_nothing_jumps(live):
    page, save = live(text(*PARAGRAPHS))
    page.evaluate(MEASURE_SHIFTS)
    save(changed(30))
    expect(page.locator("article p").nth(30)).to_be_in_viewport(ratio=1)
    save(changed(2, 30))
    expect(page.locator("article p").nth(2)).to_be_in_viewport(ratio=1)
    page.evaluate(PAST_TWO_FRAMES)
    assert page.evaluate("window.shift") == 0
    expect(page.locator("#kb-pill")).to_have_count(0)


def test_whoever_reads_elsewhere_stays_there_and_is_shown_the_way(live):
    page, save = live(text(*PARAGRAPHS))
    go_to(page, 10)
    page.evaluate(PAST_TWO_FRAMES)
    before = page.evaluate(PLACE, 10)
    save(changed(0))
    expect(page.locator("#kb-pill")).to_have_text("Changed above")
    save(changed(0, 30))
    pill = page.locator("#kb-pill")
    expect(pill).to_have_text("Changed below")
    assert abs(page.evaluate(PLACE, 10) - before) <= 1
    pill.focus()
    page.keyboard.press("Enter")
    expect(page.locator("article p").nth(30)).to_be_in_viewport(ratio=1)
    expect(pill).to_have_count(0)
    # In the editor again, the writer wants to see what they write.
    go_to(page, 10)
    page.evaluate(PAST_TWO_FRAMES)
    page.evaluate("dispatchEvent(new Event('blur'))")
    save(changed(0, 30, 35))
    expect(page.locator("article p").nth(35)).to_be_in_viewport(ratio=1)


def test_of_a_long_text_the_words_that_changed_are_scrolled_to(live):
    lines = [f"line {number}" for number in range(200)]
    page, save = live("```\n" + "\n".join(lines) + "\n```")
    lines[150] = "line 150 is other"
    save("```\n" + "\n".join(lines) + "\n```")
    expect(page.locator("article pre")).to_contain_text("150 is other")
    page.wait_for_function("() => scrollY > 2000")


def test_a_selection_and_the_focus_live_on(live):
    page, save = live("Hello wide world, [a link](/en/) and more.")
    select = """() => { const t = document.querySelector('article p').firstChild;
        getSelection().setBaseAndExtent(t, 6, t, 10); }"""
    page.evaluate(select)
    page.focus("article p a")
    page.evaluate(select)
    save("Well, hello wide world, [a link](/en/) and much more.")
    expect(page.locator("article p")).to_contain_text("much")
    assert page.evaluate("getSelection().toString()") == "wide"
    assert page.evaluate("document.activeElement.textContent") == "a link"


def test_what_is_typed_into_the_search_box_stays_there(live):
    page, save = live("Before.")
    page.fill("#kb-query", "push")
    expect(page.locator("#kb-found a").first).to_be_visible()
    save("After.")
    expect(page.locator("article p")).to_have_text("After.")
    expect(page.locator("#kb-query")).to_have_value("push")
    expect(page.locator("#kb-query")).to_be_focused()
    expect(page.locator("#kb-found a").first).to_be_visible()


def test_a_image_that_stays_is_not_loaded_again(live):
    page, save = live("![p](/p.png)\n\nBefore.")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    save("New first.\n\n![p](/p.png)\n\nAfter.")
    expect(page.locator("article p").last).to_have_text("After.")
    assert [url for url in asked if url.endswith(".png")] == []


def test_the_first_changed_spot_is_marked_for_a_moment(live):
    page, save = live(text("One.", "Two.", "Three."))
    page.evaluate(KEEP_MARKS)
    save(text("One.", "Two changed.", "Three changed."))
    expect(page.locator("article p").nth(1)).to_have_text("Two changed.")
    expect(page.locator(".changed")).to_have_count(0)
    assert page.evaluate("window.marks") == ["Two changed."]
    assert page.locator("article").inner_html().count("class") == 0


def test_opening_a_page_marks_nothing(open_page, site):
    site.pages[URL] = article(text("One.", "Two."))
    page = open_page(URL, script=f"document.addEventListener('readystatechange', {KEEP_MARKS}, {{ once: true }})")
    wait_for_streams(site, 1)
    site.show(URL, article(text("One.", "New.")))
    expect(page.locator("article p").nth(1)).to_have_text("New.")
    expect(page.locator(".changed")).to_have_count(0)
    assert page.evaluate("window.marks") == ["New."]


def test_where_motion_is_unwanted_the_mark_does_not_move(live):
    page, _ = live("One.", reduced_motion="reduce")
    page.evaluate("document.querySelector('.toc, h1').classList.add('changed')")
    names = "e => [getComputedStyle(e).animationName, getComputedStyle(e).outlineStyle]"
    assert page.locator(".changed").evaluate(names) == ["none", "solid"]


def test_the_window_has_the_new_title_and_the_switch_the_new_languages(live, site):
    page, save = live("x")
    locales = (Link("English", URL, mark="current"), Link("Français", "/fr/articles/live"))
    save("x", title="Renamed", frame=replace(article("x").frame, title="Renamed | P", locales=locales))
    expect(page).to_have_title("Renamed | P")
    page.click("#kb-locales summary")
    expect(page.locator("#kb-locales a").last).to_have_attribute("href", "/fr/articles/live")
    expect(page.locator("#kb-locales .note")).to_have_count(0)


def test_the_layer_keeps_its_tab_and_its_scroll_while_its_findings_change(live):
    page, save = live("x")
    page.click("#kb-tab-findings")
    base = article("x")
    findings = tuple(WriterFinding("error", f"KB{n}", f"finding {n}", "", n) for n in range(60))
    writer = replace(base.frame.writer, findings=findings, hidden=())
    save("x", frame=replace(base.frame, writer=writer))
    expect(page.locator("#kb-panel-findings .finding")).to_have_count(60)
    page.evaluate("document.querySelector('#kb-panel-findings').scrollTop = 400")
    save("x", frame=replace(base.frame, writer=replace(writer, findings=findings[:50])))
    expect(page.locator("#kb-panel-findings .finding")).to_have_count(50)
    expect(page.locator("#kb-panel-findings")).to_be_visible()
    assert page.evaluate("document.querySelector('#kb-panel-findings').scrollTop") == 400
    expect(page.locator("#kb-writer-switch")).to_have_attribute("data-level", "error")
    save("x", frame=replace(base.frame, writer=replace(writer, findings=(), hidden=())))
    expect(page.locator("#kb-writer-switch")).to_have_attribute("data-level", "")


def test_the_layer_opens_when_a_problem_comes_and_does_not_close_under_the_hand_that_mends_it(open_page, site):
    frame_of = article("").frame
    calm = replace(frame_of, writer=replace(frame_of.writer, findings=(), hidden=()))
    site.pages[URL] = article("One.", frame=calm)
    page = open_page(URL)
    wait_for_streams(site, 1)
    layer = page.locator("#kb-writer")
    expect(layer).to_be_hidden()
    site.show(URL, article("Two."))
    expect(page.locator("#kb-panel-findings")).to_be_visible()
    site.show(URL, article("Three.", frame=calm))
    expect(page.locator("article p")).to_have_text("Three.")
    expect(layer).to_be_visible()
    page.click("#kb-tab-portal")
    page.get_by_role("button", name="Show the page").click()
    site.show(URL, article("Four."))
    expect(page.locator("article p")).to_have_text("Four.")
    expect(layer).to_be_hidden()


def test_a_broken_source_is_told_over_the_last_good_page_and_goes_when_it_is_mended(live):
    page, save = live("Good.")
    base = article("Good.").frame
    broken = Broken("en/live.md:3:1: no `title`", "en/live.md", "vscode://file/x:3:1")
    save("Good.", frame=replace(base, writer=replace(base.writer, broken=broken)))
    expect(page.locator(".broken")).to_contain_text("no title")
    expect(page.locator(".broken")).to_be_in_viewport(ratio=1)
    expect(page.locator(".broken a")).to_have_attribute("href", "vscode://file/x:3:1")
    expect(page.locator("article p")).to_have_text("Good.")
    save("Better.")
    expect(page.locator(".broken")).to_have_count(0)


def test_a_bar_that_comes_and_goes_marks_nothing_and_makes_no_text_anew(live):
    page, save = live(text("One.", "Two."))
    base = article("").frame
    calm = replace(base, writer=replace(base.writer, findings=()))
    broken = replace(base, writer=replace(base.writer, findings=(), broken=Broken("no `title`", "en/live.md", "")))
    page.evaluate(KEEP_MARKS)
    page.evaluate("window.text = document.querySelector('article')")
    save(text("One.", "New."), frame=calm)
    expect(page.locator("article p").nth(1)).to_have_text("New.")
    save(text("One.", "New."), frame=broken)
    expect(page.locator(".broken")).to_be_in_viewport(ratio=1)
    save(text("One.", "New."), frame=calm)
    expect(page.locator(".broken")).to_have_count(0)
    save(text("One.", "Newer."), frame=calm)
    expect(page.locator("article p").nth(1)).to_have_text("Newer.")
    assert set(page.evaluate("window.marks")) == {"New.", "Newer."}
    assert page.evaluate("window.text.isConnected")


def test_a_deleted_page_says_so_and_leads_home_and_comes_back_with_its_file(live, site):
    page, save = live("Here.")
    site.tell("gone")
    expect(page.locator(".gone")).to_contain_text("deleted")
    expect(page.locator(".gone")).to_be_in_viewport(ratio=1)
    expect(page.locator(".gone a")).to_have_attribute("href", page.url.replace(URL, "/en/"))
    save("Back.")
    expect(page.locator(".gone")).to_have_count(0)
    expect(page.locator("article p")).to_have_text("Back.")


def test_a_page_is_loaded_again_when_it_is_told_to(live, site):
    page, _ = live("x")
    with page.expect_navigation():
        site.tell("reload")
    assert page.evaluate("window.loaded") is None


def test_a_lost_server_is_told_quietly_and_what_happened_meanwhile_is_shown_after(live, site):
    page, _ = live("Before.")
    site.hang_up(taking=False)
    expect(page.locator("#kb-away")).to_have_text("Disconnected. Trying again …")
    site.pages[URL] = article("After.")
    site.taking = True
    expect(page.locator("article p")).to_have_text("After.")
    expect(page.locator("#kb-away")).to_have_count(0)


def test_a_page_that_was_cut_off_for_a_moment_catches_up(live, site):
    page, _ = live("Before.")
    site.pages[URL] = article("After.")
    site.hang_up(taking=True)
    expect(page.locator("article p")).to_have_text("After.")
    expect(page.locator("#kb-away")).to_have_count(0)


def test_screen_readers_hear_of_a_change_only_when_asked_for(live):
    page, save = live("One.")
    voice = page.locator("[aria-live=polite]")
    save("Two.")
    expect(page.locator("article p")).to_have_text("Two.")
    expect(voice).to_have_text("")
    page.click("#kb-tab-page")
    page.check("[data-announce]")
    save("Three.")
    expect(voice).to_have_text("Changed: Three.")


def test_several_pages_follow_at_once(live, open_page, site):
    page, save = live("Before.")
    other = open_page(URL)
    wait_for_streams(site, 2)
    save("After.")
    for tab in (page, other):
        expect(tab.locator("article p")).to_have_text("After.")


def test_an_image_that_cannot_be_shown_is_a_box_that_a_save_leaves_alone(live):
    broken = "![A chart](/-/files/wrong%zz.gif) ![None](data:image/png;base64,AAAA) ![A dog](/-/files/dog.png)"
    page, save = live(text(broken, "Before."))
    boxes = page.locator("article .absent")
    expect(boxes).to_have_text(
        [re.compile("Image cannot be shown A chart wrong%zz.gif"), re.compile("Image cannot be shown None")]
    )
    expect(page.locator("article img:visible")).to_have_count(1)
    page.evaluate(KEEP_MARKS)
    save(text(broken, "After."))
    expect(page.locator("article p").last).to_have_text("After.")
    expect(boxes).to_have_count(2)
    eventually(lambda: page.evaluate("window.marks.length") > 0, "the change is marked")
    assert set(page.evaluate("window.marks")) == {"After."}
    save(text("![A dog](/-/files/dog.png)", "After."))
    expect(boxes).to_have_count(0)
