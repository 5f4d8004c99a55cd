"""What 4.16 takes for an article, how it orders them, and what it does to several: facts S117 to S131."""

import pytest

from kbsync.sandbox import V4_10

from .asking import ask, call, category, make, patch, stamp
from .world import AGENT, HANDBOOK, a_sandbox

BULK = f"{HANDBOOK}/articles/bulk_actions"
ORDER = f"{HANDBOOK}/articles/reorder"


@pytest.fixture
def ordered(sandbox):
    """Articles 1 to 4 of one category, the lone 5 of another, 6 without any, and 7 of another portal."""
    for slug in ("guide", "more"):
        category(sandbox, slug)
    for number in range(1, 5):
        make(sandbox, f"a{number}", category_id=1)
    make(sandbox, "a5", category_id=2)
    make(sandbox, "a6")
    other = {"title": "x", "slug": "a7", "content": "c", "author_id": 1}
    call(sandbox, "POST", "/api/v1/accounts/1/portals/other/articles", other)
    return sandbox


def positions(sandbox):
    return [sandbox.panel.article(f"a{number}").position for number in range(1, 8)]


def statuses(sandbox):
    return [sandbox.panel.article(f"a{number}").status for number in range(1, 5)]


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_s117_content_may_be_empty_unless_the_article_is_published(sandbox, content):
    refusal = {"message": "Content can't be blank", "attributes": ["content"]}
    make(sandbox, "empty", content=content)
    for change in ({"status": "published"}, {"status": 1, "draft_content": "text"}):
        refused = patch(sandbox, 1, **change)
        assert (refused.status, refused.json) == (422, refusal)
    assert patch(sandbox, 1, status="published", content="text").status == 200
    assert patch(sandbox, 1, content=content).status == 422
    assert patch(sandbox, 1, content=content, status="draft").status == 200


@pytest.mark.parametrize("slug", ["search", "articles", "categories"])
def test_s118_three_slugs_are_reserved_to_the_letter(sandbox, slug):
    make(sandbox, slug.capitalize())
    make(sandbox, slug + " ")
    category(sandbox, slug)
    refused = patch(sandbox, 1, slug=slug)
    assert (refused.status, refused.json) == (422, {"message": "Slug is reserved", "attributes": ["slug"]})


@pytest.mark.parametrize(("slug", "status"), [("search", 406), ("articles", 200), ("categories", 200)])
def test_s119_the_public_json_of_a_reserved_slug_is_no_article(sandbox, slug, status):
    answer = ask(sandbox, "GET", f"/hc/handbook/articles/{slug}.json")
    assert answer.status == status
    assert status != 200 or isinstance(answer.json["payload"], list)


def test_s120_only_the_create_with_an_over_long_slug_answers_error_and_the_article_exists(sandbox):
    body = {"title": "t" * 250, "content": "c", "author_id": 1}
    refused = ask(sandbox, "POST", f"{HANDBOOK}/articles", body)
    assert (refused.status, list(refused.json)) == (422, ["error"])
    assert list(patch(sandbox, 1, description="x").json) == ["message", "attributes"]


def test_s121_other_errors_are_as_before(sandbox):
    make(sandbox, "taken")
    body = {"title": "t", "slug": "taken", "author_id": 1}
    assert ask(sandbox, "POST", f"{HANDBOOK}/articles", body).status == 500
    assert ask(sandbox, "POST", f"{HANDBOOK}/articles", body | {"slug": "a", "status": "1"}).status == 500
    unknown = body | {"slug": "b", "associated_article_id": 99}
    assert ask(sandbox, "POST", f"{HANDBOOK}/articles", unknown).status == 404
    assert sandbox.panel.article("b").associated_article_id == 99


def test_s122_a_category_overwrites_the_position_sent_with_it(ordered):
    assert patch(ordered, 6, category_id=1, position=5).json["payload"]["position"] == 50
    assert patch(ordered, 6, position=20).json["payload"]["position"] == 20
    assert positions(ordered)[:4] == [10, 20, 30, 40]


