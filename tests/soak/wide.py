"""The game of `both_ways.py` with more players: clones, a remote, translations, traded names, faults, kills, hints.

The judge's rules, beyond those of `both_ways.py`:

- A word that was typed is in a file or a commit of some clone, or on the portal, unless somebody decided against it.
- No push and no undo takes a person's word off the portal, unless it is in the file of that article, or both sides
  had it after some push, or somebody decided against it.
- No article is on the portal twice. Where writers have the same article in two files, this rule waits.
- No command ends with a traceback or with exit code 1, whatever the service does.
- In the end each file's article has the words of that file, and of no other one.
- A clone that knows nothing, made at the end, finds nothing to create and nothing to decide.
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import signal
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.sandbox import Behaviour, Fault, running
from push.world import PORTAL, SETUP

from . import both_ways
from .both_ways import ACTS, CONFIG, FOLDERS, LOCALES, Game, Run, name_of, new
from .runs import Nursery, Trigger, run_here
from .stage import BEGINNING, Clock

LEDGERS = {"sqlite": "sqlite:.kbsync/ledger.db", "git": "git:origin", "none": "sqlite:.kbsync/ledger.db"}
PAUSES_S = (0, 0, 0.4, 2, 5, 90, 4000)
FAULTS = (
    Fault("reset"),
    Fault("reset", when="after"),
    Fault("status", status=500),
    Fault("status", status=500, when="after"),
    Fault("status", status=502, when="after"),
    Fault("status", status=404, when="after"),
    Fault("status", status=422, when="after"),
    Fault("cut"),
    Fault("junk"),
    Fault("empty"),
    Fault("shift", method="GET"),
)
METHODS = ("POST", "PATCH", "PATCH", "DELETE", "GET", None)
WORD = re.compile(r"(?:Writer|Person)\d+x")
PERSONS = re.compile(r"Person\d+x")
COMMAND = re.compile(r"`(kbsync [^`]+)`")
PASTED = {"push", "pull", "resolve", "undo", "mv", "plan", "status", "diff", "why", "lint", "check", "verify"}
ROUNDS_TO_AGREE = 8


@dataclass(slots=True)
class Wide(Game):
    """The game, and what more there is in it. `folder` is the clone in which somebody works now."""

    home: Path = Path()
    ledger: str = "sqlite"
    clock: Clock = field(default_factory=Clock)
    nursery: Nursery = field(default_factory=Nursery)
    said: str = ""
    place: int = 0
    agreed: set[str] = field(default_factory=set)
    disturbed: Callable[[], None] | None = None

    # --- clones ------------------------------------------------------------------------------------------------------

    def clones(self) -> list[Path]:
        return sorted(path.parent for path in self.home.glob("clone-*/kbsync.toml"))

    def git(self, *arguments: str, at: Path | None = None) -> str:
        now = f"{int(self.clock.now_s)} +0000"
        return both_ways.git_at(at or self.folder, arguments, {"GIT_AUTHOR_DATE": now, "GIT_COMMITTER_DATE": now})

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "As it is")

    def clone(self) -> None:
        """Another clone, which knows nothing."""
        folder = self.home / f"clone-{self.next()}"
        self.git("clone", "-q", (self.home / "origin.git").as_uri(), str(folder), at=self.home)
        self.folder = folder

    def fetch(self) -> None:
        """Commit, and take what is at the remote."""
        self.commit()
        self.git("fetch", "-q", "origin")
        if not self.git("rev-parse", "-q", "--verify", "origin/main"):
            return
        self.git("merge", "-q", "-m", "Merged", "origin/main")
        if self.git("ls-files", "-u"):
            self.settle_merge()
        self.tidy()

    def settle_merge(self) -> None:
        """Keep both sides of what git could not merge: files that only one side kept, and both sides' lines."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-edit", "--allow-empty")

    def send(self) -> None:
        """Bring all to the remote."""
        self.fetch()
        self.git("push", "-q", "origin", "HEAD:main")

    def tidy(self) -> None:
        """What writers do after a merge: keys that are there twice, markers, one article in two files."""
        for path in [*self.files(), *(self.folder / "content").rglob("_category.md")]:
            text = path.read_text()
            if text.count("---\n") < 2:
                continue
            before, front, body = text.split("---\n", 2)
            keys = {line.partition(":")[0]: line for line in front.splitlines() if ":" in line and line[0] not in "<=>"}
            bare = "\n".join(line for line in body.split("\n") if not re.match(r"<{7}|={7}|>{7}", line))
            tidy = f"{before}---\n" + "\n".join(keys.values()) + f"\n---\n{bare}"
            if tidy != text:
                path.write_text(tidy)
        named: dict[str, Path] = {}
        for path in self.files():
            first = named.setdefault(name_of(path.read_text()), path)
            if first != path and name_of(path.read_text()):
                lines = [line for line in path.read_text().split("\n") if WORD.search(line)]
                first.write_text(first.read_text() + "\n" + "\n\n".join(lines) + "\n")
                path.unlink()
        self.commit()

    # --- judging -----------------------------------------------------------------------------------------------------

    def names_twice(self) -> set[str]:
        """The articles that writers have in two files somewhere."""
        found: set[str] = set()
        for clone in self.clones():
            names = [name_of(path.read_text()) for path in (clone / "content").rglob("*.md")]
            found |= {name for name in names if name and names.count(name) > 1}
        return found

    def everything(self) -> str:
        """All files of all clones."""
        return "\n".join(path.read_text() for clone in self.clones() for path in (clone / "content").rglob("*.md"))

    def committed(self, words: Collection[str]) -> set[str]:
        """The words that some branch of some clone has."""
        found: set[str] = set()
        for clone in [*self.clones(), self.home / "origin.git"]:
            refs = self.git("for-each-ref", "--format=%(refname)", "refs/heads", at=clone).split()
            said = self.git("grep", "-h", "-o", "-E", r"(Writer|Person)[0-9]+x", *refs, at=clone) if refs else ""
            found |= set(said.split()) & set(words)
        return found

    def check(self) -> None:
        articles = self.articles()
        names = [name_of(item.content) for item in articles]
        self.twice |= self.names_twice()
        self.wrong += [f"twice: {name}" for name in set(names) - self.twice if names.count(name) > 1]
        texts = self.everything() + "\n".join(f"{item.content} {item.draft_content}" for item in articles)
        lost = {word for word in self.typed if word not in self.given_up and word not in texts}
        lost -= self.committed(lost) if lost else set()
        self.wrong += [f"lost: {word}" for word in sorted(lost)]
        self.given_up |= lost

    # --- commands ----------------------------------------------------------------------------------------------------

    def kbsync(self, *arguments: str, against: str = "") -> Run:
        self.decide(arguments)
        before = self.shown()
        done = run_here(self.folder, arguments)
        return self.judge(done, before, against)

    def shown(self) -> set[str]:
        """What people wrote of what the portal has."""
        return {word for item in self.articles() for word in PERSONS.findall(f"{item.content} {item.draft_content}")}

    def judge_words(self, before: set[str]) -> None:
        """Whether words of people left the portal unasked."""
        gone = before - self.shown() - self.given_up - self.agreed
        self.wrong += [f"overwritten: {word}" for word in sorted(gone) if word not in self.own()]
        self.agreed |= self.shown() & set(PERSONS.findall(self.own()))

    def own(self) -> str:
        """The files of this clone."""
        return "\n".join(path.read_text() for path in self.files())

    def judge(self, done: Run, before: set[str], against: str = "") -> Run:
        self.sandbox.faults.clear()
        self.said = f"{done.out}\n{done.err}"
        told = done.told if not done.report else f"{done.changes}\n{done.held}"
        self.story.append(f"[{self.folder.name}] kbsync {' '.join(done.arguments)} -> {told}")
        if "Traceback" in done.err or done.code == 1:
            self.wrong.append("traceback")
        if done.code == -signal.SIGALRM:
            self.wrong.append("hung")
        self.give_up(against, self.everything())
        if done.arguments[0] in {"push", "undo"}:
            self.judge_words(before)
        self.check()
        return done

    def decide(self, arguments: tuple[str, ...]) -> None:
        """What somebody decides against with a command: the other side's text of the files it names."""
        named = [self.folder / word for word in arguments[1:] if (self.folder / word).is_file()]
        names = {name_of(path.read_text()) for path in named}
        chosen = [item for item in self.articles() if not named or name_of(item.content) in names]
        files = named or self.files()
        portal = "\n".join(f"{item.content}\n{item.draft_content}" for item in chosen)
        mine = "\n".join(path.read_text() for path in files)
        if arguments[0] in {"resolve", "pull"} and "--ours" in arguments or "--overwrite" in arguments:
            self.give_up(portal, self.everything())
        if "--into-file" in arguments or "--theirs" in arguments or "--force" in arguments:
            self.give_up(mine, portal)
        if "--publish-staged" in arguments or arguments[0] == "undo":
            pass

    # --- the end -----------------------------------------------------------------------------------------------------

    def agree(self) -> None:
        """All writers merge; one of them brings both sides together."""
        self.sandbox.faults.clear()
        for clone in self.clones():
            self.folder = clone
            self.send()
            self.tidy_names()
            self.send()
        self.folder = self.rng.choice(self.clones())
        if self.ledger == "none":
            shutil.rmtree(self.folder / ".kbsync", ignore_errors=True)
        self.clock.pass_by(60)
        for item in self.articles():
            if item.draft_content:
                self.give_up(item.content or "", item.draft_content)
                self.sandbox.panel.publish_staged(item.slug)
        planned = None
        for turn in range(ROUNDS_TO_AGREE):
            self.clock.pass_by(5)
            self.fetch()
            self.tidy_names()
            self.commit()
            self.pull()
            self.follow(self.said)
            self.commit()
            if turn < 3:
                self.resolve("--into-file", "--publish")
            else:
                self.kbsync("resolve", "--ours", "--publish")
            self.commit()
            self.kbsync("push", "--publish", *(["--recreate"] if turn else []))
            planned = self.kbsync("plan", "--publish", "--check")
            if planned.code == 0 or self.wrong:
                break
            self.follow(planned.out)
            self.name_unclear(planned)
        if self.wrong:
            return
        if planned is not None and planned.code == 3:
            return  # What writers merged is nothing that lint lets pass.
        if planned is None or planned.code:
            self.wrong.append("no end")
            return
        self.take_back_decisions()
        self.kbsync("pull")
        if self.git("status", "--porcelain"):
            self.wrong.append("a pull after a push writes")
        if self.kbsync("plan", "--publish", "--check").code:
            self.wrong.append("a plan after a pull has something to do")
        self.judge_pairs()
        self.send()
        self.clone()
        shutil.rmtree(self.folder / ".kbsync", ignore_errors=True)
        fresh = self.kbsync("plan", "--publish", "--format", "json")
        self.wrong += [f"a fresh clone would {c['action']} {c['path']}" for c in fresh.changes if c["action"] != "adopt"]
        self.wrong += [f"a fresh clone asks: {h['reason']} {h['path']}" for h in fresh.held if h["reason"] != "orphan"]

    def take_back_decisions(self) -> None:
        """Take the portal's value where somebody had decided to let the two differ."""
        left = self.kbsync("plan", "--publish", "--format", "json").report.get("accepted", [])
        paths = sorted({f"content/{item['path']}" for item in left})
        if paths:
            self.kbsync("resolve", *paths, "--into-file", "--publish")
        self.commit()

    def follow(self, said: str) -> None:
        """Move the files that kbsync says were moved in the panel."""
        for command in COMMAND.findall(re.sub(r"\s+", " ", said)):
            if command.startswith("kbsync mv"):
                self.kbsync(*shlex.split(command)[1:])

    def tidy_names(self) -> None:
        """What lint refuses: a folder without its category, a link that leads nowhere, a slug twice."""
        for folder in {path.parent for path in self.files()}:
            category = folder / "_category.md"
            if not category.exists():
                category.write_text(f"---\nname: {folder.name.title()} {folder.parent.name}\n---\n")
        for path in [path for path in self.files() if "](" in path.read_text()]:
            text = path.read_text()
            for target in re.findall(r"\]\(([^)]+)\)", text):
                if "://" not in target and not target.startswith("/") and not (path.parent / target).exists():
                    text = text.replace(f"]({target})", "] here")
            path.write_text(text)
        named: set[tuple[str, str]] = set()
        for path in sorted((self.folder / "content").rglob("_category.md")):
            name = (path.parts[-3], category_slug_of(path))
            if name in named:
                set_slug(path, f"{name[1]}-{self.next()}")
            named.add(name)
        slugs: dict[str, Path] = {}
        for path in self.files():
            text = path.read_text()
            found = re.search(r"^slug: (.*)$", text, flags=re.MULTILINE)
            stem = path.stem.lower() if path.parts[-3] == "en" else f"{path.stem.lower()}-{path.parts[-3]}"
            slug = found[1].strip() if found else stem
            if slugs.setdefault(slug, path) != path:
                text = re.sub(r"^slug: .*\n", "", text, count=1, flags=re.MULTILINE)
                path.write_text(text.replace("---\n", f"---\nslug: {slug}-{self.next()}\n", 1))

    def judge_pairs(self) -> None:
        """Whether each file's article has that file's words."""
        files = {name_of(path.read_text()): path.read_text() for path in self.files()}
        for item in self.articles():
            name = name_of(item.content)
            if name in files and name not in self.twice and set(WORD.findall(files[name])) != set(WORD.findall(item.content or "")):
                self.wrong.append(f"not the same words: {name}")


