"""What a ledger in git costs beyond one in SQLite, and how large its ref grows. By hand; the same rows in both.

python bench/ledger_git.py [--articles 10000] [--runs 1000] [--write]
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sections import write_section

from kbsync.ledger import Ledger, open_ledger
from kbsync.ledger.dump import dump
from kbsync.ledger.fast_import import Author
from kbsync.ledger.git_ledger import GitLedger, open_git_ledger, ref_of
from kbsync.ledger.remote import RemoteRef
from kbsync.ledger.shards import KEPT_RUNS, to_files
from kbsync.ledger.values import EntryResult, Owner, Turn
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Action, Base, Change, FieldChange, Status, Target

HEAD = "## The ledger in git"
TARGET = Target("https://support.example.com", 1, "handbook", "chatwoot")
REF, KEY = ref_of(TARGET), TARGET.key
LOCALES, CATEGORIES, WORDS_OF_A_BODY = ("en", "fr", "de", "es"), 60, 400
RNG = random.Random(7)
WORDS = ["".join(RNG.choices("abcdefghijklmnoprstuvw", k=RNG.randint(2, 11))) for _ in range(4000)]
AIM_S = 2.0


def a_body() -> str:
    return " ".join(RNG.choices(WORDS, k=WORDS_OF_A_BODY))


def a_base(number: int, body: str) -> Base:
    """An article as a push records it."""
    locale, slug = LOCALES[number % len(LOCALES)], f"{RNG.choice(WORDS)}-{number}"
    category = f"category-{number // len(LOCALES) % CATEGORIES}"
    words = " ".join(RNG.choices(WORDS, k=5))
    fields = {"title": words, "slug": slug, "content": body_digest(body), "category": category,
              "description": words * 2, "position": 10 * number, "tags": ("one", "two")}  # fmt: skip
    path = f"{locale}/{category}/{slug}.md"
    return Base(
        kind="article", remote_id=number, locale=locale, slug=slug, path=path, fields=fields, status=Status.PUBLISHED,
        touched_s=1_750_000_000 + number,
    )  # fmt: skip


def a_change(base: Base, before: str, after: str) -> Change:
    return Change(
        action=Action.UPDATE, kind="article", locale=base.locale, slug=base.slug, path=base.path,
        remote_id=base.remote_id, title="A title", live=True,
        fields=(FieldChange("content", body_digest(before), body_digest(after)),),
    )  # fmt: skip


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True).stdout


def a_clone(remote: Path, folder: Path) -> Path:
    git(remote.parent, "init", "--quiet", str(folder))
    git(folder, "remote", "add", "origin", str(remote))
    return folder


def opened(clone: Path) -> GitLedger:
    return open_git_ledger(RemoteRef(clone, "origin", REF), TARGET, clone / ".kbsync", fetch=True)


def cpu_s() -> float:
    """Of this process and of the git processes that it waited for."""
    return sum(os.times()[:4])


def measured(work: Callable[[], object], times: int = 5) -> tuple[float, float]:
    """CPU and wall seconds, the median of some times."""
    found = []
    for _ in range(times):
        cpu, wall = cpu_s(), time.perf_counter()
        work()
        found.append((cpu_s() - cpu, time.perf_counter() - wall))
    return sorted(cpu for cpu, _ in found)[times // 2], sorted(wall for _, wall in found)[times // 2]


def push_one(ledger: Ledger, base: Base, number: float) -> None:
    """What a push of one change asks of a ledger."""
    owner = Owner("ci", "runner", os.getpid(), number, number)
    ledger.lock(KEY, owner, now=time.time())
    run = ledger.begin_run(KEY, command="push", now=number, owner=owner)
    before, after = a_body(), a_body()
    entries = ledger.offer(KEY, run, [(2000, a_change(base, before, after))])
    ledger.turn(KEY, run, owner, Turn(phase=2000, most=1), now=number)
    ledger.turn(KEY, run, owner, Turn(sending={entries[0]: before}), now=number)
    ledger.turn(KEY, run, owner, Turn([EntryResult(entries[0], "done", base, remote_id=base.remote_id)]), now=number)
    ledger.leave(KEY, run, owner, now=number)
    ledger.end_run(run, outcome="done", now=number)
    ledger.unlock(KEY, owner)


@contextmanager
def ledgers(home: Path, articles: int) -> Iterator[tuple[GitLedger, Ledger, list[Base], Path]]:
    """One of each kind with the same rows."""
    remote = home / "remote.git"
    git(home, "init", "--quiet", "--bare", str(remote))
    bases = [a_base(number, str(number)) for number in range(1, articles + 1)]
    in_git, in_file = opened(a_clone(remote, home / "clone")), open_ledger("sqlite:l.db", folder=home)
    with closing(in_git), closing(in_file):
        for ledger in (in_git, in_file):
            ledger.record(KEY, bases)
        in_git.send("Imported")
        yield in_git, in_file, bases, remote


def costs(home: Path, articles: int) -> list[str]:
    """The table: what each part of a push costs in CPU, git's processes included."""
    numbers = iter(range(1_000_000))
    with ledgers(home, articles) as (in_git, in_file, bases, remote):

        def fetch_all() -> None:
            with closing(opened(a_clone(remote, home / f"fresh-{next(numbers)}"))) as ledger:
                ledger.bases(KEY)

        def look(opener: Callable[[], Ledger]) -> Callable[[], None]:
            def work() -> None:
                with closing(opener()) as ledger:
                    ledger.bases(KEY)

            return work

        here = look(lambda: opened(home / "clone")), look(lambda: open_ledger("sqlite:l.db", folder=home))
        rows = [
            ("a plan in a fresh clone: all of it fetched", measured(fetch_all), measured(here[1])),
            ("a plan where nothing is new", measured(here[0]), measured(here[1])),
        ]

        def one(ledger: Ledger) -> Callable[[], None]:
            return lambda: push_one(ledger, RNG.choice(bases), 1.75e9 + next(numbers))

        rows.append(("a push of one change: intents, results", measured(one(in_git)), measured(one(in_file))))
    lines = ["| what | CPU, git | CPU, SQLite | beyond it | wall, git |", "| --- | --- | --- | --- | --- |"]
    for name, (cpu, wall), (other, _) in rows:
        beyond = f"**{cpu - other:.2f} s** (aim {AIM_S:g} s)"
        lines.append(f"| {name} | {cpu:.2f} s | {other:.2f} s | {beyond} | {wall:.2f} s |")
    return lines


