"""Writers, people in the panel, and all that brings one side to the other, at random against each other.

Every line that somebody types has a word of its own, and nobody takes a line out. So what must hold is plain: a word
that was typed is in a file or on the portal, unless somebody decided against it; no article is there twice; no command
ends with a traceback; and in the end both sides agree, and neither a plan nor a pull finds anything to do.
"""

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.sandbox import Behaviour, Sandbox, running
from kbsync.sandbox.records import Article
from push.world import PORTAL, SETUP
from repo import own_environ

from .runs import Run, run_here

LOCALES, FOLDERS = ("en", "fr"), ("billing", "setup")
CONFIG = """
[service]
base_url = "{base_url}"
account_id = 1
portal = "handbook"
profile = "chatwoot"
[pace]
requests_per_minute = 60000
[content]
locales = ["en", "fr"]
[lint]
ignore = ["KB214"]
"""
ROUNDS_TO_AGREE = 6
SYLLABLES = [
    a + b for a in ("ka", "lo", "mi", "nu", "pe", "ra", "so", "ti") for b in ("ber", "dan", "fel", "gor", "hin")
]


def prose(number: int) -> str:
    """Some sixty words that only this article has."""
    rng = random.Random(number)
    return "\n\n".join(" ".join(f"{rng.choice(SYLLABLES)}{number % 7}" for _ in range(15)) + "." for _ in range(4))


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d4944415478da63fcffff3f030005fe02fea7f6d5a50000000049454e44ae426082"
)


def git_at(folder: Path, arguments: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    """What git prints; what it refuses is not done."""
    env = own_environ() | (more or {})
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False).stdout


@dataclass(slots=True)
class Game:
    """One project, one portal, and what everybody did there."""

    folder: Path
    sandbox: Sandbox
    rng: random.Random
    story: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    given_up: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    number: int = 0

    # --- what is there -----------------------------------------------------------------------------------------------

    def files(self) -> list[Path]:
        """The articles among the sources."""
        return sorted(path for path in (self.folder / "content").rglob("*.md") if path.name != "_category.md")

    def articles(self) -> list[Article]:
        """Those of the portal that have a name of their own in their text."""
        return [item for item in self.sandbox.panel.articles(PORTAL) if name_of(item.content)]

    def a_file(self) -> Path:
        return self.rng.choice(self.files())

    def an_article(self) -> Article:
        return self.rng.choice(self.articles())

    def next(self) -> int:
        self.number += 1
        return self.number

    def line(self, who: str) -> str:
        """A line that nobody typed before."""
        self.typed.append(f"{who}{self.next()}x")
        return f"{who} says {self.typed[-1]}."

    def into(self, text: str, line: str) -> str:
        """A text with one more line somewhere in it."""
        lines = text.split("\n")
        at = self.rng.randrange(1, max(2, len(lines)))
        return "\n".join([*lines[:at], "", line, "", *lines[at:]])

    def git(self, *arguments: str) -> str:
        return git_at(self.folder, arguments)

    def give_up(self, gone: str, stays: str) -> None:
        """Somebody decided for one text and against another."""
        self.given_up |= {word for word in self.typed if word in gone and word not in stays}

    # --- commands ----------------------------------------------------------------------------------------------------

    def kbsync(self, *arguments: str, against: str = "") -> Run:
        """A command, and whether all is still there after it; somebody decided against what it takes out of a text."""
        done = run_here(self.folder, arguments)
        self.story.append(f"kbsync {' '.join(arguments)} -> {done.told}")
        if "Traceback" in done.err:
            self.wrong.append("traceback")
        self.give_up(against, "\n".join(path.read_text() for path in self.files()))
        self.check()
        return done

    def check(self) -> None:
        """Look for what was lost, and for what is there twice."""
        articles = self.articles()
        names = [name_of(item.content) for item in articles]
        self.wrong += [f"twice: {name}" for name in set(names) - self.twice if names.count(name) > 1]
        self.twice |= {name for name in names if names.count(name) > 1}
        texts = [f"{item.content} {item.draft_content}" for item in articles] + [
            path.read_text() for path in self.files()
        ]
        lost = {word for word in self.typed if word not in self.given_up and not any(word in text for text in texts)}
        self.wrong += [f"lost: {word}" for word in sorted(lost)]
        self.given_up |= lost

    def pull(self, *arguments: str) -> None:
        """Pull, take both sides of what is marked, and run what kbsync says."""
        done = self.kbsync("pull", *arguments)
        self.unmark()
        if said := re.search(r"run `kbsync (resolve [^`]+)`", done.out.replace("\n", " ")):
            self.kbsync(*said[1].split())

    def unmark(self) -> None:
        """Settle marked files: both bodies, and the portal's value of a key."""
        for path in self.files():
            text = path.read_text()
            if "<<<<<<<" not in text:
                continue
            bare = "\n".join(line for line in text.split("\n") if not re.match(r"<{7}|={7}|>{7}", line))
            _, front, body = bare.split("---\n", 2)
            keys = {line.partition(":")[0]: line for line in front.splitlines()}
            path.write_text("---\n" + "\n".join(keys.values()) + "\n---\n" + body)

    def resolve(self, side: str, *arguments: str) -> None:
        """Take the portal's values; what only the file had, and is committed, was somebody's decision."""
        self.kbsync("resolve", side, *arguments, against=self.git("grep", "-h", "", "HEAD", "--", "content"))
        self.unmark()

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "As it is")

    # --- the end -----------------------------------------------------------------------------------------------------

    def agree(self) -> None:
        """Bring both sides together, as a patient writer would, and see that they stay so."""
        planned = None
        for item in self.articles():
            if item.draft_content:
                self.give_up(item.content or "", item.draft_content)
                self.sandbox.panel.publish_staged(item.slug)
        for _ in range(ROUNDS_TO_AGREE):
            self.commit()
            self.pull()
            self.commit()
            self.resolve("--into-file", "--publish")
            self.commit()
            self.kbsync("push", "--publish")
            planned = self.kbsync("plan", "--publish", "--check")
            if planned.code == 0:
                break
            self.name_unclear(planned)
        if planned is None or planned.code:
            self.wrong.append("no end")
            return
        self.commit()
        self.kbsync("pull")
        if self.git("status", "--porcelain"):
            self.wrong.append("a pull after a push writes")
        if self.kbsync("plan", "--publish", "--check").code:
            self.wrong.append("a plan after a pull has something to do")

    def name_unclear(self, planned: Run) -> None:
        """Say which article a file is, where kbsync asks for it."""
        told = planned.out.replace("\n", " ")
        for path, alias in re.findall(r"(\S+\.md) not clear .*?add `aliases: \[([^`]+)\]`", re.sub(" +", " ", told)):
            file = self.folder / "content" / path
            file.write_text(file.read_text().replace("---\n", f"---\naliases: [{alias}]\n", 1))