# --- clones and branches ---------------------------------------------------------------------------------------------


def other_clone(game: Wide) -> None:
    game.folder = game.rng.choice(game.clones())


def new_clone(game: Wide) -> None:
    if len(game.clones()) < 3:
        game.clone()


def fetch(game: Wide) -> None:
    game.fetch()


def send(game: Wide) -> None:
    game.send()


def branch(game: Wide) -> None:
    """Somebody goes on from an older commit, on a branch."""
    game.commit()
    game.git("checkout", "-q", "-b", f"feature-{game.next()}", f"HEAD~{game.rng.randrange(3)}")


def back_to_main(game: Wide) -> None:
    game.commit()
    game.git("checkout", "-q", "main")


def squash(game: Wide) -> None:
    """All of this clone's commits that the remote does not have become one."""
    game.fetch()
    if base := game.git("merge-base", "HEAD", "origin/main").strip():
        game.git("reset", "-q", "--soft", base)
        game.commit()


# --- writers ---------------------------------------------------------------------------------------------------------


def translate(game: Wide) -> None:
    """The same path in the other locale."""
    path = game.a_file().relative_to(game.folder / "content")
    other = game.folder / "content" / ("fr" if path.parts[0] == "en" else "en") / Path(*path.parts[1:])
    if not other.exists() and other.parent.exists():
        number = game.next()
        other.write_text(f"---\ntitle: Trad {number}\n---\nID{number}x translated.\n\n{both_ways.prose(number)}\n")