def test_s123_reordering_numbers_the_category_anew_and_a_moved_one_comes_after_its_equal(ordered):
    answer = ask(ordered, "POST", ORDER, {"positions_hash": {"4": 10}})
    assert answer.text == '{"positions":{"1":10,"4":20,"2":30,"3":40}}'
    assert positions(ordered)[:4] == [10, 30, 40, 20]
    assert ordered.panel.drag("a3", 5) == {"3": 10, "1": 20, "4": 30, "2": 40}


def test_s124_neighbours_keep_their_updated_at(ordered):
    before = [stamp(ordered, f"a{number}") for number in range(1, 5)]
    call(ordered, "POST", ORDER, {"positions_hash": {"4": 15}})
    after = [stamp(ordered, f"a{number}") for number in range(1, 5)]
    assert [old < new for old, new in zip(before, after, strict=True)] == [False, False, False, True]


def test_s124_naming_the_position_that_it_has_numbers_anew_and_moves_no_updated_at(ordered):
    patch(ordered, 4, position=90)
    before = [stamp(ordered, f"a{number}") for number in range(1, 5)]
    call(ordered, "POST", ORDER, {"positions_hash": {"4": 90}})
    assert [stamp(ordered, f"a{number}") for number in range(1, 5)] == before
    assert positions(ordered)[:4] == [10, 20, 30, 40]


def test_s125_a_lone_and_an_uncategorised_article_are_stored_as_sent(ordered):
    told = call(ordered, "POST", ORDER, {"positions_hash": {"5": 7, "6": 8}})
    assert told == {"positions": {}}
    assert positions(ordered)[4:6] == [7, 8]


@pytest.mark.parametrize("unknown", ["99", "7"])
def test_s126_one_unknown_or_foreign_id_and_nothing_moves(ordered, unknown):
    before = positions(ordered)
    assert ask(ordered, "POST", ORDER, {"positions_hash": {"1": 99, unknown: 1}}).status == 404
    assert positions(ordered) == before


def test_s126_an_article_that_cannot_be_saved_stops_all_but_not_as_a_neighbour(ordered):
    ordered.panel.sql("UPDATE articles SET author_id = 99 WHERE id = 2")
    refused = ask(ordered, "POST", ORDER, {"positions_hash": {"1": 99, "2": 1}})
    assert (refused.status, refused.json) == (422, {"message": "Author must exist", "attributes": ["author"]})
    assert positions(ordered)[:4] == [10, 20, 30, 40]
    call(ordered, "POST", ORDER, {"positions_hash": {"1": 99}})
    assert positions(ordered)[:4] == [40, 10, 20, 30]


@pytest.mark.parametrize(
    ("sent", "status"),
    [(None, 200), ({}, 200), ([1], 500), ({"1": 99_999_999_999}, 500), ({"1": "x"}, 200), ({"1": -5}, 200)],
)
def test_s127_unusual_values(ordered, sent, status):
    body = {} if sent is None else {"positions_hash": sent}
    assert ask(ordered, "POST", ORDER, body | {"category_slug": "guide"}).status == status
    assert positions(ordered)[0] == 10


def test_s128_categories_are_stored_as_sent_all_or_none(ordered):
    path = f"{HANDBOOK}/categories/reorder"
    answer = ask(ordered, "POST", path, {"positions_hash": {"1": 3, "2": 3}})
    assert (answer.status, answer.text, answer.headers["content-type"]) == (200, "", "application/json")
    assert ask(ordered, "POST", path, {"positions_hash": {"1": 9, "99": 1}}).status == 404
    rows = call(ordered, "GET", f"{HANDBOOK}/categories")["payload"]
    assert [row["position"] for row in rows] == [3, 3]
    assert ask(ordered, "POST", path, {"positions_hash": [1]}).status == 200
    assert ask(ordered, "POST", path, {"positions_hash": {"1": 99_999_999_999}}).status == 500
    assert ask(ordered, "POST", path, {}, AGENT).status == 401