def name_of(text: str | None) -> str:
    """What names an article, whatever its slug and title are."""
    found = re.search(r"ID(\d+)x", text or "")
    return found[1] if found else ""


# --- what writers do -------------------------------------------------------------------------------------------------


def write(game: Game) -> None:
    path = game.a_file()
    _, front, body = path.read_text().split("---\n", 2)
    path.write_text(f"---\n{front}---\n{game.into(body, game.line('Writer'))}")


def retitle(game: Game) -> None:
    path = game.a_file()
    path.write_text(
        re.sub(r"^title: .*$", f"title: Title {game.next()}", path.read_text(), count=1, flags=re.MULTILINE)
    )


def new(game: Game) -> None:
    number = game.next()
    path = game.folder / f"content/{game.rng.choice(LOCALES)}/{game.rng.choice(FOLDERS)}/new-{number}.md"
    status = game.rng.choice(["draft", "published"])
    path.write_text(f"---\ntitle: New {number}\nstatus: {status}\n---\nID{number}x first.\n\n{prose(number)}\n\nEnd.\n")


def slug(game: Game) -> None:
    path = game.a_file()
    text = re.sub(r"^slug: .*\n", "", path.read_text(), flags=re.MULTILINE)
    path.write_text(text.replace("---\n", f"---\nslug: slug-{game.next()}\n", 1))


def delete(game: Game) -> None:
    path = game.a_file()
    if len(game.files()) > 2:
        name, words = name_of(path.read_text()), path.read_text()
        there = [f"{item.content} {item.draft_content}" for item in game.articles() if name_of(item.content) == name]
        game.give_up(" ".join([words, *there]), "")
        path.unlink()


def move(game: Game) -> None:
    path = game.a_file().relative_to(game.folder)
    target = f"content/{path.parts[1]}/{game.rng.choice(FOLDERS)}/mv-{game.next()}.md"
    game.kbsync("mv", str(path), target, *game.rng.choice([(), ("--keep-slug",), ("--only",)]))


def rename(game: Game) -> None:
    path = game.a_file()
    path.rename(path.with_name(f"ren-{game.next()}.md"))


# --- what people do in the panel -------------------------------------------------------------------------------------


