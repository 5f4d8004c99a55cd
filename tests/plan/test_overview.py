"""Where the articles are: each is counted once, in its locale, and for every reason that there is."""

import pytest
from msgspec import structs

from kbsync.model import Action, Change, Held, Observed, Plan, Reason, Status
from kbsync.plan.overview import Overview, PlanInputs, build_overview

from .items import TARGET, Item, a_category, an_article


def inputs(files: list[Item], there: list[Item | Observed], records: list[Item] = [], **more: bool) -> PlanInputs:  # noqa: B006
    seen = [item.observed() if isinstance(item, Item) else item for item in there]
    return PlanInputs([item.desired() for item in files], seen, [item.base() for item in records], **more)


def change(item: Item, action: Action, number: int | None, was: str = "") -> Change:
    named = {"kind": "article", "locale": "en", "slug": item.slug, "path": item.desired().path, "title": item.slug}
    return Change(action=action, **named, remote_id=number, was=was)


def held(item: Item, reason: Reason, **given) -> Held:
    named = {"kind": item.kind, "locale": "en", "slug": item.slug, "path": item.desired().path}
    return Held(reason=reason, **named, remote_id=item.remote_id, fields=("title",), hint="", **given)


A, B = an_article(slug="a", remote_id=1), an_article(slug="b", remote_id=2)
OLD, RENAMED = an_article(slug="old", remote_id=1), an_article(slug="new")
LIVE = A.but(status=Status.PUBLISHED)
PENDING, ALSO_PENDING, STRANGER = (
    structs.replace(item.but(status=Status.PUBLISHED).observed(), staged={"title": "Edit"})
    for item in (A, B, an_article(slug="x", remote_id=9))
)
THEIRS, UNCLEAR = a_category(slug="x", remote_id=1), a_category(slug="x", remote_id=2)

# By what is promised: the plan, what it was made of, and what is counted in English.
COUNTED = {
    "an article with several changes is one that changed": (
        Plan(TARGET, (change(A, Action.UPDATE, 1), change(A, Action.PUBLISH, 1), change(B, Action.CREATE, None))),
        inputs([A, B], [A], [A]), {"files": 2, "draft": 1, "changed": 1, "new": 1}),
    "what already matches is neither new nor changed": (
        Plan(TARGET, (change(A, Action.ADOPT, 1),)), inputs([A], [LIVE]),
        {"live": 1, "new": 0, "changed": 0, "orphans": 0, "others": 0}),
    "an edit without a record needs a decision and is not called edited": (
        Plan(TARGET, held=(held(A, Reason.CONFLICT, has_base=False), held(B, Reason.DRIFT))),
        inputs([A, B], [A, B], [B]), {"decide": 2, "edited": 1}),
    "an article that a file was renamed to is no orphan": (
        Plan(TARGET, (change(RENAMED, Action.UPDATE, 1, was="en/old.md"),)), inputs([RENAMED], [OLD], [OLD]),
        {"orphans": 0, "changed": 1, "draft": 1}),
    "an article without a file is an orphan": (
        Plan(TARGET), inputs([], [OLD], [OLD]), {"files": 0, "draft": 1, "orphans": 1}),
    "a strange article is another one and its pending edit is not ours": (
        Plan(TARGET, unmanaged=(STRANGER,)), inputs([], [STRANGER]),
        {"others": 1, "live": 0, "pending": 0, "orphans": 0}),
    "a category with the number of an article hides nothing of that": (
        Plan(TARGET, unmanaged=(THEIRS.observed(),), held=(held(UNCLEAR, Reason.UNKNOWN),)),
        inputs([A], [PENDING, B], [A]), {"others": 0, "pending": 1, "orphans": 1}),
    "a pending edit of what was not chosen is not counted": (
        Plan(TARGET), inputs([A], [PENDING, ALSO_PENDING], [A, B], whole=False), {"live": 1, "pending": 1}),
    "a pending edit of what has no file is counted": (
        Plan(TARGET), inputs([A], [PENDING, ALSO_PENDING], [A, B]), {"pending": 2}),
    "what was not looked for is not zero": (
        Plan(TARGET), inputs([A], [A, B], [A], whole=False), {"others": None, "orphans": None, "draft": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "compared", "counts"), COUNTED.values(), ids=COUNTED)
def test_each_article_is_counted_as_what_it_is(plan, compared, counts):
    found = build_overview(plan, compared, ["en"], {}).locales[0]
    assert {name: getattr(found, name) for name in counts} == counts
    assert Overview(plan, (found, found)).total.others == (None if found.others is None else 2 * found.others)


def test_ten_thousand_articles_are_each_counted_once():
    made = [(f"a{n}", locale) for n in range(5_000) for locale in ("en", "fr")]
    items = [an_article(slug=slug, locale=locale, remote_id=number) for number, (slug, locale) in enumerate(made)]
    found = build_overview(Plan(TARGET), inputs(items, items, items), ["en", "fr"], {})
    assert (found.total.files, found.total.draft, found.total.orphans) == (10_000, 10_000, 0)