@pytest.mark.parametrize("ids", [[1, 2, 99, 7, 1], ["1", "2", "x"]])
def test_s129_unknown_and_foreign_ids_are_skipped_silently(ordered, ids):
    answer = ask(ordered, "PATCH", f"{BULK}/update_status", {"ids": ids, "status": "archived"})
    assert (answer.status, answer.text) == (200, "")
    assert statuses(ordered) == [2, 2, 0, 0]
    assert ordered.panel.article("a7").status == 0


def test_s129_one_invalid_article_and_nothing_changes(ordered):
    patch(ordered, 2, content="")
    refused = ask(ordered, "PATCH", f"{BULK}/update_status", {"ids": [1, 2, 3], "status": "published"})
    assert (refused.status, refused.json) == (422, {"error": "Validation failed: Content can't be blank"})
    assert statuses(ordered) == [0, 0, 0, 0]


def test_s129_an_article_in_that_state_keeps_its_updated_at_and_drafts_stay(ordered):
    patch(ordered, 2, draft_content="pending")
    before = [stamp(ordered, slug) for slug in ("a1", "a2")]
    call(ordered, "PATCH", f"{BULK}/update_status", {"ids": 1, "status": "draft"})
    call(ordered, "PATCH", f"{BULK}/update_status", {"ids": [2], "status": "archived"})
    after = [stamp(ordered, slug) for slug in ("a1", "a2")]
    assert [old < new for old, new in zip(before, after, strict=True)] == [False, True]
    assert ordered.panel.article("a2").draft_content == "pending"


@pytest.mark.parametrize("status", [None, 1, "live"])
def test_s129_a_status_has_a_name(ordered, status):
    refused = ask(ordered, "PATCH", f"{BULK}/update_status", {"ids": [1], "status": status})
    assert (refused.status, refused.json) == (422, {"error": "Invalid status value"})


def test_s130_update_category_takes_the_locale_along_and_goes_to_the_end(ordered):
    french = category(ordered, "guide", locale="fr")
    call(ordered, "PATCH", f"{BULK}/update_category", {"ids": [1, 6], "category_id": french})
    moved = [ordered.panel.article(slug) for slug in ("a1", "a6")]
    assert [(article.category_id, article.locale) for article in moved] == [(french, "fr")] * 2
    assert moved[1].position == moved[0].position + 10


@pytest.mark.parametrize("category_id", [None, 99, 3])
def test_s130_only_into_a_category_of_the_portal(ordered, category_id):
    category(ordered, "foreign", portal="other")
    refused = ask(ordered, "PATCH", f"{BULK}/update_category", {"ids": [1], "category_id": category_id})
    assert (refused.status, refused.json) == (422, {"error": "Category not found in this portal"})


def test_s130_delete_articles_takes_the_root_from_translations(ordered):
    make(ordered, "translation", associated_article_id=1)
    assert ask(ordered, "DELETE", f"{BULK}/delete_articles", {"ids": [1, 99]}).status == 200
    assert ask(ordered, "DELETE", f"{BULK}/delete_articles?ids[]=2").status == 200
    assert [ordered.panel.article(slug) for slug in ("a1", "a2")] == [None, None]
    assert ordered.panel.article("translation").associated_article_id is None
    refused = ask(ordered, "DELETE", f"{BULK}/delete_articles", {"ids": [1, 7]})
    assert (refused.status, refused.json) == (422, {"error": "No articles found to process"})


def test_s131_many_ids_go_at_once(ordered):
    numbers = [make(ordered, f"b{number}") for number in range(120)]
    call(ordered, "PATCH", f"{BULK}/update_status", {"ids": numbers, "status": "published"})
    assert call(ordered, "GET", f"{HANDBOOK}/articles?status=1")["meta"]["published_count"] == 120


def test_before_4_16_there_are_no_bulk_actions_and_reordering_applies_what_comes_before_an_unknown_id(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as sandbox:
        make(sandbox, "a1")
        assert ask(sandbox, "PATCH", f"{BULK}/update_status", {"ids": [1], "status": "draft"}).status == 404
        assert ask(sandbox, "POST", ORDER, {"positions_hash": {"1": 99, "9": 1}}).status == 404
        assert sandbox.panel.article("a1").position == 99
        assert sandbox.panel.drag("a1", 7) == {}
        assert sandbox.panel.article("a1").position == 7
