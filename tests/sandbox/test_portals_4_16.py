"""Categories, portals, plans, uploads and the public site of 4.16: facts S101 to S104 and S132 to S150."""

import pytest

from kbsync.sandbox import V4_10, Behaviour, DataRefused
from kbsync.sandbox.api_upload import MAX_FETCHED_BYTES

from .asking import PNG, a_file, ask, call, category, make, post, read, stamp
from .world import ADMIN, AGENT, HANDBOOK, OTHER, WITH_FOREIGN_PORTAL, Clock, a_sandbox

PORTALS = "/api/v1/accounts/1/portals"
UPLOAD = "/api/v1/accounts/1/upload"


def settings(sandbox, **config):
    """The settings in the answer to a PATCH of some of them."""
    return call(sandbox, "PATCH", HANDBOOK, {"config": config})["config"]


def refused(sandbox, **config):
    answer = ask(sandbox, "PATCH", HANDBOOK, {"config": config})
    assert answer.status == 422
    return answer.json["message"]


def page(sandbox, path):
    return ask(sandbox, "GET", f"/hc/handbook/{path}")


def test_s101_articles_have_draft_fields_and_their_category_an_icon(sandbox):
    category(sandbox, "guide")
    make(sandbox, "a", category_id=1)
    names = (
        "id slug title content description status draft_title draft_content position account_id updated_at meta category "
        "views author"
    )
    told = call(sandbox, "GET", f"{HANDBOOK}/articles/1")["payload"]
    assert list(told) == names.split()
    assert list(told["category"]) == ["id", "name", "slug", "locale", "icon", "icon_color"]


@pytest.mark.parametrize("color", ["#112233", "no colour", ""])
def test_s102_any_text_is_the_colour_of_an_icon(sandbox, color):
    body = {"name": "G", "slug": "g", "locale": "en", "icon_color": color}
    assert call(sandbox, "POST", f"{HANDBOOK}/categories", body)["payload"]["icon_color"] == color
    long = ask(sandbox, "PATCH", f"{HANDBOOK}/categories/1", {"icon_color": "x" * 256})
    assert long.json["message"] == "Icon color is too long (maximum is 255 characters)"


def test_s103_a_portal_tells_its_settings_and_which_locales_are_hidden(sandbox):
    config = call(sandbox, "GET", HANDBOOK)["config"]
    names = "allowed_locales default_locale layout social_profiles locale_translations popular_content"
    assert list(config) == names.split()
    assert [row["draft"] for row in config["allowed_locales"]] == [False] * 3
    sandbox.panel.sql("UPDATE portals SET color = NULL")
    assert call(sandbox, "GET", HANDBOOK)["color"] == "#1f93ff"


def test_s104_profile_and_inboxes_have_more_keys(sandbox):
    account = call(sandbox, "GET", "/api/v1/profile")["accounts"][0]
    assert {"onboarding_step", "api_and_webhooks"} <= set(account)
    assert "secret" in call(sandbox, "GET", "/api/v1/accounts/1/inboxes")["payload"][0]


def test_s132_categories_below_an_unknown_portal_are_404_and_the_portal_itself_is_500(sandbox):
    for path, status in (("nosuch/categories", 404), ("nosuch", 500), ("Handbook", 500)):
        assert ask(sandbox, "GET", f"{PORTALS}/{path}").status == status


def test_s133_settings_are_merged_by_key_and_replaced_within_one(sandbox):
    settings(sandbox, layout="documentation", locale_translations={"fr": {"name": "Manuel"}})
    told = settings(sandbox, locale_translations={"ja": {"name": "ハンドブック"}}, zzz=1)
    assert [row["code"] for row in told["allowed_locales"]] == ["en", "fr", "ja"]
    assert (told["layout"], told["locale_translations"]) == ("documentation", {"ja": {"name": "ハンドブック"}})


