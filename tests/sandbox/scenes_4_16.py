"""The recordings of 4.16.2 in scenes: each ran against a fresh database, with preparations that were not recorded.

What is left out stands in LEFT_OUT, with the reason.
"""

from dataclasses import replace

from kbsync.sandbox import V4_16, PortalSetup, Setup, UserSetup

from .asking import call
from .scenes import Scene, article, bare_portal, category, fifty_nine_uploads, nine_requests, sixty_articles, sql, steps
from .world import ACME, AGENT, HANDBOOK, NEIGHBOUR

NO_PLAN = "noplan-token-0004"
MAIN = Setup(
    account_name="Main",
    portals=(ACME.portals[0], PortalSetup("other", "Other", ("en", "fr"), "en")),
    users=(ACME.users[0], UserSetup(2, "Abel Agent", "abel@example.com", "agent", AGENT)),
    neighbours=(
        replace(NEIGHBOUR, account_name="Elsewhere"),
        Setup(
            account_id=3,
            account_name="No plan",
            portals=(),
            users=(UserSetup(4, "Nora Noplan", "nora@example.com", "administrator", NO_PLAN),),
        ),
    ),
)

ELSEWHERE = "the sandbox fetches from itself alone, and this address was another server's; see test_s143_… in test_portals_4_16.py"
RACE = "one of 20 requests at once, which come in any order; see test_service.py"
LEFT_OUT = {**dict.fromkeys(range(518, 528), ELSEWHERE), 544: RACE, 545: RACE}
STATUS_ONLY = {15: "fields of the inbox, which is not the help center"}
ANY_ORDER = {
    106: "categories without a position",
    122: "categories that tie in their position",
    123: "categories that tie in their position",
    432: "articles that tie in their position",
}
"""The order among some rows is arbitrary: all of the rows are compared, in order of what is in them."""
TIED = dict.fromkeys((326, 431, 434, 482), "articles that tie, and a body that is cut: the positions are compared")
SITEMAP = {447: "addresses in any order: the lines are compared"}

DOCUMENTATION = {
    "layout": "documentation",
    "locale_translations": {"en": {"name": "Hand EN", "page_title": "Title EN", "header_text": "Hi"}},
}
PLAIN = {"layout": "classic", "locale_translations": {}}


def portal_settings(settings):
    return lambda sandbox: call(sandbox, "PATCH", HANDBOOK, {"config": settings})


def make(sandbox, slug, **fields):
    article(sandbox, slug, **{"title": f"T {slug}", "content": f"body of {slug}"} | fields)


def made(slug, **fields):
    """A step that makes an article."""
    return lambda sandbox: make(sandbox, slug, **fields)


def guide(sandbox, **fields):
    category(sandbox, **{"name": "Guide", "slug": "guide", "locale": "en"} | fields)


def a_category_of_another_portal(sandbox):
    category(sandbox, "other", name="O", slug="o", locale="en")


def author_gone(number):
    return sql("UPDATE articles SET author_id = 99 WHERE id = ?", number)


AUTHORS_BACK = sql("UPDATE articles SET author_id = 1 WHERE author_id = 99")


def three_categories(sandbox):
    guide(sandbox)
    category(sandbox, name="More", slug="more", locale="en")
    guide(sandbox, locale="fr")


def articles_to_order(sandbox):
    three_categories(sandbox)
    for number in range(1, 6):
        make(sandbox, f"a{number}", category_id=1, status=1)
    make(sandbox, "u1")
    make(sandbox, "u2")
    make(sandbox, "lone", category_id=2)
    make(sandbox, "foreign", portal="other")


def articles_for_bulk_actions(sandbox):
    AUTHORS_BACK(sandbox)
    make(sandbox, "empty", content="")
    make(sandbox, "root")
    make(sandbox, "translation", associated_article_id=11)
    for number in range(13, 133):
        make(sandbox, f"bulk-{number}")