def slug_of(path: Path) -> str:
    found = re.search(r"^slug: (.*)$", path.read_text(), flags=re.MULTILINE)
    return found[1] if found else (path.stem.lower() if path.parts[-3] == "en" else f"{path.stem.lower()}-{path.parts[-3]}")


def category_slug_of(path: Path) -> str:
    found = re.search(r"^slug: (.*)$", path.read_text(), flags=re.MULTILINE)
    return found[1] if found else path.parent.name.lower()


def set_slug(path: Path, slug: str) -> None:
    text = re.sub(r"^slug: .*\n", "", path.read_text(), count=1, flags=re.MULTILINE)
    path.write_text(text.replace("---\n", f"---\nslug: {slug}\n", 1))


def trade_slugs(game: Wide) -> None:
    """A ring of two or three."""
    files = game.files()
    ring = game.rng.sample(files, min(len(files), game.rng.choice((2, 2, 3))))
    slugs = [slug_of(path) for path in ring]
    for path, slug in zip(ring, [*slugs[1:], slugs[0]], strict=True):
        set_slug(path, slug)


def trade_files(game: Wide) -> None:
    one, other = game.rng.sample(game.files(), 2)
    text = one.read_text()
    # Until both are sent, a text may be on the portal under both names.
    game.twice |= {name_of(text), name_of(other.read_text())}
    one.write_text(other.read_text())
    other.write_text(text)


