"""The difference to the portal: what it says, when the portal is asked, what is shown meanwhile."""

from collections.abc import Mapping
from pathlib import Path

from kbsync.content.images import look_at
from kbsync.errors import Unreachable
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Value
from kbsync.preview.comparer import ASKING, FRESH_S, NOT_THERE, WITH_PORTAL, Comparer, LastPush, PortalArticle
from kbsync.site.writer_panel import WriterDiff
from preview.workshop import CONFIG, REFUNDS, TREE, Shop, a_shop, running, seen
from sandbox.asking import PNG

PATH = "en/billing/refunds.md"
SAME = PortalArticle({"title": "Refunds", "category": "billing", "tags": ()}, "Text.\n\n## When\n\nNow.\n", "draft")


class Portal:
    """A portal that has one article, or fails; counts what it is asked."""

    def __init__(self, article: PortalArticle | None = SAME, error: str = "") -> None:
        self.article, self.error, self.asked = article, error, 0

    def ask(self, _locale: str, _slug: str) -> PortalArticle | None:
        self.asked += 1
        if self.error:
            raise Unreachable(self.error)
        return self.article


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def compared(shop: Shop, portal: Portal, clock: Clock | None = None) -> tuple[Comparer, WriterDiff]:
    """The difference after the first question was answered."""
    told: list[str] = []
    comparer = Comparer(portal.ask, told.append, clock or Clock())
    assert comparer.diff_of(shop.live_tree, PATH) == ASKING
    diff = seen(comparer, shop)
    assert told == [PATH]
    return comparer, diff


def test_an_article_that_is_the_same_there_is_told_so(shop: Shop):
    _, diff = compared(shop, Portal())
    assert diff == WriterDiff("On the portal (draft). Everything is up to date.")


def test_fields_and_words_that_differ_are_shown_old_and_new(shop: Shop):
    fields = {"title": "Money back", "category": "billing"}
    _, diff = compared(shop, Portal(PortalArticle(fields, "Words.\n\n## When\n\nNow.\n", "published")))
    assert diff.state == "On the portal (published). Title and body differ."
    assert diff.fields == (("title", "Money back", "Refunds"),)
    assert '<div class="old"><del>Words</del>.</div><div class="new"><ins>Text</ins>.</div>' in diff.body_html


def test_links_are_compared_as_they_are_sent(tmp_path: Path):
    shop = a_shop(tmp_path, {**TREE, PATH: "---\ntitle: Refunds\n---\n[c](charges.md)\n"})
    portal = Portal(PortalArticle({"title": "Refunds"}, "[c](/hc/handbook/articles/charges)\n", "draft"))
    assert compared(shop, portal)[1].body_html == ""


def test_an_article_that_is_not_there_yet_is_told_so(shop: Shop):
    assert compared(shop, Portal(None))[1] == NOT_THERE


def test_a_portal_that_cannot_be_asked_is_told_and_left_in_peace_for_a_minute(shop: Shop):
    clock, portal = Clock(), Portal(error="cannot reach the portal")
    comparer, diff = compared(shop, portal, clock)
    assert diff.state == "Not compared: cannot reach the portal"
    seen(comparer, shop)
    assert portal.asked == 1


def test_a_save_is_compared_with_what_the_portal_said_within_the_minute(shop: Shop):
    clock, portal = Clock(), Portal()
    comparer, _ = compared(shop, portal, clock)
    shop.save(PATH, str(TREE[PATH]).replace("Text.", "Other."))
    html = seen(comparer, shop).body_html
    assert "<del>Text</del>" in html and "<ins>Other</ins>" in html
    assert portal.asked == 1
    clock.now = FRESH_S + 1
    seen(comparer, shop)
    assert portal.asked == 2


def test_an_open_page_gets_the_difference_when_it_is_known(tmp_path: Path):
    with running(tmp_path, ask=Portal(None).ask) as preview, preview.tab(REFUNDS) as tab:
        assert "A push creates it as a draft" in tab.page_with("A push creates it as a draft")


def test_without_a_portal_or_a_ledger_to_compare_with_the_page_says_how(tmp_path: Path):
    with running(tmp_path) as preview:
        page = preview.get(REFUNDS).text
        assert "Not compared with the portal." in page and "--portal" in page


# --- what the ledger says meanwhile ------------------------------------------------------------------------------------

BODY = "Text.\n\n## When\n\nNow.\n"


def since(shop: Shop, fields: Mapping[str, Value]) -> str:
    comparer = Comparer(lambda _locale, _slug: LastPush(fields), lambda _path: None, Clock())
    return seen(comparer, shop).state.removesuffix(WITH_PORTAL).strip()


def test_the_ledger_tells_what_changed_since_the_last_push(shop: Shop):
    assert since(shop, {"title": "Refunds", "content": body_digest(BODY)}) == "Not changed since the last push."
    assert since(shop, {"title": "Refunds", "content": body_digest("Other")}) == "Changed since the last push: body."
    assert since(shop, {"title": "X", "content": body_digest(BODY)}) == "Changed since the last push: title."
    assert since(shop, {}) == "This article was not pushed yet, as far as the ledger knows."


def test_an_uploaded_image_is_no_change_since_the_last_push(tmp_path: Path):
    shop = a_shop(tmp_path, {**TREE, PATH: "---\ntitle: Refunds\n---\n![p](p.png)\n", "en/billing/p.png": PNG})
    key = look_at("p.png", PNG).key
    sent = body_digest(f"![p](https://h/rails/active_storage/x/p-{key}.png)\n")
    assert since(shop, {"content": sent}) == "Not changed since the last push."
    other = body_digest(f"![p](https://h/rails/active_storage/x/p-{key[::-1]}.png)\n")
    assert since(shop, {"content": other}) == "Changed since the last push: body."


def test_an_article_that_the_portal_has_under_its_slug_of_before_there_was_a_prefix_is_found(tmp_path: Path):
    path, asked = "en/billing/summer.md", list[str]()

    def ask(_locale: str, slug: str) -> PortalArticle | None:
        asked.append(slug)
        return SAME if slug == "summer" else None

    files = TREE | {path: "---\ntitle: Summer\n---\nText.\n"}
    shop = a_shop(tmp_path, files, CONFIG.replace("[content]", '[content]\nslug_prefix = "help-"'))
    comparer = Comparer(ask, lambda _path: None, Clock())
    assert seen(comparer, shop, path) not in (ASKING, NOT_THERE)
    assert asked == ["help-summer", "summer"]