def edit(game: Game) -> None:
    item = game.an_article()
    game.sandbox.panel.edit(item.slug, content=game.into(item.content or "", game.line("Person")))


def stage(game: Game) -> None:
    item = game.an_article()
    game.sandbox.panel.write(
        item.slug, content=game.into(item.draft_content or item.content or "", game.line("Person"))
    )


def publish_staged(game: Game) -> None:
    item = game.an_article()
    if item.draft_content:
        game.give_up(item.content or "", item.draft_content)
        game.sandbox.panel.publish_staged(item.slug)


def edit_title(game: Game) -> None:
    game.sandbox.panel.edit(game.an_article().slug, title=f"Panel title {game.next()}")


def set_back(game: Game) -> None:
    """Somebody edits and takes it back; a title that was pulled or sent before stays what it is."""
    item = game.an_article()
    for title, content in (("Not this", "Nor this."), (item.title, item.content)):
        game.sandbox.panel.edit(item.slug, title=title, content=content)


def edit_slug(game: Game) -> None:
    change = "UPDATE articles SET slug = ?, updated_at = updated_at + 1000000 WHERE id = ?"
    game.sandbox.panel.sql(change, f"panel-{game.next()}", game.an_article().id)


def create(game: Game) -> None:
    number, like = game.next(), game.an_article()
    text = f"ID{number}x by a person.\n\n{prose(number)}\n"
    game.sandbox.panel.create(PORTAL, f"Panel {number}", text, category_id=like.category_id, locale=like.locale)


def edit_status(game: Game) -> None:
    item = game.an_article()
    if item.draft_content:  # To publish it publishes that.
        game.give_up(item.content or "", item.draft_content)
    game.sandbox.panel.change_status([item.slug], game.rng.choice(["draft", "published", "archived"]))


def move_in_panel(game: Game) -> None:
    item, other = game.an_article(), game.an_article()
    if other.category_id and item.locale == other.locale:
        game.sandbox.panel.move([item.slug], other.category_id)


def drag(game: Game) -> None:
    game.sandbox.panel.drag(game.an_article().slug, game.rng.randrange(1, 5))


# --- and the commands between them -----------------------------------------------------------------------------------


def push(game: Game) -> None:
    game.kbsync("push", *game.rng.choice([(), ("--publish",), ("--publish",), ("--stage",)]))


def pull(game: Game) -> None:
    game.pull(*game.rng.choice([(), (), ("--full",), (str(game.a_file().relative_to(game.folder)),)]))


def resolve(game: Game) -> None:
    game.resolve(game.rng.choice(["--into-file", "--merge"]))


def plan_offline(game: Game) -> None:
    game.kbsync("plan", "--offline")


def adopt(game: Game) -> None:
    """The next push finds the articles without a record, and what both sides have alike is agreed on again."""
    lose_ledger(game)
    game.kbsync("push")


def lose_ledger(game: Game) -> None:
    shutil.rmtree(game.folder / ".kbsync", ignore_errors=True)


ACTS: dict[Callable[[Game], None], int] = {
    write: 8, retitle: 3, new: 3, slug: 2, delete: 1, move: 3, rename: 2, Game.commit: 5,
    edit: 5, stage: 5, publish_staged: 2, edit_title: 2, edit_slug: 2, create: 2, edit_status: 2, move_in_panel: 2, drag: 2,
    push: 8, pull: 8, resolve: 3, lose_ledger: 1, set_back: 3, plan_offline: 2, adopt: 1,
}  # fmt: skip
"""What may happen, and how often."""


def make_categories(project: Path) -> None:
    for locale in LOCALES:
        for name in FOLDERS:
            place = project / "content" / locale / name
            place.mkdir(parents=True)
            (place / "_category.md").write_text(f"---\nname: {name.title()} {locale}\n---\n")


def play(folder: Path, seed: int, steps: int, version: str = "4.16.2") -> Game:
    """One game, to its end or to the first thing that is wrong."""
    project = folder / "project"
    with running(folder / "sandbox.db", SETUP, Behaviour(version=version)) as sandbox:
        game = Game(project, sandbox, random.Random(seed))
        make_categories(project)
        (project / "kbsync.toml").write_text(CONFIG.format(base_url=sandbox.base_url))
        (project / ".gitignore").write_text(".kbsync/\n")
        game.git("init", "-q")
        for _ in range(5):
            new(game)
        game.commit()
        game.kbsync("push", "--publish")
        for act in game.rng.choices([*ACTS], weights=[*ACTS.values()], k=steps):
            game.story.append(act.__name__)
            act(game)
            if game.wrong:
                return game
        game.agree()
    return game