def test_s133_before_4_16_they_are_replaced_whole(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as sandbox:
        body = {"config": {"allowed_locales": ["fr"], "layout": "documentation"}}
        assert list(call(sandbox, "PATCH", HANDBOOK, body)["config"]) == ["allowed_locales"]


def test_s134_there_are_two_layouts(sandbox):
    assert settings(sandbox, layout=None)["layout"] == "classic"
    assert refused(sandbox, layout="fancy") == "Layout must be of type enum"


def test_s135_a_hidden_locale_is_only_left_out_of_the_menu(sandbox):
    told = settings(sandbox, draft_locales=["fr", "de"])
    assert [row["draft"] for row in told["allowed_locales"]] == [False, True, False]
    category(sandbox, "guide", locale="fr")
    make(sandbox, "f", category_id=1, status=1)
    for path in ("fr", "fr/categories/guide", "articles/f"):
        assert page(sandbox, path).status == 200
    assert "articles/f<" in page(sandbox, "sitemap.xml").text
    assert "/hc/handbook/fr" not in page(sandbox, "en").text
    assert refused(sandbox, draft_locales=["en"]) == "Config default locale cannot be drafted."
    settings(sandbox, allowed_locales=["en"])
    assert settings(sandbox, allowed_locales=["en", "fr"])["allowed_locales"][1]["draft"] is False


def test_s136_a_portal_has_names_in_other_locales(sandbox):
    words = {"name": "Manuel", "page_title": "Titre", "header_text": "Bonjour", "slogan": "x"}
    assert "slogan" not in settings(sandbox, locale_translations={"fr": words, "xx": {}})["locale_translations"]["fr"]
    text = page(sandbox, "fr").text
    assert "<title>Titre</title>" in text
    assert "Bonjour" in text
    message = refused(sandbox, locale_translations={"fr": {"name": 5}})
    assert message == "Locale translations/fr/name must be of type type"


def test_s137_a_home_page_shows_popular_articles_in_their_order(sandbox):
    for number, slug in enumerate(("one", "two", "hidden"), start=1):
        make(sandbox, slug, status=1 if number < 3 else 0)
    settings(sandbox, popular_content={"en": {"article_ids": [2, 99, 3, 1], "category_ids": []}})
    popular = page(sandbox, "en").text.partition("Popular articles")[2]
    assert popular.index("articles/two") < popular.index("articles/one")
    assert "articles/hidden" not in popular
    message = refused(sandbox, popular_content={"en": {"article_ids": ["9"]}})
    assert message == "Popular content/en/article ids/0 must be of type integer"


def test_s138_other_social_profiles_are_dropped(sandbox):
    assert settings(sandbox, social_profiles={"github": "kb", "mastodon": "kb"})["social_profiles"] == {"github": "kb"}


def test_s139_locales_and_colour(sandbox):
    assert [row["code"] for row in settings(sandbox, allowed_locales=[])["allowed_locales"]] == ["en"]
    assert settings(sandbox, default_locale="de")["default_locale"] == "de"
    assert ask(sandbox, "PATCH", HANDBOOK, {"color": "red"}).json["message"] == "Color is invalid"
    assert call(sandbox, "PATCH", HANDBOOK, {"color": "#abc"})["color"] == "#abc"
    assert ask(sandbox, "PATCH", HANDBOOK, {}).status == 200


def test_s140_a_portal_needs_no_domain_and_an_address_is_stored_as_its_host(sandbox):
    assert call(sandbox, "POST", PORTALS, {"name": "N", "slug": "n"})["custom_domain"] is None
    body = {"name": "D", "slug": "d", "custom_domain": "https://docs.example.com/x"}
    assert call(sandbox, "POST", PORTALS, body)["custom_domain"] == "docs.example.com"
    assert ask(sandbox, "PATCH", f"{PORTALS}/n/archive").status == 500
    assert call(sandbox, "PATCH", f"{PORTALS}/n", {"archived": True})["archived"] is True
    sandbox.panel.sql("UPDATE portals SET config = 'null' WHERE slug = 'n'")
    assert ask(sandbox, "GET", PORTALS).status == 500


def test_s141_an_account_without_api_access_is_403_behind_the_401s(tmp_path):
    behaviour = Behaviour(accounts_without_api=frozenset({1}))
    with a_sandbox(tmp_path, setup=WITH_FOREIGN_PORTAL, behaviour=behaviour) as sandbox:
        for path, token, status in ((PORTALS, ADMIN, 403), (PORTALS, "bad", 401), (PORTALS, OTHER, 401)):
            assert ask(sandbox, "GET", path, token=token).status == status
        answer = ask(sandbox, "GET", PORTALS, token=AGENT)
        assert answer.json == {"error": "API access is not enabled for this account"}
        assert ask(sandbox, "POST", UPLOAD, {"external_url": "http://x/y.png"}).status == 403
        assert call(sandbox, "GET", "/api/v1/profile")["access_token"] == ""
        assert call(sandbox, "GET", "/api/v1/profile", token=OTHER)["access_token"] == OTHER


def test_s142_reading_the_upload_path_counts_as_an_upload(tmp_path):
    behaviour = Behaviour(uploads_per_hour=1)
    with a_sandbox(tmp_path, behaviour=behaviour, clock=Clock()) as sandbox:
        assert [ask(sandbox, "GET", UPLOAD).status for _ in range(2)] == [404, 429]
        assert post(sandbox, a_file())[0] == 429


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9/x.png", "http://10.0.0.1/x.png", "http://nosuch.invalid/x", "ftp://a/b", "x", ["http://x"]],
)
def test_s143_an_upload_by_address_is_refused(sandbox, url):
    answer = ask(sandbox, "POST", UPLOAD, {"external_url": url})
    assert (answer.status, answer.json) == (422, {"error": "Invalid URL provided"})


