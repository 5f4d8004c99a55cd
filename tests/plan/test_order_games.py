"""The order of a category through many plans: what a person dragged is never sent over, and every push ends in peace."""

from random import Random

import pytest
from msgspec.structs import replace

from kbsync.model import Base, Held, Plan
from kbsync.plan.resolve import Side, resolve_fields

from .items import Item, a_category, an_article, plan_of

BILLING = a_category(slug="billing", remote_id=900)
NAMES = "abcdef"


class Game:
    """One category: files, portal and ledger, and the order that both sides are known to have agreed on."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        step = self.rng.choice([1, 2, 10])
        self.files = {name: place * step for place, name in enumerate(NAMES, 1)}
        self.portal = dict(self.files)
        self.bases: dict[object, Base] = {}
        self.agreed = NAMES
        self.push()

    def item(self, name: str, number: int) -> Item:
        made = an_article(category="billing", position=number)
        return made.but(slug=name, path=f"en/billing/{name}.md", remote_id=ord(name))

    def order(self, numbers: dict[str, int]) -> str:
        rank = sorted(self.files, key=lambda name: (self.files[name], name))
        return "".join(sorted(numbers, key=lambda name: (numbers[name], rank.index(name))))

    def plan(self, **policy: object) -> Plan:
        tree, there = ([self.item(*article) for article in side.items()] for side in (self.files, self.portal))
        return plan_of([BILLING, *tree], [BILLING, *there], [BILLING, *self.bases.values()], **policy)

    def drag(self) -> None:
        """The panel numbers the whole category anew."""
        name, place = self.rng.choice(NAMES), self.rng.randrange(6)
        order = [other for other in self.order(self.portal) if other != name]
        order.insert(place, name)
        self.portal = {other: 10 * number for number, other in enumerate(order, 1)}

    def write(self) -> None:
        self.files[self.rng.choice(NAMES)] = self.rng.choice([*self.files.values(), *range(1, 80, 7)])

    def push(self, *, most: int = 99, **policy: object) -> None:
        plan = self.plan(**policy)
        # What somebody decided is agreed on as the files have it, which a drag may come back to.
        asked = bool(policy) or any(base.overruled or base.kept for base in self.bases.values())
        before, wanted = self.order(self.portal), self.order(self.files)
        if before != self.agreed and not asked:
            assert not self.sent(plan), (self.agreed, before, wanted)
        if before not in (self.agreed, wanted) and not asked:
            assert plan.held, (self.agreed, before, wanted)
        self.bases |= {base.remote_id: base for base in plan.settled if base.kind == "article"}
        for change in plan.changes[:most]:
            if "position" in change.after:
                number = change.after["position"]
                self.portal[change.slug] = number
                base = self.bases[change.remote_id]
                left = {name: value for name, value in base.overruled.items() if name != "position"}
                self.bases[change.remote_id] = replace(base, fields=base.fields | change.after, overruled=left)
        now = self.order(self.portal)
        if now == self.order(self.files) or (self.sent(plan) and not plan.held):
            self.agreed = now
        elif self.sent(plan):
            self.agreed = self.order(self.files)  # What is held beside it is a person's.

    def sent(self, plan: Plan) -> list[object]:
        return [change.slug for change in plan.changes if "position" in change.after]

    def overwrite(self) -> None:
        if held := self.plan().held:
            paths = [item.path for item in held]
            some = frozenset(self.rng.sample(paths, self.rng.randint(1, len(paths))))
            self.push(overwrite=some)

    def resolve(self) -> None:
        # What was decided about one place may leave another one out of order.
        for _ in range(2):
            for held in self.plan().held:
                self.decide(held, self.rng.choice(["ours", "theirs"]))
        assert self.plan().held == ()

    def decide(self, held: Held, side: Side) -> None:
        base = self.bases.get(held.remote_id)
        agreed = {value.name: value.leaves[0] for value in held.values if value.leaves}
        desired = self.item(held.slug, self.files[held.slug]).desired()
        observed = self.item(held.slug, self.portal[held.slug]).observed()
        self.bases[held.remote_id] = resolve_fields(desired, base, observed, ["position"], side, agreed)

    def end(self) -> None:
        """Everything is decided for the files, and the portal has their order; nothing is left."""
        for _ in range(3):
            self.push(overwrite=frozenset(f"en/billing/{name}.md" for name in NAMES))
        assert self.order(self.portal) == self.order(self.files) or any(base.kept for base in self.bases.values())
        assert not self.sent(self.plan())


@pytest.mark.parametrize("seed", range(120))
def test_no_drag_is_sent_over_unasked(seed: int):
    game = Game(seed)
    for _ in range(12):
        step = game.rng.choice(["drag", "write", "push", "push", "cut", "overwrite", "resolve"])
        if step == "cut":
            game.push(most=game.rng.randrange(3))
        else:
            getattr(game, step)()
    game.end()
