"""Builders of items on the three sides; each names only what the test is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from msgspec import structs

from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS, SideEffects
from kbsync.model import Action, Base, Desired, Manage, Observed, Pending, Plan, Status, Target
from kbsync.plan.build import build_plan
from kbsync.plan.draft import Policy
from kbsync.plan.known import SILENT, GitWord, Known, Likeness
from kbsync.plan.result import hold_again

TARGET = Target("https://support.example.com", 1, "handbook", "chatwoot")

CHATWOOT = frozenset({"list_articles", "update_article", "update_category", "delete_article", "delete_category"})

EFFECTS = SideEffects(renumbers_on=("category",), locale_follows="category")

POLICY = Policy(
    can=CHATWOOT,
    keeps={"article": frozenset(ARTICLE_FIELDS), "category": frozenset(CATEGORY_FIELDS)},
    side_effects=EFFECTS,
    max_fraction=1.0,
)


@dataclass(frozen=True)
class Item:
    """One article or category, to be put on whichever side a test wants it on."""

    kind: str = "article"
    slug: str = "refunds"
    locale: str = "en"
    remote_id: int = 7
    path: str = ""
    status: Status | None = None
    manage: Manage = Manage.TRUE
    aliases: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)

    def but(self, **changed: Any) -> Item:
        """The same with other fields; `slug`, `status` and the like are the item's own."""
        own = {name: changed.pop(name) for name in list(changed) if name in self.__dataclass_fields__}
        return replace(self, **own, fields={**self.fields, **changed})

    def without(self, *names: str) -> Item:
        """The same, with some fields left out."""
        return replace(self, fields={name: value for name, value in self.fields.items() if name not in names})

    @property
    def everywhere(self) -> dict[str, Any]:
        """What an item has on all sides."""
        return {
            "kind": self.kind,
            "locale": self.locale,
            "slug": self.slug,
            "fields": {"slug": self.slug, **self.fields},
        }

    @property
    def seen_status(self) -> Status | None:
        return self.status or (Status.DRAFT if self.kind == "article" else None)

    def desired(self) -> Desired:
        path = self.path or f"{self.locale}/{self.slug}.md"
        return Desired(**self.everywhere, path=path, status=self.status, manage=self.manage, aliases=self.aliases)

    def observed(self) -> Observed:
        return Observed(**self.everywhere, remote_id=self.remote_id, status=self.seen_status)

    def base(self) -> Base:
        path = self.desired().path
        return Base(**self.everywhere, remote_id=self.remote_id, path=path, status=self.seen_status)


def an_article(**fields: Any) -> Item:
    return Item(fields={"title": "Refunds", "content": "text"}).but(**fields)


def a_category(**fields: Any) -> Item:
    return Item(kind="category", slug="billing", remote_id=3, fields={"name": "Billing"}).but(**fields)


def a_lost_create(**after: Any) -> Pending:
    """A create of `an_article()` whose answer was lost."""
    named = {"kind": "article", "locale": "en", "slug": "refunds", "path": "en/refunds.md"}
    return Pending(entry=1, action="create", **named, remote_id=None, before={}, after=after)


def plan_of(
    desired: Iterable[Item | Desired] = (),
    observed: Iterable[Item | Observed] | None = (),
    base: Iterable[Item | Base] = (),
    pending: Iterable[Pending] = (),
    git: GitWord = SILENT,
    likeness: Likeness = MappingProxyType({}),
    **policy: Any,
) -> Plan:
    """The plan of some items on three sides."""
    known = Known(
        None if observed is None else [item.observed() if isinstance(item, Item) else item for item in observed],
        [item.base() if isinstance(item, Item) else item for item in base],
        tuple(pending),
        git,
        likeness,
    )
    wanted = [item.desired() if isinstance(item, Item) else item for item in desired]
    return build_plan(TARGET, wanted, known, policy=structs.replace(POLICY, **policy))


def carry_out(plan: Plan, portal: dict[int, Observed], ledger: dict[int, Base], now_s: int = 0) -> None:
    """A perfect service and ledger: every change succeeds; a slug that is taken is an error of the plan."""
    ledger |= {int(base.remote_id): base for base in plan.settled}
    made: dict[str, int] = {}
    for change in plan.changes:
        if change.action is Action.ADOPT:
            continue
        new = max((100, *portal, *ledger)) + 1
        number = made.setdefault(change.path, new) if change.remote_id is None else int(change.remote_id)
        unknown = {"kind": change.kind, "remote_id": number, "locale": change.locale, "slug": "", "fields": {}}
        seen = portal.get(number) or Observed(**unknown, status=Status.DRAFT)
        row = ledger.get(number) or Base(**unknown, path=change.path)
        after = {name: value for name, value in change.after.items() if name not in ("status", "locale")}
        slug, locale = str({**seen.fields, **after}["slug"]), str(change.after.get("locale", seen.locale))
        assert [n for n, other in portal.items() if other.slug == slug] in ([], [number]), f"{slug} is taken"
        both = {"slug": slug, "locale": locale}
        status = change.status if "status" in change.after else seen.status
        portal[number] = structs.replace(seen, **both, fields={**seen.fields, **after}, status=status, updated_at=now_s)
        agreed = change.status if change.action is Action.CREATE or "status" in change.after else row.status
        path = change.path or row.path
        known = structs.replace(row, **both, path=path, fields={**row.fields, **after}, status=agreed)
        ledger[number] = hold_again(known, row, change.leaves)


def sends(plan: Plan) -> dict[str, Any]:
    """The fields that the one update of a plan sends."""
    updates = [change for change in plan.changes if change.action is Action.UPDATE]
    assert len(updates) <= 1
    return {name: value for change in updates for name, value in change.after.items()}


def holds(plan: Plan) -> dict[str, str]:
    """By field: why it is held."""
    return {name: str(held.reason) for held in plan.held for name in held.fields}


def actions(plan: Plan) -> list[str]:
    """`create article refunds`, in the plan's order."""
    return [f"{change.action} {change.kind} {change.slug}" for change in plan.changes]


def came_of(plan: Plan) -> list[str]:
    """All that a plan does, in its order: `update article x title=new`, `x title: drift`, `KB501 en/x.md`."""
    sent = []
    for change in plan.changes:
        fields = change.after if change.action is Action.UPDATE else {}
        sent.append(" ".join([change.action, change.kind, change.slug, *(f"{n}={v}" for n, v in fields.items())]))
    held = [f"{held.slug} {' '.join(held.fields)}: {held.reason}" for held in plan.held]
    warned = [f"{finding.code} {finding.path}" for finding in plan.warnings]
    hidden = [f"unpublished {item.path}" for item in plan.unpublished]
    return sent + held + warned + hidden + [f"waits {item.path} {item.until}|{item.release}" for item in plan.waiting]
