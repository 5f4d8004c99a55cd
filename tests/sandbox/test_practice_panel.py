"""The panel to practice with: what its forms do, over HTTP, and who may use them."""

import base64
import html
import re
from urllib.parse import urlencode

import pytest

from kbsync.sandbox import V4_10, V4_16

from .asking import category, drafts, make, send, stamp
from .world import ADMIN, AGENT, OTHER, WITH_FOREIGN_PORTAL, a_sandbox

LIST = "/-/panel/portals/handbook/en"
FORM = "application/x-www-form-urlencoded"


def ask(sandbox, path, form=None, *, token=ADMIN, **headers):
    """One request as a browser sends it, signed in unless `token` is empty."""
    sent = {"authorization": "Basic " + base64.b64encode(f"panel:{token}".encode()).decode()} if token else {}
    body = None
    if form is not None:
        sent |= {"origin": sandbox.base_url, "content-type": FORM}
        body = urlencode({name: re.sub(r"\r\n?|\n", "\r\n", text) for name, text in form.items()})
    sent |= {name.replace("_", "-"): text for name, text in headers.items()}
    method = "GET" if form is None else "POST"
    return send(sandbox, method, path, body, {name: text for name, text in sent.items() if text})


def fields(page, *names):
    """Hidden fields of the first form that has them."""
    return {name: re.search(f'name="{name}" value="([^"]*)"', page.text)[1] for name in names}


def url_of(sandbox, slug):
    return f"/-/panel/articles/{sandbox.panel.article(slug).id}"


def press(sandbox, slug, do, **typed):
    """Open the form of an article, change what was typed, press a button."""
    url = url_of(sandbox, slug)
    return ask(sandbox, url, fields(ask(sandbox, url), "token", "version") | {"do": do} | typed)


def save(sandbox, slug, **typed):
    """Press Save; what is not given is sent as the form shows it."""
    page = ask(sandbox, url_of(sandbox, slug)).text
    shown = {
        "title": html.unescape(re.search(r'name="title" value="([^"]*)"', page)[1]),
        "content": html.unescape(re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)[1]),
    }
    return press(sandbox, slug, "save", **shown | typed)


def order(sandbox):
    """The slugs of the list, from above to below."""
    return re.findall(r'</a> <span class="note">(.*?)</span>', ask(sandbox, LIST).text)


def fill(sandbox):
    guide = category(sandbox, "guide")
    for slug in ("one", "two", "three"):
        make(sandbox, slug, category_id=guide, status=1)
    make(sandbox, "sketch", category_id=guide)


@pytest.fixture(params=[V4_16, V4_10], ids=["4.16", "4.10"])
def any_sandbox(tmp_path, request):
    with a_sandbox(tmp_path, behaviour=request.param) as running:
        fill(running)
        yield running


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path) as running:
        fill(running)
        yield running


# --- what it shows ---------------------------------------------------------------------------------------------------


def test_the_panel_leads_to_the_list_of_the_portal_and_leaves_the_password_behind(sandbox):
    answer = ask(sandbox, "/-/panel")
    assert (answer.status, answer.headers["location"]) == (303, f"{sandbox.base_url}{LIST}")


def test_the_list_has_all_articles_by_category_in_order_and_says_what_to_run_next(sandbox):
    make(sandbox, "loose")
    page = ask(sandbox, LIST).text
    assert order(sandbox) == ["one", "two", "three", "sketch", "loose"]
    assert page.index("guide") < page.index("sketch") < page.index("No category") < page.index("loose")
    assert "never a real portal" in page and "<code>kbsync plan</code>" in page
    assert '<span class="mark draft">draft</span>' in page


def test_texts_of_articles_cannot_leave_their_place_in_the_page(sandbox):
    make(sandbox, "odd", title='"><script>alert(1)</script>', content="</textarea><script>alert(2)</script>")
    for path in (LIST, url_of(sandbox, "odd"), f"{url_of(sandbox, 'odd')}/delete"):
        assert not re.search(r"<script>|</textarea><script", ask(sandbox, path).text)


def test_pages_allow_their_own_files_only_and_are_not_kept(sandbox):
    headers = ask(sandbox, LIST).headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy and "default-src 'none'" in policy and "form-action 'self'" in policy
    assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "same-origin")
    for name in re.findall(r'"/-/panel/assets/([^"]+)"', ask(sandbox, LIST).text):
        assert ask(sandbox, f"/-/panel/assets/{name}").status == 200


def test_home_article_and_overview_of_the_sandbox_link_to_the_panel(sandbox):
    assert f'href="{LIST}"' in ask(sandbox, "/hc/handbook/en").text
    assert f'href="{url_of(sandbox, "one")}"' in ask(sandbox, "/hc/handbook/articles/one").text
    overview = ask(sandbox, "/-/sandbox").text
    assert 'href="/-/panel"' in overview
    assert re.findall(r'<a href="/hc/handbook/articles/(\w+)"', overview) == ["one", "two", "three", "sketch"]