def growth(home: Path, articles: int, runs: int) -> str:
    """How large the ref is after so many runs of one change each, two commits a run, as `git.py` makes them."""
    home.mkdir()
    with ledgers(home, articles) as (in_git, in_file, bases, remote):
        first = size_of(remote)
        tip = commits(in_git, in_file, bases, runs)
        # Pushed commit by commit, as runs do, each would be unpacked.
        git(remote, "config", "receive.unpackLimit", "1000000")
        git(remote, "config", "receive.autogc", "false")
        git(home / "clone", "push", "--quiet", "origin", f"{tip}:{REF}")
        told = []
        for pack in (False, True):
            if pack:
                git(remote, "gc", "--quiet", "--prune=now")
            fresh = a_clone(remote, home / f"fresh-{pack}")
            cpu, wall = measured(lambda fresh=fresh: opened(fresh).close(), 1)
            told.append(f"{size_of(remote)}, which a fresh clone fetches in {wall:.1f} s ({cpu:.1f} s CPU)")
    return (
        f"After {runs:,} runs of one change each ({2 * runs:,} commits) the remote has {told[0]}; after `git gc` "
        f"{told[1]}. Before the first run it had {first}."
    )


def commits(in_git: GitLedger, in_file: Ledger, bases: list[Base], runs: int) -> str:
    """Two commits a run on top of the ledger; the last one's id."""
    author, tip = Author("ci", "ci@example.com"), in_git.file.origin().commit_id
    shards = to_files(dump(in_file.db), KEY, None).files
    shards = {name: content for name, content in shards.items() if name.startswith("items/")}
    there: dict[str, bytes] = {}
    for number in range(1, runs + 1):
        push_one(in_file, RNG.choice(bases), 1.75e9 + number)
        in_file.db.run("DELETE FROM journal WHERE run <= ?", (number - KEPT_RUNS,))
        in_file.db.run("DELETE FROM run WHERE id <= ?", (number - KEPT_RUNS,))
        found = {table: [] if table == "item" else rows for table, rows in dump(in_file.db).items()}
        files = to_files(found, KEY, None).files
        shard = RNG.choice([*shards])
        shards[shard] = shards[shard].replace(b'"touched_s":1', f'"touched_s":{RNG.randint(2, 9)}'.encode(), 1)
        lease = f'{{"run": {number}, "user": "ci", "host": "runner", "beat_at": {time.time()}}}\n'.encode()
        tip = in_git.ref.commit(tip, {"lease.json": lease}, f"Run {number} begins", author)
        changed: dict[str, bytes | None] = {name: text for name, text in files.items() if there.get(name) != text}
        changed |= dict.fromkeys(name for name in there if name not in files)
        tip = in_git.ref.commit(tip, changed | {shard: shards[shard], "lease.json": None}, f"Run {number}", author)
        there = files
    return tip


def size_of(remote: Path) -> str:
    """What a repository takes, in words."""
    known = dict(line.split(": ") for line in git(remote, "count-objects", "-vH").splitlines())
    return f"{known['size']} loose and {known['size-pack']} packed"


def main() -> None:
    """Measure both and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--articles", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="put the section into bench/RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        home = Path(name)
        head = f"{options.articles:,} articles, the remote a folder; CPU with git's processes:"
        grown = textwrap.fill(growth(home / "growth", options.articles, options.runs), 120)
        lines = [head, "", *costs(home, options.articles), "", grown]
    text = f"{HEAD}\n\nMade by `bench/ledger_git.py` on {time.strftime('%Y-%m-%d')}.\n\n" + "\n".join(lines) + "\n"
    print(text)
    if options.write:
        write_section(HEAD, text)


if __name__ == "__main__":
    main()