def change_case(game: Wide) -> None:
    path = game.a_file()
    path.rename(path.with_name(path.name.swapcase().replace(".MD", ".md")))


def category_slug(game: Wide) -> None:
    path = game.rng.choice(sorted((game.folder / "content").rglob("_category.md")))
    set_slug(path, f"cat-{game.next()}")


def move_folder(game: Wide) -> None:
    folder = game.rng.choice(sorted((game.folder / "content").rglob("_category.md"))).parent.relative_to(game.folder)
    game.kbsync("mv", str(folder), str(folder.with_name(f"folder-{game.next()}")), *game.rng.choice([(), ("--only",), ("--keep-slug",)]))


def move_with_options(game: Wide) -> None:
    path = str(game.a_file().relative_to(game.folder))
    category = game.rng.choice(sorted((game.folder / "content").rglob("_category.md")))
    options = (
        ("--slug", f"mv-slug-{game.next()}"),
        ("--category", category_slug_of(category)),
        ("--locale", game.rng.choice(LOCALES), "--only"),
    )
    game.kbsync("mv", path, *game.rng.choice(options))


def link(game: Wide) -> None:
    one, other = game.rng.sample(game.files(), 2)
    target = Path("../..") / other.relative_to(game.folder / "content")
    one.write_text(f"{one.read_text()}\n[{game.line('Writer')}]({target.as_posix()})\n")