# --- who may use it ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["", "wrong", AGENT, "bot-token-0004"])
def test_without_an_administrators_token_there_is_nothing_to_see_and_nothing_to_change(sandbox, token):
    url = url_of(sandbox, "one")
    form = fields(ask(sandbox, url), "token", "version") | {"do": "delete"}
    for answer in (ask(sandbox, LIST, token=token), ask(sandbox, url, form, token=token)):
        assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Basic ")
        assert "T one" not in answer.text and form["token"] not in answer.text
    assert sandbox.panel.article("one") is not None


def test_an_administrator_of_another_account_finds_nothing_here(tmp_path):
    with a_sandbox(tmp_path, WITH_FOREIGN_PORTAL) as sandbox:
        make(sandbox, "one")
        assert ask(sandbox, LIST, token=OTHER).status == 404
        assert ask(sandbox, url_of(sandbox, "one"), token=OTHER).status == 404


@pytest.mark.parametrize(
    ("headers", "change"),
    [
        ({}, {"token": "0" * 64}),
        ({}, {"token": ""}),
        ({"origin": ""}, {}),
        ({"origin": "https://evil.example.com"}, {}),
        ({"origin": "null"}, {}),
        ({"content_type": "text/plain"}, {}),
    ],
)
def test_a_form_of_another_page_changes_nothing(sandbox, headers, change):
    url = url_of(sandbox, "one")
    form = fields(ask(sandbox, url), "token", "version") | {"do": "delete"} | change
    assert ask(sandbox, url, form, **headers).status == 403
    assert sandbox.panel.article("one") is not None


@pytest.mark.parametrize("host", ["evil.example.com", "help.example.com"])
def test_the_panel_answers_under_names_of_this_machine_only(tmp_path, host):
    with a_sandbox(tmp_path, names=frozenset({"help.example.com"})) as sandbox:
        assert ask(sandbox, LIST, host=host).status in {404, 421}


@pytest.mark.parametrize("path", ["/-/panel/none", "/-/panel/articles/0", "/-/panel/articles/x", "/-/panel/articles/9" + "9" * 30,
                                  "/-/panel/portals/none/en", "/-/panel/assets/../x", "/-/panel/%ff%00"])  # fmt: skip
def test_what_is_not_there_is_not_found(sandbox, path):
    assert ask(sandbox, path).status == 404
    assert ask(sandbox, path, fields(ask(sandbox, LIST), "token")).status == 404


def test_requests_to_the_panel_are_not_in_the_log_and_take_no_fault(sandbox):
    before = len(sandbox.requests)
    save(sandbox, "one", content="changed")
    assert len(sandbox.requests) == before


# --- what it does -----------------------------------------------------------------------------------------------------


def test_an_edit_of_a_published_article_is_staged_from_4_16_and_live_before(any_sandbox):
    answer = save(any_sandbox, "one", content="new\ntext")
    is_4_16 = any_sandbox.app.world.behaviour.is_4_16
    assert answer.target.endswith("?done=staged" if is_4_16 else "?done=live")
    article = any_sandbox.panel.article("one")
    assert article.content == ("body of one" if is_4_16 else "new\ntext")
    assert article.draft_content == ("new\ntext" if is_4_16 else None)


def test_staged_changes_are_shown_published_and_discarded(sandbox):
    save(sandbox, "one", content="new")
    save(sandbox, "two", title="Other")
    assert "unpublished changes" in ask(sandbox, LIST).text
    assert press(sandbox, "one", "publish_staged").target.endswith("done=publish_staged")
    assert press(sandbox, "two", "discard").status == 303
    assert (sandbox.panel.article("one").content, sandbox.panel.article("two").title) == ("new", "T two")
    assert drafts(sandbox, "one") == drafts(sandbox, "two") == (None, None)


def test_an_edit_back_to_the_live_text_leaves_no_staged_change(sandbox):
    save(sandbox, "one", content="new")
    assert save(sandbox, "one", content="body of one").target.endswith("done=discard")
    assert drafts(sandbox, "one") == (None, None)


def test_a_draft_is_saved_at_once_in_the_texts_that_were_touched(any_sandbox):
    assert save(any_sandbox, "sketch", title="New & <b>").target.endswith("done=saved")
    article = any_sandbox.panel.article("sketch")
    assert (article.title, article.content) == ("New & <b>", "body of sketch")


@pytest.mark.parametrize(
    "content", ["\nfirst line empty\n", "a\r\nb\r\n", "a\rb", "  two spaces  \n\n", "`&amp;` <b> é 日本\n"]
)
def test_saving_what_was_not_touched_changes_no_byte(sandbox, content):
    make(sandbox, "kept", title="  A  title ", content=content)
    before = stamp(sandbox, "kept")
    assert save(sandbox, "kept").target.endswith("done=same")
    assert (sandbox.panel.article("kept").content, stamp(sandbox, "kept")) == (content, before)


