"""What writers do to a content tree between two commits. Each edit says what it did, or None where it does not apply."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from .tree import DEFAULT, LOCALES, Article, Category, Tree
from .writing import new_lines, title_of, with_one_word_changed

STATUSES = ("draft", "published", "published", "archived", "")


@dataclass(slots=True)
class Desk:
    """The work tree, and what its writers can still reach: deleted files, and names that were given up."""

    tree: Tree
    bin: dict[int, Article] = field(default_factory=dict)
    next_uid: int = 1
    next_name: int = 1
    editions: dict[int, int] = field(default_factory=dict)

    def new_name(self, rng: random.Random) -> str:
        """A name that no file and no slug had before."""
        self.next_name += 1
        return f"{rng.choice(('alpha', 'beta', 'gamma', 'delta'))}-{self.next_name}"

    def new_article(self, rng: random.Random, home: Category, stem: str, slug: str = "") -> Article:
        uid = self.next_uid
        self.next_uid += 1
        status = rng.choice(STATUSES)
        return Article(uid, home.locale, home.folder, stem, title_of(uid, 1), new_lines(uid, 0), 1, slug, status)

    def rewritten(self, item: Article) -> Article:
        """Nearly no word as it was."""
        edition = self.editions[item.uid] = self.editions.get(item.uid, 0) + 1
        return replace(item, lines=new_lines(item.uid, edition), rev=item.rev + 1)


Edit = Callable[[Desk, random.Random], str | None]


def one_of(desk: Desk, rng: random.Random) -> Article:
    return rng.choice([desk.tree.articles[uid] for uid in sorted(desk.tree.articles)])


def some_of(desk: Desk, rng: random.Random, count: int) -> list[Article]:
    return rng.sample([desk.tree.articles[uid] for uid in sorted(desk.tree.articles)], count)


def a_category(desk: Desk, rng: random.Random) -> Category:
    return rng.choice([desk.tree.categories[cid] for cid in sorted(desk.tree.categories)])


def reworded(item: Article, rng: random.Random) -> Article:
    return replace(item, lines=with_one_word_changed(item.lines, rng), rev=item.rev + 1)


def edit_words(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    desk.tree = desk.tree.put(reworded(item, rng))
    return f"edit a word of {item.path}"


def rewrite(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    desk.tree = desk.tree.put(desk.rewritten(item))
    return f"rewrite {item.path}"


def link_to(desk: Desk, rng: random.Random) -> str:
    item, other = some_of(desk, rng, 2)
    desk.tree = desk.tree.put(replace(reworded(item, rng), links=(other.uid,)))
    return f"link {item.path} to {other.path}"


def rename_file(desk: Desk, rng: random.Random) -> str:
    item, stem, how = one_of(desk, rng), desk.new_name(rng), rng.choice(("", "", "a word edited", "rewritten"))
    moved = replace(item, stem=stem)
    moved = {"a word edited": reworded(moved, rng), "rewritten": desk.rewritten(moved)}.get(how, moved)
    desk.tree = desk.tree.put(moved)
    return f"git mv {item.path} {moved.path}" + (f", {how}" if how else "")


def change_slug(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    changed = replace(item, slug=desk.new_name(rng))
    changed = reworded(changed, rng) if rng.random() < 0.4 else changed
    desk.tree = desk.tree.put(changed)
    return f"slug of {item.path}: {item.portal_slug} -> {changed.slug}" + ", a word edited" * (changed.rev != item.rev)


def turn_slugs(desk: Desk, rng: random.Random) -> str | None:
    """Swap, rotate or chain: each takes the slug of the next, and in a chain the last one a new one."""
    count = rng.randint(2, min(4, len(desk.tree.articles)))
    items = some_of(desk, rng, count)
    chain = rng.random() < 0.35
    slugs = [item.portal_slug for item in items[1:]] + [desk.new_name(rng) if chain else items[0].portal_slug]
    changed = [replace(item, slug=slug) for item, slug in zip(items, slugs, strict=True)]
    beside = rng.choice(("", "a word edited", "linked"))
    if beside == "a word edited":
        changed[0] = reworded(changed[0], rng)
    elif beside == "linked":
        changed[0] = replace(reworded(changed[0], rng), links=(items[1].uid,))
    desk.tree = desk.tree.put(*changed)
    pairs = ", ".join(f"{item.path} {item.portal_slug} -> {slug}" for item, slug in zip(items, slugs, strict=True))
    return f"{'chain' if chain else 'rotate'} slugs: {pairs}" + (f"; {items[0].path} {beside}" if beside else "")


def swap_files(desk: Desk, rng: random.Random) -> str:
    one, other = some_of(desk, rng, 2)
    moved = [_in_place_of(one, other), _in_place_of(other, one)]
    desk.tree = desk.tree.put(*moved)
    return f"swap the files {one.path} ({one.portal_slug}) and {other.path} ({other.portal_slug}), slugs written out"


def _in_place_of(item: Article, other: Article) -> Article:
    return replace(item, locale=other.locale, folder=other.folder, stem=other.stem, slug=item.portal_slug)


def move_category(desk: Desk, rng: random.Random) -> str | None:
    item = one_of(desk, rng)
    homes = [c for c in desk.tree.categories.values() if c.locale == item.locale and c.folder != item.folder]
    return _move(desk, rng, item, homes)


def move_locale(desk: Desk, rng: random.Random) -> str | None:
    item = one_of(desk, rng)
    return _move(desk, rng, item, [c for c in desk.tree.categories.values() if c.locale != item.locale])


def _move(desk: Desk, rng: random.Random, item: Article, homes: list[Category]) -> str | None:
    if not homes:
        return None
    home = rng.choice(sorted(homes, key=lambda category: category.cid))
    moved = replace(item, locale=home.locale, folder=home.folder)
    moved = reworded(moved, rng) if rng.random() < 0.3 else moved
    desk.tree = desk.tree.put(moved)
    return f"git mv {item.path} {moved.path}" + ", a word edited" * (moved.rev != item.rev)


def rename_category(desk: Desk, rng: random.Random) -> str:
    category, name = a_category(desk, rng), desk.new_name(rng)
    if rng.random() < 0.5:
        desk.tree = desk.tree.put(replace(category, slug=name))
        return f"slug of {category.path}: {category.portal_slug} -> {name}"
    slug = rng.choice((category.portal_slug, ""))
    inside = [item for item in desk.tree.articles.values()
              if (item.locale, item.folder) == (category.locale, category.folder)]  # fmt: skip
    moved = [replace(item, folder=name) for item in inside]
    desk.tree = desk.tree.put(replace(category, folder=name, slug=slug), *moved)
    return f"git mv {category.locale}/{category.folder} {category.locale}/{name}" + ", slug kept" * bool(slug)


def take_old_name(desk: Desk, rng: random.Random) -> str:
    """Rename a file and make another under the name that it had."""
    item = one_of(desk, rng)
    renamed = replace(item, stem=desk.new_name(rng))
    home = desk.tree.category_of(item)
    assert home is not None
    slug = desk.new_name(rng) if item.slug else ""
    new = desk.new_article(rng, home, item.stem, slug)
    desk.tree = desk.tree.put(renamed, new)
    return f"git mv {item.path} {renamed.path}, and a new article U{new.uid} at {new.path} ({new.portal_slug})"


def write_new(desk: Desk, rng: random.Random) -> str:
    new = desk.new_article(rng, a_category(desk, rng), desk.new_name(rng))
    desk.tree = desk.tree.put(new)
    return f"new article U{new.uid} at {new.path}"


def delete(desk: Desk, rng: random.Random) -> str | None:
    if len(desk.tree.articles) < 4:
        return None
    item = one_of(desk, rng)
    desk.bin[item.uid] = item
    desk.tree = desk.tree.without(item.uid)
    return f"git rm {item.path}"


def bring_back(desk: Desk, rng: random.Random) -> str | None:
    if not desk.bin:
        return None
    item = replace(desk.bin[rng.choice(sorted(desk.bin))], links=())
    desk.tree = desk.tree.put(item)
    if desk.tree.is_sound:
        del desk.bin[item.uid]
    return f"bring {item.path} back"


def change_status(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    changed = replace(item, status=rng.choice(STATUSES))
    desk.tree = desk.tree.put(changed)
    return f"status of {item.path}: {item.status or 'none'} -> {changed.status or 'none'}"


def change_title(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    version = int(item.title.rpartition("v")[2]) + 1
    desk.tree = desk.tree.put(replace(item, title=title_of(item.uid, version)))
    return f"title of {item.path}"


def change_description(desk: Desk, rng: random.Random) -> str:
    item = one_of(desk, rng)
    desk.tree = desk.tree.put(replace(item, description=f"About D{item.uid}v{rng.randrange(100)}."))
    return f"description of {item.path}"


EDITS: Mapping[str, tuple[Edit, int]] = {
    "edit words": (edit_words, 5),
    "rewrite": (rewrite, 1),
    "link": (link_to, 2),
    "rename file": (rename_file, 4),
    "change slug": (change_slug, 3),
    "turn slugs": (turn_slugs, 4),
    "swap files": (swap_files, 0),
    "move category": (move_category, 2),
    "move locale": (move_locale, 1),
    "rename category": (rename_category, 1),
    "take old name": (take_old_name, 2),
    "write new": (write_new, 2),
    "delete": (delete, 2),
    "bring back": (bring_back, 2),
    "change status": (change_status, 2),
    "change title": (change_title, 2),
    "change description": (change_description, 1),
}
"""Each with its weight. Names that are traded together with other things leave two readings, so `swap files` is not drawn
(`tests/push/test_identity.py` plays it alone)."""


def first_tree(rng: random.Random) -> Desk:
    """A small help center: two locales, two or three categories in each, four to eight articles."""
    folders = ("billing", "setup", "usage")[: rng.randint(2, 3)]
    places = [(locale, folder) for locale in LOCALES for folder in folders]
    homes = [Category(cid, *place, place[1].title()) for cid, place in enumerate(places, 1)]
    desk = Desk(Tree({}, {home.cid: home for home in homes}))
    for _ in range(rng.randint(4, 8)):
        home = rng.choice([home for home in homes if home.locale == DEFAULT] * 2 + homes)
        slug = desk.new_name(rng) if rng.random() < 0.4 else ""
        desk.tree = desk.tree.put(desk.new_article(rng, home, desk.new_name(rng), slug))
    return desk
