"""What the real service was seen to do, and how the client takes it. Source of the numbers: docs/service.md, S1 to S24.

Not here: 13 (test_retry.py), 6 and 18 (test_listing.py); 14 is about uploads and 20 about rendering.
"""

import pytest

from kbsync.errors import AnswerLost, Denied, NotFound, Rejected, ServerFailed
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Status
from kbsync.sandbox import Fault
from kbsync.service.snapshot import Snapshot
from patience import GIVE_UP_S, eventually

from .world import (
    AGENT,
    VERSIONS,
    a_sandbox,
    a_service,
    an_article,
    asked,
    create,
    create_category,
    fill,
    observe,
    slugs,
    update,
)


@pytest.fixture(params=VERSIONS.values(), ids=VERSIONS.keys())
def sandbox(request, tmp_path):
    with a_sandbox(tmp_path, behaviour=request.param) as running:
        yield running


def test_surprise_01_a_taken_slug_is_a_500_on_create_and_on_update_and_neither_is_sent_twice(sandbox, service):
    sandbox.panel.create("other", "Theirs", "x", slug="refunds")
    refused = r"POST /api/v1/accounts/1/portals/handbook/articles: The service answered 500"
    with pytest.raises(ServerFailed, match=refused):
        create(service)
    mine = create(service, slug="mine")
    with pytest.raises(ServerFailed) as caught:
        update(service, mine, slug="refunds")
    assert caught.value.status == 500
    assert len(asked(sandbox, "POST")) == 2
    assert len(asked(sandbox, "PATCH")) == 1


@pytest.mark.parametrize("status", list(Status))
def test_surprise_02_07_and_08_a_draft_gets_its_status_by_an_update_and_is_found_by_its_slug(service, status):
    draft = create(service)
    made = update(service, draft, status=status)
    assert (draft.status, made.status) == (Status.DRAFT, status)
    found = service.find_article("refunds", locale="en")
    assert (found.remote_id, found.status) == (made.remote_id, status)
    assert service.find_article("no-such", locale="en") is None


def test_surprise_02_a_slug_of_another_portal_is_none_of_ours_and_the_list_confirms_it(sandbox, service):
    sandbox.panel.create("other", "Theirs", "x", slug="theirs")
    assert service.find_article("theirs", locale="en") is None


def test_surprise_02_a_500_that_has_another_cause_does_not_hide_our_article(sandbox, service):
    made = create(service)
    sandbox.faults.add(Fault("status", status=500, path=r"\.json$", times=3))
    assert service.find_article("refunds", locale="en").remote_id == made.remote_id


def test_surprise_02_a_gateway_that_fails_says_nothing_about_a_slug(sandbox, service):
    sandbox.faults.add(Fault("status", status=502, path=r"\.json$", times=None))
    with pytest.raises(ServerFailed):
        service.find_article("refunds", locale="en")


def test_surprise_03_the_category_tells_the_locale_where_nobody_else_does(service):
    category = create_category(service, "facturation", locale="fr")
    made = create(service, locale="fr", category_id=category.remote_id)
    assert service.read_article(made.remote_id, locale="").item.locale == "fr"


def test_surprise_04_limits_count_characters_and_the_refusal_says_which_field(service):
    made = create(service, content="😀" * 20_000)
    assert made.fields["content"] == body_digest("😀" * 20_000)
    with pytest.raises(Rejected, match="Content is too long"):
        create(service, slug="long", content="x" * 20_001)
    with pytest.raises(Rejected, match="Title is too long"):
        create(service, slug="long", title="x" * 256)


def test_surprise_05_a_422_may_leave_an_article_behind_and_a_listing_sees_it(sandbox, service):
    fields = {name: value for name, value in an_article(title="t" * 250).items() if name != "slug"}
    with pytest.raises(Rejected, match="slug is too long"):
        service.create_article(fields, content="x", locale="en", category_id=None)
    assert len(observe(service).articles) == 1
    assert len(asked(sandbox, "POST")) == 1


