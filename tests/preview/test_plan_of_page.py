"""The Portal tab shows what the plan has for a file, and nothing that contradicts it."""

from dataclasses import dataclass, field

from kbsync.content.body import raw_digest
from kbsync.preview.comparer import NOT_FOUND, PLANNING, Comparer, PortalArticle
from kbsync.preview.file_plan import UP_TO_DATE, FilePlan, FilePlans
from kbsync.site.writer_panel import Command
from preview.workshop import TREE, Shop, seen

PATH = "en/billing/refunds.md"
TEXT = str(TREE[PATH])


@dataclass
class Portal:
    """A portal with one article under one slug, and the plans that were made of it."""

    slug: str = "refunds"
    plans: list[FilePlans] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    now: float = 0.0

    def ask(self, _locale: str, slug: str) -> PortalArticle | None:
        self.asked.append(slug)
        return PortalArticle({"title": "Refunds"}, "Text.\n\n## When\n\nNow.\n", "draft") if slug == self.slug else None

    def plan(self) -> FilePlans:
        self.now += 1
        return self.plans.pop(0)

    def clock(self) -> float:
        return self.now


def a_plan(text: str = TEXT, *sentences: str, place: tuple[str, str] | None = ("en", "refunds")) -> FilePlans:
    commands = (Command("Send your file", f"kbsync resolve {PATH} --ours"),)
    plan = FilePlan(raw_digest(text.encode()), sentences, commands, place, is_edited=True)
    return FilePlans({PATH: plan})


def a_comparer(portal: Portal, notified: list[str]) -> Comparer:
    return Comparer(portal.ask, notified.append, portal.clock, portal.plan)


def test_the_sentences_and_commands_of_the_plan_are_shown(shop: Shop):
    notified: list[str] = []
    comparer = a_comparer(Portal(plans=[a_plan(TEXT, "Needs your decision: title: edited in the panel.")]), notified)
    diff = seen(comparer, shop)
    assert diff.plan == ("Needs your decision: title: edited in the panel.",)
    assert [command.line for command in diff.commands] == [f"kbsync resolve {PATH} --ours"]
    assert "" in notified and comparer.edited() == {PATH}


def test_an_article_is_compared_where_the_plan_found_it_and_called_missing_only_by_the_plan(shop: Shop):
    portal = Portal("old-name", [a_plan(TEXT, "The slug becomes `refunds`.", place=("en", "old-name"))])
    diff = seen(a_comparer(portal, []), shop)
    assert portal.asked == ["old-name"]
    assert diff.state == "On the portal (draft). Fields and body are the same."
    diff = seen(a_comparer(Portal("elsewhere", [a_plan(TEXT, "A push creates it.", place=None)]), []), shop)
    assert (diff.state, diff.plan) == (NOT_FOUND, ("A push creates it.",))


def test_what_is_up_to_date_is_said_once(shop: Shop):
    diff = seen(a_comparer(Portal(plans=[a_plan(TEXT, UP_TO_DATE)]), []), shop)
    assert (diff.state, diff.plan) == ("On the portal (draft).", (UP_TO_DATE,))


def test_of_a_file_that_was_saved_since_the_plan_says_nothing(shop: Shop):
    changed = TEXT.replace("Text.", "Other.")
    portal = Portal(plans=[a_plan(TEXT, "Old."), a_plan(changed, "New.")])
    comparer = a_comparer(portal, [])
    assert seen(comparer, shop).plan == ("Old.",)
    portal.now += 1
    shop.save(PATH, changed)
    assert comparer.diff_of(shop.live_tree, PATH).plan == (PLANNING,)
    portal.now += 100
    assert seen(comparer, shop).plan == ("New.",)


def test_why_there_is_no_plan_is_shown(shop: Shop):
    diff = seen(a_comparer(Portal(plans=[FilePlans(error="Your files have errors.")]), []), shop)
    assert diff.plan == ("There is no plan: Your files have errors.",)