def image(game: Wide) -> None:
    """A new image, or other bytes for one, or another name."""
    path = game.a_file()
    images = sorted((game.folder / "content").rglob("*.png"))
    data = both_ways.PIXEL + bytes(str(game.next()), "ascii")
    if images and game.rng.random() < 0.6:
        game.rng.choice(images).write_bytes(data)
        return
    name = f"image-{game.next()}.png"
    (path.parent / name).write_bytes(data)
    path.write_text(f"{path.read_text()}\n![{game.line('Writer')}]({name})\n")


def line_ends(game: Wide) -> None:
    path = game.a_file()
    data = path.read_bytes().replace(b"\r\n", b"\n")
    path.write_bytes(data.replace(b"\n", b"\r\n") if game.rng.random() < 0.5 else data + b"\n")


def lint(game: Wide) -> None:
    game.kbsync("lint", "--fix")
    game.tidy_names()


# --- the panel -------------------------------------------------------------------------------------------------------


def discard(game: Wide) -> None:
    item = game.an_article()
    if item.draft_content:
        game.give_up(item.draft_content, item.content or "")
        game.sandbox.panel.discard_staged(item.slug)


def panel_delete(game: Wide) -> None:
    item = game.an_article()
    if len(game.articles()) > 3:
        game.give_up(f"{item.content} {item.draft_content}", game.everything())
        game.sandbox.panel.delete(item.slug)


def recreate(game: Wide) -> None:
    """A person deletes an article and makes another one with its slug."""
    item, number = game.an_article(), game.next()
    game.give_up(f"{item.content} {item.draft_content}", game.everything())
    game.sandbox.panel.delete(item.slug)
    text = f"ID{number}x made again.\n\n{both_ways.prose(number)}\n"
    game.sandbox.panel.create(PORTAL, f"Again {number}", text, slug=item.slug, category_id=item.category_id, locale=item.locale)


def bulk_status(game: Wide) -> None:
    chosen = game.rng.sample(game.articles(), min(3, len(game.articles())))
    status = game.rng.choice(["draft", "published", "archived"])
    for item in chosen:
        if item.draft_content and status == "published":
            game.give_up(item.content or "", item.draft_content)
    game.sandbox.panel.change_status([item.slug for item in chosen], status)


def panel_ends(game: Wide) -> None:
    """The same text with other line ends, or one more at the end."""
    item = game.an_article()
    text = item.content or ""
    game.sandbox.panel.edit(item.slug, content=game.rng.choice([text + "\n", text.replace("\n", "\r\n"), text.rstrip("\n")]))


def panel_locale(game: Wide) -> None:
    item, other = game.an_article(), game.an_article()
    if other.category_id:
        game.sandbox.panel.move([item.slug], other.category_id)