@pytest.mark.parametrize("fault", ["hang", "reset"])
def test_surprise_05_a_create_whose_answer_is_lost_is_not_repeated_and_can_be_looked_up(sandbox, fault):
    with a_service(sandbox.base_url, timeout_s=0.3) as impatient, a_service(sandbox.base_url) as service:
        sandbox.faults.add(Fault(fault, when="after", method="POST", seconds=10 * GIVE_UP_S))
        with pytest.raises(AnswerLost):
            create(impatient)
        eventually(lambda: sandbox.panel.article("refunds") is not None, "the article is made")
        assert len(asked(sandbox, "POST")) <= 1
        assert service.find_article("refunds", locale="en").fields["content"] == body_digest("Text")
        with pytest.raises(ServerFailed):
            create(service)


def test_surprise_09_the_category_decides_the_locale_and_a_listing_tells_the_truth(service):
    french = create_category(service, "facturation", locale="fr")
    create(service, locale="en", category_id=french.remote_id)
    assert [(a.locale, a.fields["category"]) for a in observe(service).articles] == [("fr", "facturation")]


def test_surprise_10_an_unknown_category_is_accepted_and_read_as_none(service):
    made = create(service, category_id=99999)
    assert made.fields["category"] is None
    assert [a.fields["category"] for a in observe(service).articles] == [None]


def test_surprise_03_and_11_the_locale_is_always_said_and_kept_where_no_answer_has_it(sandbox, service):
    assert create(service, locale="fr").locale == "fr"
    create_category(service, "facturation", locale="fr")
    assert sandbox.panel.article("refunds").locale == "fr"
    seen = observe(service)
    assert [item.locale for item in seen.categories] == ["fr"]
    assert [(a.slug, a.locale) for a in seen.articles] == [("refunds", "fr")]


def test_surprise_12_an_update_that_changes_nothing_shows_in_its_answer(service):
    made = create(service)
    assert update(service, made, nonsense=1).fields == made.fields
    assert update(service, made, title="New").fields["title"] == "New"


def test_surprise_15_an_unknown_portal_is_told_with_those_that_there_are(sandbox):
    with a_service(sandbox.base_url, portal="hand") as service:
        with pytest.raises(NotFound) as caught:
            service.fetch_portal()
        assert "no portal `hand`" in caught.value.message
        assert "`handbook`, `other`" in caught.value.hint
        with pytest.raises(NotFound):
            create(service)
        # In 4.16 a category below an unknown portal is a 404 (docs/service.md, S132).
        with pytest.raises((ServerFailed, NotFound)):
            create_category(service, "x")


def test_surprise_16_an_agent_may_list_and_nothing_else_and_the_hint_says_so(sandbox):
    with a_service(sandbox.base_url) as admin:
        made = create(admin)
        group = create_category(admin, "billing")
    with a_service(sandbox.base_url, token=AGENT) as service:
        assert slugs(observe(service)) == ["refunds"]
        assert service.fetch_owner().role == "agent"
        # The public page answers, the article itself is refused; the list has it.
        assert service.find_article("refunds", locale="en").remote_id == made.remote_id
        for work in (
            lambda: service.read_article(made.remote_id, locale="en"),
            lambda: create(service, slug="x"),
            lambda: update(service, made, title="x"),
            lambda: service.delete("article", made.remote_id),
            lambda: create_category(service, "x"),
            lambda: service.update_category(group.remote_id, {"name": "x"}, locale="en"),
        ):
            with pytest.raises(Denied) as caught:
                work()
            assert caught.value.status == 401
            assert "administrator" in caught.value.hint


def test_surprise_17_a_deletion_is_answered_with_an_empty_body_and_one_that_is_gone_is_as_good(service):
    made, category = create(service), create_category(service, "billing")
    for _ in range(2):
        service.delete("article", made.remote_id)
        service.delete("category", category.remote_id)
    assert observe(service).articles == ()


