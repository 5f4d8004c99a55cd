"""Where the articles are: each is counted once, in its locale, and for every reason that there is."""

from __future__ import annotations

from kbsync.model import Action, Base, Change, Desired, Held, Observed, Plan, Reason, Status, Target
from kbsync.plan.overview import LocaleState, Overview, PlanInputs, build_overview

TARGET = Target("https://a.example", 1, "handbook", "chatwoot")


def ours(slug: str, locale: str = "en", root: str = "") -> Desired:
    path = f"{locale}/{slug}.md"
    return Desired(kind="article", locale=locale, slug=slug, path=path, fields={"title": slug}, root_path=root)


def there(slug: str, number: int, status: Status = Status.DRAFT, locale: str = "en", **given) -> Observed:
    return Observed(
        kind="article", remote_id=number, locale=locale, slug=slug, fields={"title": slug}, status=status, **given
    )


def record(slug: str, number: int, locale: str = "en") -> Base:
    return Base(kind="article", locale=locale, slug=slug, path=f"{locale}/{slug}.md", remote_id=number, fields={})


def change(slug: str, action: Action, number: int | None) -> Change:
    return Change(
        action=action, kind="article", locale="en", slug=slug, path=f"en/{slug}.md", remote_id=number, title=slug
    )


def held(slug: str, reason: Reason, number: int, **given) -> Held:
    path = f"en/{slug}.md"
    return Held(
        reason=reason, kind="article", locale="en", slug=slug, path=path, remote_id=number, fields=("title",), hint="",
        **given,
    )  # fmt: skip


def english(plan: Plan, compared: PlanInputs) -> LocaleState:
    return build_overview(plan, compared, ["en"], {}).locales[0]


def test_an_article_with_several_changes_is_one_that_changed():
    changes = (change("a", Action.UPDATE, 1), change("a", Action.PUBLISH, 1), change("b", Action.CREATE, None))
    found = english(Plan(TARGET, changes), PlanInputs([ours("a"), ours("b")], [there("a", 1)], [record("a", 1)]))
    assert (found.files, found.draft, found.changed, found.new) == (2, 1, 1, 1)


def test_what_already_matches_is_neither_new_nor_changed():
    plan = Plan(TARGET, (change("a", Action.ADOPT, 1),))
    found = english(plan, PlanInputs([ours("a")], [there("a", 1, Status.PUBLISHED)], []))
    assert (found.live, found.new, found.changed, found.orphans, found.others) == (1, 0, 0, 0, 0)


def test_an_edit_without_a_record_needs_a_decision_and_is_not_called_edited():
    plan = Plan(TARGET, held=(held("a", Reason.CONFLICT, 1, has_base=False), held("b", Reason.DRIFT, 2)))
    both = PlanInputs([ours("a"), ours("b")], [there("a", 1), there("b", 2)], [record("b", 2)])
    found = english(plan, both)
    assert (found.decide, found.edited) == (2, 1)


def test_an_article_that_a_file_was_renamed_to_is_no_orphan():
    renamed = Change(
        action=Action.UPDATE, kind="article", locale="en", slug="new", path="en/new.md", remote_id=1, title="", was="en/old.md"
    )  # fmt: skip
    found = english(Plan(TARGET, (renamed,)), PlanInputs([ours("new")], [there("old", 1)], [record("old", 1)]))
    assert (found.orphans, found.changed, found.draft) == (0, 1, 1)
    gone = english(Plan(TARGET), PlanInputs([], [there("old", 1)], [record("old", 1)]))
    assert (gone.files, gone.draft, gone.orphans) == (0, 1, 1)


def test_a_strange_article_is_another_one_and_its_pending_edit_is_not_ours():
    stranger = there("x", 9, Status.PUBLISHED, staged={"title": "Edit"})
    plan = Plan(TARGET, unmanaged=(stranger,))
    found = english(plan, PlanInputs([], [stranger], []))
    assert (found.others, found.live, found.pending, found.orphans) == (1, 0, 0, 0)


def test_a_category_with_the_number_of_an_article_hides_nothing_of_that():
    theirs = Observed(kind="category", remote_id=1, locale="en", slug="x", fields={})
    unclear = Held(
        reason=Reason.UNKNOWN, kind="category", locale="en", slug="x", path="", remote_id=2, fields=(), hint=""
    )
    seen = [there("a", 1, Status.PUBLISHED, staged={"title": "Edit"}), there("gone", 2)]
    found = english(Plan(TARGET, unmanaged=(theirs,), held=(unclear,)), PlanInputs([ours("a")], seen, [record("a", 1)]))
    assert (found.others, found.pending, found.orphans) == (0, 1, 1)


def test_a_pending_edit_of_what_was_not_chosen_is_not_counted():
    staged = {"title": "Edit"}
    seen = [there("a", 1, Status.PUBLISHED, staged=staged), there("b", 2, Status.PUBLISHED, staged=staged)]
    records = [record("a", 1), record("b", 2)]
    found = english(Plan(TARGET), PlanInputs([ours("a")], seen, records, whole=False))
    assert (found.live, found.pending) == (1, 1)
    assert english(Plan(TARGET), PlanInputs([ours("a")], seen, records)).pending == 2


def test_what_was_not_looked_for_is_not_zero():
    found = english(
        Plan(TARGET), PlanInputs([ours("a")], [there("a", 1), there("b", 2)], [record("a", 1)], whole=False)
    )
    assert (found.others, found.orphans, found.draft) == (None, None, 1)
    assert Overview(Plan(TARGET), (found, found)).total.others is None


def test_ten_thousand_articles_are_each_counted_once():
    desired = [ours(f"a{n}", locale) for n in range(5_000) for locale in ("en", "fr")]
    numbers = {item.path: number for number, item in enumerate(desired)}
    observed = [there(item.slug, numbers[item.path], locale=item.locale) for item in desired]
    bases = [record(item.slug, numbers[item.path], item.locale) for item in desired]
    found = build_overview(Plan(TARGET), PlanInputs(desired, observed, bases), ["en", "fr"], {})
    assert (found.total.files, found.total.draft, found.total.orphans) == (10_000, 10_000, 0)