def roll_back(game: Wide) -> None:
    """A person puts an older text back: the newer words of it are what they decided against."""
    item = game.an_article()
    lines = (item.content or "").split("\n")
    kept = [line for line in lines if not WORD.search(line)]
    if len(kept) < len(lines):
        game.give_up(item.content or "", "\n".join(kept))
        game.sandbox.panel.edit(item.slug, content="\n".join(kept))


# --- commands --------------------------------------------------------------------------------------------------------


def push_file(game: Wide) -> None:
    game.kbsync("push", str(game.a_file().relative_to(game.folder)), *game.rng.choice([(), ("--publish",), ("--stage",)]))


def push_staged(game: Wide) -> None:
    game.kbsync("push", "--publish-staged")


def push_overwrite(game: Wide) -> None:
    path = str(game.a_file().relative_to(game.folder))
    game.kbsync("push", path, "--overwrite", path)


def push_recreate(game: Wide) -> None:
    game.kbsync("push", "--recreate", *game.rng.choice([(), ("--publish",)]))


def undo(game: Wide) -> None:
    game.kbsync("undo", "--yes")


def resolve_any(game: Wide) -> None:
    side = game.rng.choice(["--ours", "--theirs", "--into-file", "--merge"])
    game.commit()
    game.kbsync("resolve", side, *game.rng.choice([(), (str(game.a_file().relative_to(game.folder)),)]), *game.rng.choice([(), ("--publish",)]))
    game.unmark()


def paste(game: Wide) -> None:
    """Run a command that kbsync printed last."""
    commands = COMMAND.findall(re.sub(r"\s+", " ", game.said))
    commands = [command for command in commands if command.split()[1] in PASTED and "…" not in command and "..." not in command and not re.search(r"\b[A-Z]{3,}\b", command)]
    if commands:
        words = shlex.split(game.rng.choice(commands))[1:]
        game.kbsync(*words, *(["--yes"] if words[0] == "undo" and "--yes" not in words else []))
        game.unmark()


def push_faulted(game: Wide) -> None:
    faults = game.sandbox.faults
    for _ in range(game.rng.randint(1, 2)):
        method = game.rng.choice(METHODS)
        for _ in range(game.rng.randrange(4)):
            faults.add(Fault("latency", method=method))
        kind = game.rng.choice(FAULTS)
        faults.add(Fault(kind.kind, kind.when, kind.method or method, status=kind.status, junk=kind.junk))
    game.kbsync(*game.rng.choice([("push", "--publish"), ("push",), ("push", "--stage"), ("undo", "--yes"), ("pull",), ("push", "--publish-staged")]))


def push_killed(game: Wide) -> None:
    faults = game.sandbox.faults
    number = game.rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
    trigger, when = Trigger(faults.number + game.rng.randint(3, 20), number), game.rng.choice(("before", "after"))
    lost = Fault("reset", when=when) if number == signal.SIGKILL else None
    faults.follow(lambda request: lost if trigger.meets(request) else None)
    arguments = game.rng.choice([("push", "--publish"), ("push", "--stage"), ("push",), ("undo", "--yes")])
    before = game.shown()
    game.judge(game.nursery.run(game.folder, arguments, trigger.started), before)


def push_meanwhile(game: Wide) -> None:
    """A person edits during a push: at any of its requests."""
    faults = game.sandbox.faults
    act = game.rng.choice([both_ways.edit, both_ways.stage, both_ways.edit_title, both_ways.publish_staged, discard, both_ways.edit_status, panel_delete, both_ways.move_in_panel])
    at = faults.number + game.rng.randint(3, 16)
    outside = game.sandbox

    def meet(request: int) -> Fault | None:
        if request == at and game.sandbox is outside:
            game.story.append(f"meanwhile: {act.__name__}")
            game.sandbox = Inside(outside)
            try:
                act(game)
            except (ValueError, LookupError) as error:
                game.story.append(f"  not done: {error!r}")
            finally:
                game.sandbox = outside
        return None

    faults.follow(meet)
    game.kbsync(*game.rng.choice([("push", "--publish"), ("push", "--stage"), ("push",), ("push", "--publish-staged"), ("undo", "--yes")]))


