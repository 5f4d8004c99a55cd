"""Staged changes of live articles: facts S105 to S116 of docs/service.md, and what a person in the panel does."""

import pytest

from kbsync.sandbox import V4_10

from .asking import ask, call, category, drafts, make, patch, stamp
from .world import AGENT, HANDBOOK, a_sandbox

LIST = f"{HANDBOOK}/articles"


@pytest.fixture
def sandbox(tmp_path):
    with a_sandbox(tmp_path) as running:
        make(running, "live", content="Old body", status=1)
        yield running


@pytest.mark.parametrize("beside", [{}, {"zzz": 1}])
def test_s105_a_patch_of_drafts_alone_moves_neither_updated_at_nor_the_place_in_the_list(sandbox, beside):
    make(sandbox, "newer")
    before = stamp(sandbox, "live")
    assert patch(sandbox, 1, draft_title="New", draft_content="New body", **beside).status == 200
    assert stamp(sandbox, "live") == before
    assert [row["slug"] for row in call(sandbox, "GET", LIST)["payload"]] == ["newer", "live"]
    assert drafts(sandbox, "live") == ("New", "New body")


def test_s105_the_etag_of_the_list_changes_with_the_drafts(sandbox):
    etag = ask(sandbox, "GET", LIST).headers["etag"]
    assert ask(sandbox, "GET", LIST, if_none_match=etag).status == 304
    patch(sandbox, 1, draft_content="New body")
    assert ask(sandbox, "GET", LIST, if_none_match=etag).status == 200


@pytest.mark.parametrize("beside", [{"title": "T live"}, {"locale": "en"}])
def test_s106_with_any_other_key_it_is_a_normal_save(sandbox, beside):
    before = stamp(sandbox, "live")
    patch(sandbox, 1, draft_content="New body", **beside)
    assert stamp(sandbox, "live") > before


@pytest.mark.parametrize(
    "change",
    [{"title": "X"}, {"content": "X"}, {"description": "X"}, {"position": 7}, {"category_id": 1}]
    + [{"status": status} for status in ("draft", "published", "archived")],
)
def test_s107_drafts_survive_every_other_change(sandbox, change):
    category(sandbox, "guide")
    patch(sandbox, 1, draft_title="New", draft_content="New body")
    assert patch(sandbox, 1, **change).status == 200
    assert drafts(sandbox, "live") == ("New", "New body")


def test_s108_publishing_ignores_the_drafts(sandbox):
    patch(sandbox, 1, status="draft", draft_content="New body")
    patch(sandbox, 1, status="published")
    assert sandbox.panel.article("live").content == "Old body"
    assert drafts(sandbox, "live") == (None, "New body")


def test_s109_an_agent_sees_the_drafts_in_the_list_and_no_counter_tells_of_them(sandbox):
    patch(sandbox, 1, draft_content="New body")
    told = ask(sandbox, "GET", LIST, token=AGENT).json
    assert told["payload"][0]["draft_content"] == "New body"
    assert not [name for name in told["meta"] if name.startswith("draft_c")]


def test_s110_readers_and_searches_know_nothing_of_the_drafts(sandbox):
    patch(sandbox, 1, draft_title="Secret", draft_content="Secret")
    assert call(sandbox, "GET", f"{LIST}?query=Secret")["payload"] == []
    for path in ("articles/live", "articles/live.json", "articles/live.md", "en", "en/articles.json", "sitemap.xml"):
        answer = ask(sandbox, "GET", f"/hc/handbook/{path}")
        assert answer.status == 200
        assert "Secret" not in answer.text


@pytest.mark.parametrize(("name", "limit"), [("draft_title", 255), ("draft_content", 20_000)])
def test_s111_too_long_drafts_are_refused_without_attributes_by_patch_and_with_them_by_create(sandbox, name, limit):
    message = f"{name.replace('_', ' ').capitalize()} is too long (maximum is {limit} characters)"
    assert patch(sandbox, 1, **{name: "x" * limit}).status == 200
    refused = patch(sandbox, 1, **{name: "x" * (limit + 1)})
    assert (refused.status, refused.json) == (422, {"message": message})
    body = {"title": "t", "slug": "t", "author_id": 1, name: "x" * (limit + 1)}
    refused = ask(sandbox, "POST", LIST, body)
    assert (refused.status, refused.json) == (422, {"message": message, "attributes": [name]})


def test_s112_a_patch_of_drafts_alone_validates_the_rest_and_leaves_a_wrong_locale_alone(sandbox):
    category(sandbox, "guide")
    patch(sandbox, 1, category_id=1)
    sandbox.panel.sql("UPDATE articles SET locale = 'fr' WHERE id = 1")
    patch(sandbox, 1, draft_content="New body")
    assert sandbox.panel.article("live").locale == "fr"
    sandbox.panel.sql("UPDATE articles SET author_id = 99")
    refused = patch(sandbox, 1, draft_content="Newer body")
    assert (refused.status, refused.json) == (422, {"message": "Author must exist"})