def test_s143_where_private_networks_are_allowed_images_and_videos_are_taken(tmp_path):
    with a_sandbox(tmp_path, behaviour=Behaviour(fetches_from_private=True)) as sandbox:
        assert _by_address(sandbox, a_file("shot.png", PNG)) == (200, "")
        assert _by_address(sandbox, a_file("a.svg", b"<svg/>", "image/svg+xml")) == (200, "")
        kinds = "File type not supported (only images and videos are allowed)"
        assert _by_address(sandbox, a_file("a.html", b"<b>", "text/html")) == (422, kinds)
        large = a_file("v.mp4", bytes(MAX_FETCHED_BYTES + 1), "video/mp4")
        assert _by_address(sandbox, large) == (422, "File exceeds the maximum allowed size")
        missing = ask(sandbox, "POST", UPLOAD, {"external_url": f"{sandbox.base_url}/nowhere.png"})
        assert missing.json == {"error": "Failed to fetch file from URL: 404 Not Found"}


def _by_address(sandbox, body):
    """Upload a file, then by the address that it got: the status, and the error."""
    answer = ask(sandbox, "POST", UPLOAD, {"external_url": post(sandbox, body)[1]["file_url"]})
    return answer.status, answer.json.get("error", "")


def test_s144_md_is_the_stored_text_of_published_articles(sandbox):
    text = "# Head\r\n\r\n<b>x</b>\n"
    for slug, status in (("pub", 1), ("dra", 0), ("arc", 2)):
        make(sandbox, slug, content=text, status=status)
    call(sandbox, "POST", f"{PORTALS}/other/articles", {"title": "o", "slug": "o", "content": "c", "author_id": 1})
    answer = page(sandbox, "articles/pub.md")
    assert (answer.status, answer.text, answer.headers["content-type"]) == (200, text, "text/markdown; charset=utf-8")
    assert ask(sandbox, "HEAD", "/hc/handbook/articles/pub.md").status == 200
    for slug in ("dra", "arc", "o"):
        answer = page(sandbox, f"articles/{slug}.md")
        assert (answer.status, answer.text) == (404, "")
    assert page(sandbox, "articles/none.md").text != ""
    assert sandbox.panel.article("pub").views is None