@dataclass(frozen=True, slots=True)
class Inside:
    """The sandbox for somebody who is in the server's thread already."""

    sandbox: object

    @property
    def panel(self) -> object:
        from kbsync.sandbox import Panel

        app = self.sandbox.app
        return Panel(lambda work: work(app.world), self.sandbox.setup.users[0].id)


WIDER: dict[str, dict[Callable[[Wide], None], int]] = {
    "clones": {other_clone: 5, new_clone: 2, fetch: 4, send: 6, branch: 1, back_to_main: 1, squash: 1},
    "names": {translate: 2, trade_slugs: 3, trade_files: 1, change_case: 1, category_slug: 1, move_folder: 1, move_with_options: 3},
    "panel": {discard: 2, panel_delete: 1, recreate: 1, bulk_status: 2, panel_ends: 2, panel_locale: 1, roll_back: 1},
    "commands": {push_file: 4, push_staged: 2, push_overwrite: 1, push_recreate: 1, undo: 3, resolve_any: 4, paste: 10},
    "accidents": {push_faulted: 5, push_killed: 4, push_meanwhile: 6},
    "files": {link: 2, image: 2, line_ends: 1, lint: 2},
}  # fmt: skip
"""What may happen beyond `both_ways.py`, by kind, and how often."""


def play(
    folder: Path,
    seed: int,
    steps: int = 40,
    version: str = "4.16.2",
    ledger: str = "sqlite",
    kinds: Collection[str] = tuple(WIDER),
    left_out: Collection[int] = (),
) -> Wide:
    """One game, to its end or to the first thing that is wrong; steps at places of `left_out` are not taken."""
    clock = Clock(BEGINNING + 10_000)
    with running(folder / "sandbox.db", SETUP, Behaviour(version=version, uploads_per_hour=None), clock=clock) as sandbox:
        project = folder / "clone-0"
        game = Wide(project, sandbox, random.Random(f"{seed} begin"), home=folder, ledger=ledger, clock=clock)
        try:
            _begin(game)
            some = random.Random(f"{seed} kinds").sample(sorted(kinds), min(3, len(kinds)))
            acts = {**ACTS, **{act: weight for kind in some for act, weight in WIDER[kind].items()}}
            chosen = random.Random(f"{seed} acts").choices([*acts], weights=[*acts.values()], k=steps)
            for place, act in enumerate(chosen):
                if place in left_out:
                    continue
                game.place, game.rng = place, random.Random(f"{seed} {place}")
                clock.pass_by(game.rng.choice(PAUSES_S))
                if ledger == "none" and game.rng.random() < 0.3:
                    shutil.rmtree(game.folder / ".kbsync", ignore_errors=True)
                game.story.append(f"{place}: {act.__name__} [{game.folder.name}] at {clock.now_s:.1f}")
                try:
                    act(game)
                except (ValueError, LookupError, FileNotFoundError) as error:  # There is nothing to do it with.
                    game.story.append(f"  not done: {error!r}")
                game.check()
                if game.wrong:
                    return game
            game.place, game.rng = steps, random.Random(f"{seed} end")
            game.agree()
        finally:
            game.nursery.close()
    return game


def _begin(game: Wide) -> None:
    game.git("init", "-q", "--bare", "-b", "main", str(game.home / "origin.git"), at=game.home)
    game.git("clone", "-q", (game.home / "origin.git").as_uri(), str(game.folder), at=game.home)
    game.git("checkout", "-q", "-b", "main")
    for locale in LOCALES:
        for name in FOLDERS:
            place = game.folder / "content" / locale / name
            place.mkdir(parents=True)
            (place / "_category.md").write_text(f"---\nname: {name.title()} {locale}\n---\n")
    # One request at a time, so that a game is the same again.
    config = CONFIG.format(base_url=game.sandbox.base_url).replace("[pace]", "[pace]\nconcurrency = 1")
    (game.folder / "kbsync.toml").write_text(config + f'[ledger]\nurl = "{LEDGERS[game.ledger]}"\n')
    (game.folder / ".gitignore").write_text(".kbsync/\n")
    (game.folder / ".gitattributes").write_text("*.md merge=union text\n*.png binary\n")
    for _ in range(5):
        new(game)
    game.commit()
    game.git("push", "-q", "-u", "origin", "main")
    game.kbsync("push", "--publish")
