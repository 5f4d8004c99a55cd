"""Whatever a clone knows: one source, one article. Files, commits, ledgers and people that hypothesis makes up.

A small world of plain values stands in for git, the portal and the ledger. It knows which file is which, also where the
names and slugs of files were traded; the plan has to find that out, or to hold.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from msgspec import structs

from kbsync.model import Action, Base, Desired, Observed, Plan, Status, Value
from kbsync.plan.assign import knots_of
from kbsync.plan.build import build_plan
from kbsync.plan.known import NEVER, Former, GitWord, Known
from kbsync.plan.match import weigh
from kbsync.plan.questions import questions_for
from kbsync.plan.texts import bodies_to_compare, compared

from .items import POLICY, TARGET, carry_out

FILES = 5
NOUNS = ["refund", "invoice", "colleague", "payment", "mailbox", "report", "contact", "campaign"]


@dataclass(frozen=True, repr=False)
class File:
    """A source, with what is never read by kbsync: who it is. `edits` count the words that changed."""

    who: int
    path: str
    slug: str
    category: str = "k"
    edits: int = 0
    status: Status = Status.DRAFT

    def __repr__(self) -> str:
        return f"{self.who}:{self.path}={self.slug}@{self.category}+{self.edits}{self.status[0]}"

    @property
    def locale(self) -> str:
        return self.path.partition("/")[0]

    @property
    def text(self) -> str:
        noun = NOUNS[self.who]
        kept = [f"{noun}{number}" for number in range(20)]
        return " ".join([*(f"edit{n}of{noun}" for n in range(self.edits)), *kept])

    @property
    def fields(self) -> dict[str, str]:
        return {"slug": self.slug, "title": f"Title {self.who}", "content": self.text, "category": self.category}

    def desired(self) -> Desired:
        return Desired(
            kind="article", locale=self.locale, slug=self.slug, path=self.path, fields=self.fields, status=self.status
        )

    def observed(self, touched_at: int) -> Observed:
        named = {"kind": "article", "remote_id": self.who, "locale": self.locale, "slug": self.slug}
        return Observed(**named, fields=self.fields, status=self.status, updated_at=touched_at)

    def base(self) -> Base:
        return a_base(self.who, self.slug, self.locale, self.path, self.fields, self.status)


def a_base(
    who: int | str, slug: str, locale: str, path: str, fields: Mapping[str, Value], status: Status | None = None
) -> Base:
    return Base(kind="article", remote_id=who, locale=locale, slug=slug, path=path, fields=fields, status=status)


@dataclass(repr=False)
class World:
    """Commits (each a whole tree), what the portal holds, and the ledger's rows."""

    commits: list[list[File]]
    portal: dict[int, Observed]
    ledger: dict[int, Base]
    has_git: bool
    persons: dict[int, set[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        portal = [f"{n}={item.slug} {item.title} {item.updated_at}" for n, item in self.portal.items()]
        rows = [f"{n}:{row.path}={row.slug} {row.fields['title']}" for n, row in self.ledger.items()]
        return "\n".join(("", *map(repr, self.commits), repr(portal), repr(rows), repr(self.persons)))

    @property
    def head(self) -> list[File]:
        return self.commits[-1]

    def git(self, tree: Iterable[File]) -> GitWord:
        """What git would say: commit n was made at n * 10."""
        if not self.has_git:
            return GitWord(word="there is no repository: make one")
        former, proofs, deleted = {}, {}, []
        here = {file.who: file for file in tree}
        for who in {file.who for commit in self.commits for file in commit}:
            lives = [next((f for f in commit if f.who == who), None) for commit in self.commits]
            until = [NEVER if number + 1 == len(lives) else (number + 1) * 10 for number in range(len(lives))]
            for place in reversed(range(len(lives) - 1)):
                if lives[place] == lives[place + 1]:
                    until[place] = until[place + 1]
            revisions = [(life, end) for life, end in zip(lives, until, strict=True) if life][::-1]
            for seen in self.portal.values():
                proof: dict[str, bool] = {}
                for life, end in revisions:
                    shown = {**life.fields, "status": life.status, "locale": life.locale}
                    there = {**seen.fields, "status": seen.status, "locale": seen.locale}
                    for name, value in shown.items():
                        if value == there[name]:
                            proof[name] = proof.get(name, False) or seen.updated_at <= end
                if who in here:
                    proofs[here[who].path, seen.remote_id] = proof
                elif seen.slug == revisions[0][0].slug and proof.keys() & {"title", "content"}:
                    fields = {name: seen.fields[name] if proof.get(name) else None for name in seen.fields}
                    deleted.append(a_base(seen.remote_id, seen.slug, seen.locale, revisions[0][0].path, fields))
            if who in here:
                was = dict.fromkeys((life.path, life.locale, life.slug, end) for life, end in revisions)
                former[here[who].path] = tuple(Former(*one) for one in was)
        return GitWord(former, proofs, tuple(deleted))

    def known(self) -> Known:
        known = Known(list(self.portal.values()), list(self.ledger.values()))
        tree = [file.desired() for file in self.head]
        if questions_for(weigh(tree, known)):
            known = structs.replace(known, git=self.git(self.head))
        for _ in range(3):
            weighed = weigh(tree, known)
            ours = {path: str(item.fields["content"]) for path, item in weighed.items.items()}
            theirs = {node: str(article.some.fields["content"]) for node, article in weighed.index.nodes.items()}
            pairs = compared(weighed, bodies_to_compare(weighed), ours, theirs)
            known = structs.replace(known, likeness={**known.likeness, **pairs})
        return known

    def plan(self, **policy: object) -> Plan:
        tree = [file.desired() for file in self.head]
        known = self.known()
        plan = build_plan(TARGET, tree, known, policy=structs.replace(POLICY, publish=True, **policy))
        if self.has_git and plan.held and not known.git.proofs:
            known = structs.replace(known, git=self.git(self.head))
            plan = build_plan(TARGET, tree, known, policy=structs.replace(POLICY, publish=True, **policy))
        return plan

    def push(self) -> Plan:
        plan = self.plan()
        carry_out(plan, self.portal, self.ledger, len(self.commits) * 10 + 1)
        return plan


def next_commit(draw: st.DrawFn, tree: list[File]) -> list[File]:
    """A tree after one commit: slugs and names that change hands, and edits beside."""
    tree = list(tree)
    some = draw(st.permutations(range(len(tree))))[: draw(st.integers(0, len(tree)))]
    what = draw(
        st.sampled_from(["slugs", "chain", "paths", "edit", "move", "rename", "locale", "status", "delete", "new"])
    )
    match what:
        case "slugs":
            given_to = dict(zip(some, [tree[place].slug for place in [*some[1:], *some[:1]]], strict=True))
            tree = [replace(file, slug=given_to.get(n, file.slug)) for n, file in enumerate(tree)]
        case "chain" if some:
            slugs = [tree[place].slug for place in some[1:]] + [f"fresh{draw(st.integers(0, 9))}-{len(tree)}"]
            if slugs[-1] not in {file.slug for file in tree}:
                given_to = dict(zip(some, slugs, strict=True))
                tree = [replace(file, slug=given_to.get(n, file.slug)) for n, file in enumerate(tree)]
        case "paths":
            given_to = dict(zip(some, [tree[place].path for place in [*some[1:], *some[:1]]], strict=True))
            tree = [replace(file, path=given_to.get(n, file.path)) for n, file in enumerate(tree)]
        case "move":
            tree = [replace(file, category="l") if n in some else file for n, file in enumerate(tree)]
        case "rename":
            tree = [
                replace(f, path=f.path.replace(".md", "x.md"), slug=f"{f.slug}x") if n in some else f
                for n, f in enumerate(tree)
            ]
        case "locale":
            tree = [
                replace(f, path=f.path.replace("en/", "fr/", 1)) if n in some[:1] else f for n, f in enumerate(tree)
            ]
        case "status":
            status = draw(st.sampled_from(Status))
            tree = [replace(file, status=status) if n in some else file for n, file in enumerate(tree)]
        case "delete":
            tree = [file for n, file in enumerate(tree) if n not in some[:1]]
        case "new":
            who = next((n for n in range(FILES + 2) if n not in {file.who for file in tree}), None)
            if who is not None and who >= FILES:
                tree.append(File(who, f"en/{NOUNS[who]}.md", NOUNS[who]))
    edited = draw(st.sets(st.integers(0, FILES)))
    tree = [replace(file, edits=file.edits + 1) if n in edited else file for n, file in enumerate(tree)]
    unique = len({file.slug for file in tree}) == len(tree) == len({file.path for file in tree})
    return tree if unique else list(draw(st.just([])) or [])


@st.composite
def worlds(draw: st.DrawFn, *, git: bool = True) -> World:
    first = [File(n, f"en/{NOUNS[n]}.md", NOUNS[n]) for n in range(draw(st.integers(1, FILES)))]
    commits = [first]
    for _ in range(draw(st.integers(1, 4))):
        commits.append(next_commit(draw, commits[-1]) or commits[-1])
    # Without git, what several commits traded one after the other cannot be told any more.
    pushed = draw(st.integers(0 if git else max(0, len(commits) - 2), len(commits) - 1))
    portal = {file.who: file.observed(pushed * 10 + 5) for file in commits[pushed]}
    knows = draw(st.sampled_from(["all", "none", "some", "stale"]))
    rows = commits[draw(st.integers(0, pushed)) if knows == "stale" else pushed]
    ledger = {f.who: f.base() for f in rows if knows != "none" and f.who in portal}
    if knows in ("some", "stale"):
        ledger = {who: base for who, base in ledger.items() if draw(st.booleans())}
    world = World(commits, portal, ledger, git)
    for who in draw(st.sets(st.sampled_from(sorted(portal)), max_size=2)) if portal else ():
        name = draw(st.sampled_from(["title", "content"]))
        seen = portal[who]
        value = f"{seen.fields[name]} by a person"
        portal[who] = structs.replace(seen, fields={**seen.fields, name: value}, updated_at=len(commits) * 10)
        world.persons[who] = {name}
    event(f"the ledger knows {knows}")
    return world


def check(world: World) -> None:
    """What holds after two pushes, whatever was known."""
    before, rows = dict(world.portal), list(world.ledger.values())
    note(repr(world))
    # Where a file has the name on record of another one, it may be either: the name speaks against the text.
    owners = {file.path: file.who for file in world.head}
    traded = any(owners.get(row.path, row.remote_id) != row.remote_id for row in rows)
    first = world.push()
    note("\n".join(f"{c.action} {c.path} {c.remote_id} {c.after}"[:150] for c in first.changes))
    second = world.push()
    held = {item.path for item in (*first.held, *second.held)}
    event("held" if held else "nothing held")
    assert world.push().sent == ()
    for who, names in world.persons.items():
        for name in names:
            assert world.portal[who].fields[name] == before[who].fields[name], "a person's edit is gone"
    for file in world.head:
        found = [seen for seen in world.portal.values() if NOUNS[file.who] in str(seen.fields["content"])]
        # What is held shows, until somebody decides about it, what may be the text of another file by now.
        assert len(found) <= 1 or (held and (traded or not world.has_git)), f"{file.path} is there {len(found)} times"
        if file.path not in held:
            here = [seen for seen in found if seen.fields.items() >= file.fields.items()]
            assert len(here) == 1, f"{file.path} is not there"
            assert traded or file.who not in before or here[0].remote_id == file.who, f"{file.path} changed its id"
    assert before.keys() <= world.portal.keys()


@settings(max_examples=400)
@given(worlds())
def test_with_git_each_source_is_the_article_that_it_was_or_is_held(world):
    check(world)


@settings(max_examples=200)
@given(worlds(git=False))
def test_without_git_nothing_goes_to_a_wrong_article_and_nothing_is_lost(world):
    check(world)


@settings(max_examples=200)
@given(worlds(), st.randoms(use_true_random=False))
def test_a_plan_does_not_depend_on_the_order_of_anything(world, rng: random.Random):
    plan = world.plan(removed="delete")
    world.commits[-1] = rng.sample(world.head, len(world.head))
    world.portal = dict(rng.sample(list(world.portal.items()), len(world.portal)))
    world.ledger = dict(rng.sample(list(world.ledger.items()), len(world.ledger)))
    assert world.plan(removed="delete") == plan


@settings(max_examples=200)
@given(worlds())
def test_nothing_is_made_while_an_article_of_the_same_knot_has_no_source(world):
    plan = world.plan()
    weighed = weigh([file.desired() for file in world.head], world.known())
    left = set(weighed.without_source())
    made = {change.path for change in plan.changes if change.action is Action.CREATE}
    for knot in knots_of(weighed.scales.weights):
        if {node for _, node in knot} & left:
            assert made.isdisjoint(path for path, _ in knot)


@pytest.mark.parametrize("removed", ["archive", "delete"])
@settings(max_examples=100)
@given(worlds())
def test_only_what_has_lost_its_file_is_removed(removed, world):
    wanted = {file.who for file in world.head}
    for change in world.plan(removed=removed).changes:
        if change.is_removal:
            assert change.remote_id not in wanted