def public_site(sandbox):
    guide(sandbox, icon="book-2-line", icon_color="#112233")
    guide(sandbox, locale="fr")
    category(sandbox, name="Emoji", slug="emoji", locale="en", icon="🚀")
    body, meta = "# Head\n\nBody & <b>raw</b>\r\n", {"title": "MT", "description": "MD", "tags": ["a", "b"]}
    make(sandbox, "pub", content=body, status=1, category_id=1, meta=meta)
    make(sandbox, "dra", content="draft body", category_id=1)
    make(sandbox, "arc", content="archived body", category_id=1, status=2)
    loose = (("v1.2", "dot"), ("nocat", "nocat"), ("日本語", "cjk"), ("x.md", "md"))
    for slug, word in loose:
        make(sandbox, slug, content=f"{word} body", status=1)
    make(sandbox, "a/b", content="slash", status=1)
    make(sandbox, "pub-fr", content="corps", status=1, category_id=2)
    make(sandbox, "other-art", portal="other", status=1)


def views(count):
    return sql("UPDATE articles SET views = ? WHERE id = 1", count)


def sixty_of_another_order(sandbox):
    guide(sandbox)
    guide(sandbox, locale="fr")
    sixty_articles(sandbox, ("refunds", "payments", "shipping"), "T art-{:02}", (1, 2))


def after_the_race(sandbox):
    sandbox.panel.run(lambda world: [world.store.take_id("articles") for _ in range(19)])
    sandbox.panel.edit("race", content="v19")
    guide(sandbox)
    guide(sandbox, locale="fr")
    make(sandbox, "old", category_id=1, status=1)


def a_draft(sandbox):
    call(sandbox, "PATCH", f"{HANDBOOK}/articles/22", {"draft_content": "d3"})


CREATES = {
    183: a_category_of_another_portal,
    185: made("other-1", portal="other", category_id=8),
    186: steps(made("root-1"), made("tr-1", associated_article_id=40, locale="fr")),
}
STAGING = {
    199: three_categories,
    234: made("drf", category_id=1),
    237: author_gone(2),
    240: sql("UPDATE articles SET locale = 'fr' WHERE id = 2"),
    247: made("cl", category_id=1, status=1),
    249: made("empty", content=""),
    257: steps(made("upd", category_id=1, status=1), made("taken")),
}
ORDER = {
    306: articles_to_order,
    327: author_gone(3),
    329: articles_for_bulk_actions,
    355: author_gone(4),
    357: AUTHORS_BACK,
}
IN_DOCUMENTATION = (372, 377, 428, 438, 443)
"""Some pages were asked for again in the documentation layout, and only that answer was kept."""

PUBLIC = {
    374: views(1),
    375: views(None),
    372: steps(public_site, portal_settings(DOCUMENTATION)),
    **{number: portal_settings(DOCUMENTATION) for number in IN_DOCUMENTATION[1:]},
    **{number + 1: portal_settings(PLAIN) for number in IN_DOCUMENTATION},
    458: portal_settings({"draft_locales": ["ja"]}),
}
LATER = {
    547: after_the_race,
    550: steps(made("old2"), made("old")),
    559: a_draft,
    560: made("ws", content="\r\nA\r\n \n"),
    563: steps(made("r1"), made("t1", associated_article_id=26, draft_content="pend", locale="fr")),
}
SCENES = (
    Scene(0, 81, {76: bare_portal, 80: sql("UPDATE portals SET config = 'null' WHERE slug = 'bare'")}),
    Scene(82, 198, CREATES),
    Scene(199, 305, STAGING),
    Scene(306, 371, ORDER),
    Scene(372, 461, PUBLIC),
    Scene(462, 496, {462: sixty_of_another_order}),
    Scene(497, 527),
    Scene(528, 532, {528: nine_requests}, behaviour=replace(V4_16, requests_per_minute=10)),
    Scene(533, 533),
    Scene(534, 539, {534: fifty_nine_uploads}),
    Scene(540, 565, LATER),
)