def test_s144_before_4_16_md_is_the_page(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as sandbox:
        make(sandbox, "pub", status=1)
        assert page(sandbox, "articles/pub.md").headers["content-type"].startswith("text/html")


def test_s145_the_list_of_categories_leads_home_and_there_is_a_search(sandbox):
    for number in range(12):
        make(sandbox, f"pub-{number:02}", status=1)
    make(sandbox, "draft")
    answer = page(sandbox, "en/categories")
    assert (answer.status, answer.headers["location"]) == (301, f"{sandbox.base_url}/hc/handbook/en")
    first, second = (page(sandbox, f"en/search?query=body&page={number}").text for number in (1, 2))
    assert [text.count('href="/hc/handbook/articles/') for text in (first, second)] == [10, 2]
    assert "articles/draft" not in first + second


def test_s146_a_public_search_has_its_own_shape_and_the_list_has_pages(sandbox):
    for slug in ("one", "two", "three"):
        make(sandbox, slug, content=f"# {slug}\n\nBody & *text*", status=1)
    found = page(sandbox, "en/articles.json?query=two").json
    link = "/hc/handbook/articles/two"
    assert found == {
        "payload": [{"id": 2, "category_id": None, "title": "T two", "content": "two Body & text", "link": link}],
        "meta": {"articles_count": 3},
    }
    rows = page(sandbox, "en/articles.json?per_page=2&page=2").json["payload"]
    assert [row["slug"] for row in rows] == ["three"]
    assert len(page(sandbox, "en/articles.json").json["payload"]) == 3


def test_s147_the_body_stands_in_a_div_of_its_own(sandbox):
    make(sandbox, "pub", content="*Body*", status=1)
    text = page(sandbox, "articles/pub").text
    assert '<div id="cw-article-content" class="prose">\n  <p><em>Body</em></p>\n\n</div>' in text


def test_s149_the_documentation_layout_has_the_page_title_behind_the_title(sandbox):
    make(sandbox, "pub", status=1)
    settings(sandbox, layout="documentation", locale_translations={"en": {"name": "N", "page_title": "P"}})
    assert "<title>T pub | P</title>" in page(sandbox, "articles/pub").text
    settings(sandbox, layout="classic")
    assert "<title>T pub | N</title>" in page(sandbox, "articles/pub").text


def test_s150_a_visit_is_counted_without_moving_updated_at(sandbox):
    make(sandbox, "pub", status=1)
    before = stamp(sandbox, "pub")
    assert read(sandbox.base_url + "/hc/handbook/articles/pub.png")[0] == 200
    assert call(sandbox, "GET", f"{HANDBOOK}/articles")["payload"][0]["views"] == 1
    assert stamp(sandbox, "pub") == before


@pytest.mark.parametrize(
    "config", [{"allowed_locales": "fr"}, {"draft_locales": [5]}, {"locale_translations": []}, {"popular_content": "x"}]
)
def test_settings_of_another_type_are_dropped(sandbox, config):
    before = settings(sandbox)
    assert settings(sandbox, **config) == before


@pytest.mark.parametrize("config", ["5", '{"locale_translations": {"fr": 5}}', '{"draft_locales": "fr"}'])
def test_damaged_settings_in_the_file_are_refused_when_it_is_opened(tmp_path, config):
    with a_sandbox(tmp_path) as sandbox:
        sandbox.panel.sql("UPDATE portals SET config = ? WHERE slug = 'handbook'", config)
    with pytest.raises(DataRefused, match="damaged"), a_sandbox(tmp_path):
        pass


def test_numbers_beyond_all_ids_are_unknown(sandbox):
    make(sandbox, "a")
    huge = 2**70
    path = f"{HANDBOOK}/articles/bulk_actions/update_category"
    assert ask(sandbox, "PATCH", path, {"ids": [1, huge], "category_id": huge}).status == 422
    for kind in ("articles", "categories"):
        assert ask(sandbox, "POST", f"{HANDBOOK}/{kind}/reorder", {"positions_hash": {str(huge): 1}}).status == 404
