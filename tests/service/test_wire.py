"""The service's JSON and kbsync's values: what is read although it could be written otherwise, and what is sent."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from kbsync.errors import ConfigError, Misbehaved
from kbsync.markdown.outline import outline
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Observed, Status
from kbsync.service import wire
from kbsync.service.answers import decode
from kbsync.service.decoded import observed_row, row_of
from kbsync.service.exchange import Answer
from kbsync.service.profile import read_profile
from patience import GIVE_UP_S

from .world import Sleepless, a_server, a_service, a_transport, observe, reply

CHATWOOT = read_profile("chatwoot", folder=Path())
WHOLE = {
    "id": 7, "slug": "refunds", "title": "Refunds", "content": "Text", "description": "All of it",
    "status": "published", "position": 20, "updated_at": 1_795_233_600,
    "meta": {"title": "T", "description": "D", "tags": ["a", "b"]},
    "category": {"id": 3, "name": "Billing", "slug": "billing", "locale": "en"},
    "author": {"id": 12, "availability": "busy"}, "views": None,
}  # fmt: skip
FIELDS = {
    "slug": "refunds", "title": "Refunds", "description": "All of it", "content": body_digest("Text"),
    "position": 20, "author": 12, "tags": ("a", "b"), "meta_title": "T", "meta_description": "D",
    "category": "billing",
}  # fmt: skip
REFUNDS = Observed(
    kind="article", remote_id=7, locale="en", slug="refunds", fields=FIELDS, status=Status.PUBLISHED,
    updated_at=1_795_233_600, outline=outline("Text"),
)  # fmt: skip


def without(values, *names):
    return {key: value for key, value in values.items() if key not in names}


def shown(body):
    """What the client makes of an answer to `show`."""
    with a_server(reply(json.dumps(body))) as server, a_service(server.base_url) as service:
        return service.read_article(7, locale="").item


@pytest.mark.parametrize(
    "body",
    [
        {"payload": WHOLE}, WHOLE, {**WHOLE, "id": "7"}, {**WHOLE, "status": 1}, {**WHOLE, "status": "1"},
        {**WHOLE, "brand_new": {"x": [1]}, "associated_articles": [{"id": 9}]},
        {**WHOLE, "category": {**WHOLE["category"], "id": "3"}, "author": {"id": "12"}},
    ],
)  # fmt: skip
def test_an_article_is_read_in_any_wrapping_with_any_ids_and_whatever_else_is_in_it(body):
    assert shown(body) == REFUNDS


@pytest.mark.parametrize("name", ["slug", "title", "content", "description", "position", "author", "category", "meta"])
def test_a_field_that_an_answer_leaves_out_is_left_out_and_not_taken_for_empty(name):
    names = ("tags", "meta_title", "meta_description") if name == "meta" else (name,)
    assert shown(without(WHOLE, name)).fields == without(FIELDS, *names)


def test_a_null_is_an_empty_field():
    names = ["slug", "title", "content", "description", "position", "author", "category", "meta", "status"]
    seen = shown({"id": 7} | dict.fromkeys(names))
    texts = dict.fromkeys(["slug", "title", "description", "meta_title", "meta_description"], "")
    others = dict.fromkeys(["position", "author", "category"])
    assert seen.fields == {**texts, **others, "content": body_digest(""), "tags": ()}
    assert (seen.status, seen.updated_at) == (None, 0)


def test_an_uncategorised_article_mentions_a_category_of_nulls():
    nulls = {"id": None, "name": None, "slug": None, "locale": None}
    assert shown({**WHOLE, "category": nulls}).fields["category"] is None


def test_meta_of_another_kind_than_text_counts_as_empty():
    fields = shown({**WHOLE, "meta": {"title": 5, "description": ["x"], "tags": ["a", 1, None]}}).fields
    assert (fields["meta_title"], fields["meta_description"], fields["tags"]) == ("", "", ("a",))


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (0, "draft"), (1, "published"), (2, "archived"), ("2", "archived"), ("draft", "draft"), (7, None),
        ("live", None), ("", None),
    ],
)  # fmt: skip
def test_a_status_is_read_by_number_and_by_word_and_an_unknown_one_is_none(number, status):
    assert CHATWOOT.status_of(number) == status


def test_a_status_without_a_number_is_told_before_anything_is_sent():
    with pytest.raises(ConfigError, match="`documented` has no number for the status `archived`"):
        read_profile("documented", folder=Path()).number_of(Status.ARCHIVED)


def test_lists_are_read_bare_or_wrapped_with_a_count_or_without():
    for body, count in (([WHOLE], None), ({"payload": [WHOLE]}, None), ({"payload": [WHOLE], "meta": None}, None)):
        answer = Answer("GET /x", 200, {}, json.dumps(body).encode())
        page = decode(answer, wire.ArticlePage | list[wire.WireArticle])
        assert (page if isinstance(page, list) else page.payload)[0].slug == "refunds"
        assert isinstance(page, list) or page.count is count


def test_a_portal_whose_lists_are_bare_is_observed_and_not_said_to_be_complete():
    answers = [reply(json.dumps(body)) for body in ([], [WHOLE], [WHOLE])]
    with a_server(*answers) as server, a_service(server.base_url) as service:
        seen = observe(service, locales=["en"])
    assert ([article.slug for article in seen.articles], seen.complete) == (["refunds"], False)


def test_portals_are_read_with_locales_as_objects_or_as_codes():
    portals = [
        {"id": 1, "slug": "a", "name": "A", "config": {"allowed_locales": [{"code": "en", "articles_count": 0}, "fr"]}},
        {"slug": "b", "archived": True, "config": {}},
    ]
    for body in (portals, {"payload": portals, "meta": {}}):
        with a_server(reply(json.dumps(body))) as server, a_service(server.base_url) as service:
            found = service.reader.fetch_portals()
        assert [(p.slug, p.name, p.locales, p.archived) for p in found] == [
            ("a", "A", ("en", "fr"), False),
            ("b", "b", (), True),
        ]


def test_the_owner_is_read_with_the_role_in_this_account():
    body = {"id": "5", "name": "Ada", "role": "agent", "accounts": [{"id": "1", "role": "administrator"}, {"id": 2}]}
    with a_server(reply(json.dumps(body))) as server, a_service(server.base_url) as service:
        owner = service.fetch_owner()
    assert (owner.id, owner.name, owner.role) == (5, "Ada", "administrator")


def test_a_row_keeps_everything_that_an_article_says():
    article = decode(Answer("GET /x", 200, {}, json.dumps(WHOLE).encode()), wire.WireArticle)
    categories = {3: Observed(kind="category", remote_id=3, locale="en", slug="billing", fields={"slug": "billing"})}
    seen = observed_row(row_of(article, CHATWOOT), "en", categories, {})
    assert seen == REFUNDS


def test_a_body_names_the_fields_as_the_service_does_and_sends_meta_whole():
    before = {"meta_title": "T", "meta_description": "", "tags": ("old",)}
    sent = {"title": "New", "content": "digest", "category": "billing", "author": 12, "tags": ("a",)}
    body = wire.article_body(sent, content="Text", category_id=3, meta_before=before)
    meta = {"title": "T", "tags": ("a",)}
    assert body == {"title": "New", "content": "Text", "category_id": 3, "author_id": 12, "meta": meta}


def test_without_a_field_of_meta_no_meta_is_sent():
    body = wire.article_body({"title": "x"}, content=None, category_id=None, meta_before={"tags": ("a",)})
    assert body == {"title": "x"}


def test_what_is_sent_is_json_with_the_status_as_a_number():
    with a_server(reply('{"id": 1}')) as server, a_service(server.base_url) as service:
        service.create_article({"title": "T", "tags": ("a",)}, content="é", locale="fr", category_id=None)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower()
    assert json.loads(body) == {"title": "T", "meta": {"tags": ["a"]}, "status": 0, "locale": "fr"}


def test_the_documented_profile_sends_only_what_its_document_names():
    with a_server(reply('{"id": 1}')) as server, a_service(server.base_url, profile="documented") as service:
        fields = {"title": "T", "slug": "t", "tags": ("a",), "position": 4, "meta_title": "x"}
        service.create_article(fields, content="c", locale="en", category_id=None)
        service.create_category({"name": "N", "slug": "n", "icon": "x", "position": 1}, locale="en")
    sent = [json.loads(request.partition(b"\r\n\r\n")[2]) for request in server.requests]
    assert sent == [
        {"title": "T", "slug": "t", "status": 0, "locale": "en"},
        {"name": "N", "slug": "n", "position": 1, "locale": "en"},
    ]


def test_parameters_are_encoded():
    with a_server(reply("[]")) as server, a_transport(server.base_url, clock=Sleepless()) as transport:
        transport.send("GET", "/x", query={"locale": "a&b=c", "page": 2})
    assert server.requests[0].startswith(b"GET /x?locale=a%26b%3Dc&page=2 ")


@pytest.mark.parametrize("key", ["id", "position", "updated_at"])
def test_a_number_that_fits_nowhere_is_no_answer(key):
    with pytest.raises(Misbehaved, match="int"):
        shown({**WHOLE, key: 10**30})


def test_an_id_of_thousands_of_digits_is_a_text():
    assert wire.as_id("9" * 5_000) == "9" * 5_000 and wire.as_id("12") == 12


@pytest.mark.parametrize(
    ("views", "author", "number", "name"),
    [
        (1204, {"id": 12, "name": " Ada Lovelace "}, 1204, (12, "Ada Lovelace")),
        (None, {"id": 12}, 0, (12, "")),
        ("1204", {"id": 12, "name": 5}, 0, (12, "")),
        (-1, None, 0, (0, "")),
        (10**30, {"id": "x" * 10_000, "name": "Eve"}, 0, ("x" * 10_000, "")),
    ],
)
def test_views_and_names_are_read_where_they_are_sound_and_never_make_an_answer_a_wrong_one(
    views, author, number, name
):
    body = json.dumps({**WHOLE, "views": views, "author": author}).encode()
    found = decode(Answer("GET /x", 200, {}, body), wire.WireArticle)
    assert (wire.views_of(found), wire.author_name(found)) == (number, name)
    # Rows are compared, and an article does not move because readers open it.
    assert row_of(found, CHATWOOT) == row_of(msgspec.structs.replace(found, views=7), CHATWOOT)


# --- several threads that read the first answers of a command --------------------------------------------------------


READ_AT_ONCE = """
import sys, threading
import msgspec
from kbsync.service.answers import decode
from kbsync.service.exchange import Answer

sys.setswitchinterval(1e-6)
answer = Answer("GET /x", 200, {}, b'{"rows":[{"f1":1,"f29":"x"}],"one":{"f3":2}}')
for number in range(60):
    row = msgspec.defstruct(f"Row{number}", [(f"f{at}", "int | str | None", None) for at in range(30)], module=__name__)
    globals()[row.__name__] = row
    fields = [("rows", f"list[Row{number}]"), ("one", f"Row{number} | None", None)]
    more = [(f"g{at}", "dict[str, int] | None", None) for at in range(30)]
    shape = msgspec.defstruct(f"Shape{number}", [*fields, *more], module=__name__)
    together = threading.Barrier(8)

    def read():
        together.wait()
        assert decode(answer, shape).rows[0].f29 == "x"

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("done")
"""


def test_threads_that_read_a_shape_for_the_first_time_at_once_do_not_crash():
    # In a process of its own: what went wrong ended the process.
    command = [sys.executable, "-c", READ_AT_ONCE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GIVE_UP_S, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