@pytest.mark.parametrize(
    ("sent", "stored"), [("", ""), (5, "5"), (" \r\nA\t\r\n\ufeff", " \r\nA\t\r\n\ufeff"), (None, None)]
)
def test_s113_what_is_stored_of_a_draft(sandbox, sent, stored):
    patch(sandbox, 1, draft_content="before")
    assert patch(sandbox, 1, draft_content=sent).json["payload"]["draft_content"] == stored


def test_s113_a_list_is_dropped_and_saves_the_locale_again_and_a_nul_is_an_error(sandbox):
    category(sandbox, "guide")
    patch(sandbox, 1, category_id=1, draft_content="before")
    sandbox.panel.sql("UPDATE articles SET locale = 'fr' WHERE id = 1")
    assert patch(sandbox, 1, draft_content=["a"]).status == 200
    assert drafts(sandbox, "live") == (None, "before")
    assert sandbox.panel.article("live").locale == "en"
    assert patch(sandbox, 1, draft_content="a\0b").status == 500


@pytest.mark.parametrize("status", [0, 1, 2])
def test_s114_an_article_can_be_made_with_drafts(sandbox, status):
    make(sandbox, "made", status=status, draft_title="DT", draft_content="DC")
    assert drafts(sandbox, "made") == ("DT", "DC")


def test_s115_an_equal_draft_is_stored_and_publishing_it_moves_updated_at(sandbox):
    patch(sandbox, 1, draft_title="T live", draft_content="Old body")
    assert drafts(sandbox, "live") == ("T live", "Old body")
    before = stamp(sandbox, "live")
    patch(sandbox, 1, title="T live", content="Old body", draft_title=None, draft_content=None)
    assert stamp(sandbox, "live") > before


def test_s116_there_is_no_version_check(sandbox):
    patch(sandbox, 1, draft_content="one")
    assert patch(sandbox, 1, draft_content="two").status == 200
    assert drafts(sandbox, "live") == (None, "two")


def test_a_person_who_types_in_a_live_article_stages_both_fields(sandbox):
    sandbox.panel.write("live", content="New body")
    assert drafts(sandbox, "live") == ("T live", "New body")
    sandbox.panel.write("live", title="New")
    assert drafts(sandbox, "live") == ("New", "New body")
    assert sandbox.panel.article("live").content == "Old body"


def test_a_person_who_types_the_live_text_again_has_nothing_staged(sandbox):
    sandbox.panel.write("live", content="*New* body")
    sandbox.panel.write("live", content="Old body\n")
    assert drafts(sandbox, "live") == (None, None)


def test_a_person_publishes_staged_changes(sandbox):
    sandbox.panel.write("live", content="New body")
    article = sandbox.panel.publish_staged("live")
    assert (article.title, article.content) == ("T live", "New body")
    assert (article.draft_title, article.draft_content) == (None, None)


def test_a_person_discards_staged_changes_and_may_unpublish_at_once(sandbox):
    sandbox.panel.write("live", content="New body")
    article = sandbox.panel.discard_staged("live", status="draft")
    assert (article.content, article.status, article.draft_content) == ("Old body", 0, None)


def test_what_was_left_staged_becomes_the_text_of_an_article_that_is_no_longer_live(sandbox):
    sandbox.panel.write("live", content="New body")
    sandbox.panel.edit("live", status="draft")
    article = sandbox.panel.write("live", title="Edited")
    assert (article.title, article.content) == ("Edited", "New body")
    assert (article.draft_title, article.draft_content) == (None, None)


def test_several_are_published_together_with_what_is_staged(sandbox):
    make(sandbox, "draft")
    sandbox.panel.write("live", content="New body")
    sandbox.panel.change_status(["live", "draft"], "published")
    assert [sandbox.panel.article(slug).content for slug in ("live", "draft")] == ["New body", "body of draft"]
    assert [sandbox.panel.article(slug).status for slug in ("live", "draft")] == [1, 1]


def test_several_are_archived_but_for_live_ones_with_staged_changes(sandbox):
    make(sandbox, "draft", draft_content="left over")
    sandbox.panel.write("live", content="New body")
    sandbox.panel.change_status(["live", "draft"], "archived")
    assert [sandbox.panel.article(slug).status for slug in ("live", "draft")] == [1, 2]


def test_a_person_moves_several_to_another_category(sandbox):
    category(sandbox, "guide", locale="fr")
    sandbox.panel.move(["live"], 1)
    assert (sandbox.panel.article("live").category_id, sandbox.panel.article("live").locale) == (1, "fr")


def test_before_4_16_the_editor_changes_a_live_article_at_once_and_drafts_are_unknown(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as sandbox:
        make(sandbox, "live", status=1)
        assert sandbox.panel.write("live", content="New").content == "New"
        answer = patch(sandbox, 1, draft_content="x").json["payload"]
        assert "draft_content" not in answer
        assert drafts(sandbox, "live") == (None, None)
