"""The game of `both_ways.py` with more players: clones, a remote, translations, traded names, faults, kills, hints.

The judge's rules, beyond those of `both_ways.py`:

- A word that was typed is in a file or a commit of some clone, or on the portal, unless somebody decided against it.
- No push and no undo takes a person's word off the portal, unless it is in the file of that article, or both sides
  had it after some push, or somebody decided against it. With a ledger that all clones share, what both sides had
  goes only by the files of a clone that has had it.
- No article is on the portal twice. Where writers have the same article in two files, this rule waits.
- No command ends with a traceback or with exit code 1, whatever the service does.
- In the end each file's article has the words of that file, and of no other one.
- A clone that knows nothing, made at the end, finds nothing to create and nothing to decide.
"""

import re
import shlex
import shutil
import signal
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from . import both_ways
from .both_ways import Game, Run, name_of
from .runs import Nursery, run_here
from .stage import Clock

WORD = re.compile(r"(?:Writer|Person)\d+x")
PERSONS = re.compile(r"Person\d+x")
COMMAND = re.compile(r"`(kbsync [^`]+)`")
ROUNDS_TO_AGREE, ROUNDS_OF_TAKING = 8, 3


def slug_of(path: Path) -> str:
    found = re.search(r"^slug: (.*)$", path.read_text(), flags=re.MULTILINE)
    stem = path.stem.lower() if path.parts[-3] == "en" else f"{path.stem.lower()}-{path.parts[-3]}"
    return found[1].strip() if found else stem


def category_slug_of(path: Path) -> str:
    found = re.search(r"^slug: (.*)$", path.read_text(), flags=re.MULTILINE)
    return found[1] if found else path.parent.name.lower()


def set_slug(path: Path, slug: str) -> None:
    text = re.sub(r"^slug: .*\n", "", path.read_text(), count=1, flags=re.MULTILINE)
    path.write_text(text.replace("---\n", f"---\nslug: {slug}\n", 1))


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
    runs: dict[Path, list[str]] = field(default_factory=dict)

    # --- clones ------------------------------------------------------------------------------------------------------

    def clones(self) -> list[Path]:
        return sorted(path.parent for path in self.home.glob("clone-*/kbsync.toml"))

    def git(self, *arguments: str, at: Path | None = None) -> str:
        now = f"{int(self.clock.now_s)} +0000"
        return both_ways.git_at(at or self.folder, arguments, {"GIT_AUTHOR_DATE": now, "GIT_COMMITTER_DATE": now})

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
            # Both sides of what git could not merge stay: files that only one side kept, and both sides' lines.
            self.git("add", "-A")
            self.git("commit", "-q", "--no-edit", "--allow-empty")
        self.tidy()

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

    def undo(self) -> tuple[str, ...]:
        """The words that undo one of this clone's last pushes, or an undo."""
        runs = self.runs.get(self.folder) or ["1"]
        return ("undo", self.rng.choice([runs[-1], *runs[-3:]]), "--yes")

    def shown(self) -> set[str]:
        """What people wrote of what the portal has."""
        return {word for item in self.articles() for word in PERSONS.findall(f"{item.content} {item.draft_content}")}

    def judge_words(self, before: set[str]) -> None:
        """Whether words of people left the portal unasked."""
        gone = {word for word in before - self.shown() - self.given_up if word not in self.own()}
        self.wrong += [f"overwritten: {word}" for word in sorted(gone - self.agreed)]
        self.wrong += [f"overwritten by older files: {word}" for word in sorted(gone & self.agreed) if self.lacks(word)]
        self.agreed |= self.shown() & set(PERSONS.findall(self.own()))

    def lacks(self, word: str) -> bool:
        """Whether no commit of this clone ever had a word that another one agreed to, and a ledger says so.

        What a clone without old commits had is not known, and neither is it to kbsync.
        """
        if self.ledger != "git" or self.git("rev-parse", "--is-shallow-repository").strip() == "true":
            return False
        return not self.git("log", "-1", "--format=%h", "-S", word, "HEAD", "--", "content")

    def own(self) -> str:
        """The files of this clone."""
        return "\n".join(path.read_text() for path in self.files())

    def judge(self, done: Run, before: set[str], against: str = "") -> Run:
        self.sandbox.faults.clear()
        self.said = f"{done.out}\n{done.err}"
        self.runs.setdefault(self.folder, []).extend(re.findall(r"`kbsync undo (\d+)", self.said)[-1:])
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
        places = [place / word for word in arguments[1:] for place in (self.folder, self.folder / "content")]
        named = [path for path in places if path.is_file()]
        names = {name_of(path.read_text()) for path in named}
        chosen = [item for item in self.articles() if not named or name_of(item.content) in names]
        files = named or self.files()
        portal = "\n".join(f"{item.content}\n{item.draft_content}" for item in chosen)
        mine = "\n".join(path.read_text() for path in files)
        if "--overwrite" in arguments or "--ours" in arguments:
            self.give_up(portal, self.everything())
        if "--into-file" in arguments or "--theirs" in arguments or "--force" in arguments:
            self.give_up(mine, portal)

    # --- the end -----------------------------------------------------------------------------------------------------

    def agree(self) -> None:
        """All writers merge; one of them brings both sides together, and all that is judged at the end is judged."""
        self.sandbox.faults.clear()
        self.merge_all()
        planned = self.converge()
        # What writers merged may be nothing that lint lets pass: nobody's fault but theirs.
        if not self.wrong and planned.code != 3:
            self.wrong += ["no end"] * bool(planned.code)
        if not self.wrong and planned.code == 0:
            self.judge_end()

    def merge_all(self) -> None:
        """Bring everything to the remote, publish what is pending, and go on in one clone."""
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

    def converge(self) -> Run:
        """Pull, decide and push, as a patient writer would; the last plan."""
        for turn in range(ROUNDS_TO_AGREE):
            self.clock.pass_by(5)
            self.fetch()
            self.tidy_names()
            self.commit()
            self.pull()
            self.follow(self.said)
            self.commit()
            if turn < ROUNDS_OF_TAKING:
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
        return planned

    def judge_end(self) -> None:
        """Whether both sides stay as they are, with the same words, also for a clone that knows nothing."""
        self.take_back_decisions()
        # An article that was unclear until others were made again has no file yet.
        self.kbsync("pull")
        self.commit()
        self.kbsync("push", "--publish")
        self.kbsync("pull")
        if self.git("status", "--porcelain"):
            self.wrong.append("a pull after a push writes")
        if self.kbsync("plan", "--publish", "--check").code:
            self.wrong.append("a plan after a pull has something to do")
        self.judge_pairs()
        self.send()
        self.clone()
        fresh = self.kbsync("plan", "--publish", "--format", "json")
        made = (change for change in fresh.changes if change["action"] != "adopt")
        self.wrong += [f"a fresh clone would {change['action']} {change['path']}" for change in made]
        asked = (held for held in fresh.held if held["reason"] != "orphan")
        self.wrong += [f"a fresh clone asks: {held['reason']} {held['path']}" for held in asked]

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
            slug = slug_of(path)
            if slugs.setdefault(slug, path) != path:
                set_slug(path, f"{slug}-{self.next()}")

    def judge_pairs(self) -> None:
        """Whether each file's article has that file's words."""
        files = {name_of(path.read_text()): path.read_text() for path in self.files()}
        for item in self.articles():
            name, words = name_of(item.content), set(WORD.findall(item.content or ""))
            if name in files and name not in self.twice and set(WORD.findall(files[name])) != words:
                self.wrong.append(f"not the same words: {name}")