@pytest.mark.parametrize(("do", "status"), [("published", 1), ("archived", 2), ("draft", 0)])
def test_the_status_changes_and_staged_changes_stay(sandbox, do, status):
    slug = "sketch" if do == "published" else "one"
    if slug == "one":
        save(sandbox, slug, content="staged")
    staged = drafts(sandbox, slug)
    assert press(sandbox, slug, do).status == 303
    assert sandbox.panel.article(slug).status == status
    assert drafts(sandbox, slug) == staged


def test_a_new_article_is_a_draft_at_the_end_of_its_category_by_who_uses_the_panel(sandbox):
    new = re.search(r'href="([^"]+/new/\d+)"', ask(sandbox, LIST).text)[1]
    form = fields(ask(sandbox, new), "token") | {"do": "create", "title": "Brand new", "content": "Text"}
    made = ask(sandbox, new, form)
    assert made.target.endswith("?done=create")
    article = sandbox.panel.articles("handbook")[0]
    assert (article.title, article.status, article.author_id, article.locale) == ("Brand new", 0, 1, "en")
    assert order(sandbox)[-1] == article.slug


def test_an_article_is_deleted_after_a_question(sandbox):
    question = ask(sandbox, f"{url_of(sandbox, 'one')}/delete")
    assert "T one" in question.text and sandbox.panel.article("one") is not None
    form = fields(question, "token", "version") | {"do": "delete"}
    assert ask(sandbox, url_of(sandbox, "one"), form).target.startswith("panel/portals/handbook/en")
    assert sandbox.panel.article("one") is None


@pytest.mark.parametrize("do", ["save", "publish_staged", "discard", "draft", "delete"])
def test_what_somebody_changed_meanwhile_is_kept_until_the_button_is_pressed_again(sandbox, do):
    url = url_of(sandbox, "one")
    form = fields(ask(sandbox, url), "token", "version") | {"do": do, "title": "Mine", "content": "mine <b>"}
    sandbox.panel.write("one", content="theirs")
    refused = ask(sandbox, url, form)
    assert refused.status == 409 and "Somebody changed this article" in refused.text
    assert sandbox.panel.article("one").draft_content == "theirs"
    if do == "save":
        assert "mine &lt;b&gt;" in refused.text and 'value="Mine"' in refused.text
    assert ask(sandbox, url, form | fields(refused, "version")).status == 303


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"title": " "}, "Title can&#39;t be blank"),
        ({"content": "x" * 20_001}, "too long"),
        ({"content": "\0"}, "error 500"),
    ],
)
def test_what_the_service_refuses_is_shown_with_what_was_written(sandbox, typed, why):
    before = sandbox.panel.article("sketch")
    refused = save(sandbox, "sketch", **{"title": "Kept title"} | typed)
    assert refused.status == 422 and why in refused.text
    assert "title" in typed or 'value="Kept title"' in refused.text
    assert sandbox.panel.article("sketch") == before


def test_a_button_that_does_not_exist_does_nothing(sandbox):
    assert press(sandbox, "one", "explode").status == 400


# --- order ------------------------------------------------------------------------------------------------------------


MOVES = (
    ("two", {"do": "up"}, ["two", "one", "three", "sketch"]),
    ("two", {"do": "down"}, ["one", "three", "two", "sketch"]),
    ("one", {"do": "up"}, ["one", "two", "three", "sketch"]),
    ("sketch", {"do": "down"}, ["one", "two", "three", "sketch"]),
    ("sketch", {"do": "place", "place": "0"}, ["sketch", "one", "two", "three"]),
    ("one", {"do": "place", "place": "2"}, ["two", "three", "one", "sketch"]),
    ("one", {"do": "place", "place": "99"}, ["two", "three", "sketch", "one"]),
    ("one", {"do": "place", "place": "-1"}, ["one", "two", "three", "sketch"]),
    ("one", {"do": "place", "place": "x"}, ["one", "two", "three", "sketch"]),
)


@pytest.mark.parametrize("positions", [(10, 20, 30, 40), (1, 2, 3, 4), (7, 7, 7, 7), (0, 0, 5, 5)])
def test_articles_move_within_their_category_whatever_their_numbers(any_sandbox, positions):
    token = fields(ask(any_sandbox, LIST), "token")
    for slug, sent, after in MOVES:
        for name, position in zip(("one", "two", "three", "sketch"), positions, strict=True):
            any_sandbox.panel.sql("UPDATE articles SET position = ? WHERE slug = ?", position, name)
        assert ask(any_sandbox, url_of(any_sandbox, slug), token | sent).status == 303
        assert order(any_sandbox) == after


def test_a_move_touches_one_article_from_4_16(sandbox):
    before = {slug: stamp(sandbox, slug) for slug in ("one", "two", "three", "sketch")}
    form = fields(ask(sandbox, LIST), "token") | {"do": "up"}
    ask(sandbox, url_of(sandbox, "three"), form)
    assert [slug for slug in before if stamp(sandbox, slug) != before[slug]] == ["three"]
    assert [sandbox.panel.article(slug).position for slug in ("one", "three", "two", "sketch")] == [10, 20, 30, 40]
