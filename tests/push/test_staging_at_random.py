"""A writer and a colleague in the panel, each doing anything at any time: no edit is lost, and each is told of."""

import random
from dataclasses import dataclass, field

import pytest

from kbsync.sandbox import random_faults
from rings import seeds

from .test_faults import KINDS
from .test_staging import OLD, X, tree
from .world import World, a_project, a_pushed_world

STEPS, GAMES = 120, 4


@dataclass
class Round:
    """One article that is live, and everybody who works on it. Every text is typed once, so it says who wrote it."""

    world: World
    rng: random.Random
    number: int = 0
    file: str = OLD
    former: list[str] = field(default_factory=lambda: [OLD])
    told: list[str] = field(default_factory=list)

    def new_text(self, who: str) -> str:
        self.number += 1
        return f"Text {self.number} of {who}.\n"

    @property
    def shown(self) -> tuple[str, str | None]:
        """What readers see, and what is pending."""
        article = self.world.article("x")
        return article.content, article.draft_content

    # --- what may happen -----------------------------------------------------------------------------------------

    def edit_the_file(self) -> None:
        back = self.rng.random() < 0.3
        self.file = self.rng.choice(self.former) if back else self.new_text("the writer")
        self.former.append(self.file)
        self.world.write(tree(self.file))

    def type_in_the_panel(self) -> None:
        self.world.sandbox.panel.write("x", content=self.new_text("a colleague"))

    def publish_in_the_panel(self) -> None:
        self.world.sandbox.panel.publish_staged("x")

    def discard_in_the_panel(self) -> None:
        self.world.sandbox.panel.discard_staged("x")

    def edit_what_readers_see(self) -> None:
        self.world.sandbox.panel.edit("x", content=self.new_text("a colleague"))

    def lose_the_ledger(self) -> None:
        old = self.world.project
        folder = old.root.parent / f"clone-{self.number}-{self.rng.random()}"
        folder.mkdir()
        settings = {"publish": True, "live": old.settings.push.live}
        self.world.project = a_project(folder, self.world.sandbox.base_url, tree(self.file), **settings)

    def push(self, *, meanwhile: bool = False, **options: object) -> None:
        """Push; sometimes the colleague does something between the plan and the first request."""
        before = self.shown

        def person() -> None:
            nonlocal before
            if meanwhile:
                self.rng.choice(self.of_the_colleague)()
                before = self.shown

        pushed = self.world.push(before_sending=person, full=True, **options)
        assert pushed.error is None
        self.check(before, self.shown, options)
        if not meanwhile and pushed.words <= {"done"}:
            assert self.world.plan(full=True, **options).changes == ()

    def push_in_trouble(self, **options: object) -> None:
        """Push while requests and answers get lost, and then once more in peace."""
        faults, before = self.world.sandbox.faults, self.shown
        first, decide = faults.number, random_faults(self.rng.randrange(1_000_000), 0.3, [*KINDS.values()])
        faults.follow(lambda number: decide(number - first))
        self.world.push(full=True, **options)
        faults.clear()
        self.check(before, self.shown, options)
        self.push(**options)

    @property
    def of_the_colleague(self):
        at_staged = [self.type_in_the_panel, self.publish_in_the_panel, self.discard_in_the_panel]
        return [*at_staged, self.edit_what_readers_see]

    # --- what must be true ---------------------------------------------------------------------------------------

    def check(self, before: tuple[str, str | None], after: tuple[str, str | None], options: dict[str, object]) -> None:
        theirs = {text for text in before if text and "colleague" in text}
        assert theirs <= set(after), "an edit of the colleague is gone"
        if options.get("publish_staged"):
            assert after[0] in before, "readers see what nobody staged"
        elif options.get("stage"):
            assert after[0] == before[0], "readers see what was to be staged"
        plan = self.world.plan(full=True, **options)
        if theirs and self.file not in after and not options.get("publish_staged"):
            assert {held.path for held in plan.held} == {X}, "nobody is told of the edit of the colleague"
        assert self.world.slugs() == ["x", "y"]

    def step(self) -> None:
        anything = [
            self.edit_the_file,
            self.edit_the_file,
            *self.of_the_colleague[:3],
            lambda: self.push(stage=True),
            lambda: self.push(stage=True),
            lambda: self.push(stage=True, meanwhile=True),
            lambda: self.push(publish_staged=True),
            lambda: self.push(publish_staged=True, meanwhile=True),
            lambda: self.push_in_trouble(stage=True),
            lambda: self.push_in_trouble(publish_staged=True),
        ]
        pushes = [self.push, lambda: self.push(meanwhile=True), self.push_in_trouble]
        seldom = [self.edit_what_readers_see, self.lose_the_ledger, *pushes]
        self.rng.choice(seldom if self.rng.random() < 0.15 else anything)()

    def agree(self) -> None:
        """Somebody sends the file over everything, so that the round can go on with both sides the same."""
        pushed = self.world.push(overwrite=(X,), live=(X,), full=True, here=self.world.project.root)
        assert pushed.words <= {"done"} and self.shown[0] == self.file
        if self.shown[1] is not None:
            # Over a text that is the file's already there is nothing to send, and the edit is named.
            assert [held.path for held in pushed.plan.held] == [X]
            self.discard_in_the_panel()


@pytest.mark.parametrize("seed", seeds(GAMES))
def test_no_edit_is_lost_and_each_is_told_of(tmp_path, seed):
    with a_pushed_world(tmp_path, tree(), publish=True) as world:
        round_ = Round(world, random.Random(seed))
        for number in range(STEPS):
            round_.step()
            if number % 15 == 14:
                round_.agree()