def test_surprise_17_an_unknown_route_is_told_with_its_path(sandbox, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('extends = "chatwoot"\n[operations]\nshow_article = "GET /api/v1/nowhere/{id}"\n', "utf-8")
    with (
        a_service(sandbox.base_url, profile=str(own)) as service,
        pytest.raises(NotFound, match="/nowhere/1: The service answered 404"),
    ):
        service.read_article(1, locale="en")


@pytest.mark.parametrize("number", [0, 1, 25, 60])
def test_surprise_19_all_categories_are_listed_whatever_the_size_of_a_page(service, number):
    for place in range(number):
        create_category(service, f"c-{place:02}", locale="en" if place % 2 else "fr")
    assert len(observe(service).categories) == number


def test_surprise_21_a_slug_with_a_dot_or_a_slash_is_found_all_the_same(service):
    for slug in ("v1.2", "a/b", "a b?c", "日本語", "50%"):
        made = create(service, slug=slug)
        assert service.find_article(slug, locale="en").remote_id == made.remote_id
    assert service.find_article("v1.3", locale="en") is None


def test_surprise_22_a_renamed_slug_leaves_nothing_behind_and_is_free_at_once(service):
    made = update(service, create(service), slug="money-back")
    assert service.find_article("refunds", locale="en") is None
    second = create(service)
    assert second.remote_id != made.remote_id
    with pytest.raises(ServerFailed):
        update(service, made, slug="refunds")


def test_surprise_23_meta_is_replaced_whole_so_what_is_not_ours_is_sent_along(service):
    made = create(service, tags=("one",), meta_title="Mine", meta_description="Said")
    changed = update(service, made, tags=("two", "three"))
    assert changed.fields["tags"] == ("two", "three")
    assert (changed.fields["meta_title"], changed.fields["meta_description"]) == ("Mine", "Said")
    cleared = update(service, changed, tags=(), meta_title="")
    assert (cleared.fields["tags"], cleared.fields["meta_title"]) == ((), "")
    assert cleared.fields["meta_description"] == "Said"


def test_surprise_24_what_the_service_cannot_store_is_a_500_that_names_the_request(service):
    for fields in ({"title": "a\0b"}, {"position": 10**12}):
        with pytest.raises(ServerFailed, match=r"POST .*/articles: The service answered 500"):
            create(service, **fields)
    assert {service.endpoint.profile.number_of(status) for status in Status} == {0, 1, 2}


def test_an_article_of_every_field_comes_back_as_it_was_sent(service):
    category = create_category(service, "billing", description="All of it", position=3, icon="x")
    others = {"tags": ("t",), "meta_title": "m", "meta_description": "n", "category": "billing"}
    sent = an_article(content=body_digest("a\r\nb "), description="d", position=7, **others)
    made = service.create_article(sent, content="a\r\nb ", locale="en", category_id=category.remote_id)
    assert made.fields == sent
    assert [article.fields for article in observe(service).articles] == [sent]
    changed = service.update_category(category.remote_id, {"slug": "money"}, locale="en")
    assert (changed.slug, changed.fields["position"]) == ("money", 3)
    assert [article.fields["category"] for article in observe(service).articles] == ["money"]


def test_a_category_that_was_deleted_leaves_its_articles_without_one_though_nothing_says_they_changed(service):
    category = create_category(service, "billing")
    create(service, category_id=category.remote_id)
    known = Snapshot()
    assert [a.fields["category"] for a in observe(service, known).articles] == ["billing"]
    service.delete("category", category.remote_id)
    assert [a.fields["category"] for a in observe(service, known).articles] == [None]


def test_articles_of_another_portal_are_not_seen(sandbox, service):
    fill(sandbox, 3, portal="other")
    assert slugs(observe(service)) == []


@pytest.mark.parametrize("slug", ["search", "articles", "categories"])
def test_surprise_119_a_reserved_slug_is_not_looked_up_on_the_public_page(sandbox, service, slug):
    assert not service.can_find(slug)
    assert service.find_article(slug, locale="en") is None
    assert not any("/hc/" in request.path for request in sandbox.requests)
    assert service.can_find(f"{slug}-2")
