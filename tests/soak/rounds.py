"""A round: steps carried out on a stage, judged after each push.

Every step draws from a generator of its own, named by the round's seed and the step's place: a step that is left out
changes nothing about what the others draw. So a violation can be made smaller (`play.py`).
"""

import random
import signal
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.errors import ExitCode
from kbsync.sandbox import Fault

from .edits import EDITS, Desk
from .ending import End, judge_end
from .judge import Occasion, Violation, judge_offline, judge_push, judge_run
from .portal import ACTS, Person, look
from .remote import Accident, Remote
from .repository import Clone, Copy, Origin
from .runs import Run, armed, disturb, run_here, summary
from .script import CLONES
from .stage import Stage
from .tree import Tree
from .truth import Truth

FAULTS = (
    Fault("reset"),
    Fault("reset", when="after"),
    Fault("status", status=500),
    Fault("status", status=500, when="after"),
    Fault("status", status=502, when="after"),
    Fault("status", status=404, when="after"),
    Fault("status", status=422),
    Fault("status", status=422, when="after"),
    Fault("cut"),
    Fault("junk"),
    Fault("junk", junk='{"payload": []}'),
    Fault("empty"),
)
METHODS = ("POST", "PATCH", "PATCH", "PATCH", "DELETE", "GET")
PAUSES_S = (0, 0, 0.4, 5, 90, 4000)
ACCIDENTS = {"push, faults": 0.3, "push, killed": 0.5}
"""Where the ledger is in git: how many of the pushes of this name have an accident there."""

PERSON_S = 2
"""git and the portal tell whole seconds; a person is not within the same one."""


@dataclass(slots=True)
class Round:
    """One round under way."""

    stage: Stage
    seed: int
    folder: Path
    desk: Desk
    truth: Truth
    removed: str
    concurrency: int
    origin: Origin
    remote: Remote | None = None
    clones: list[Clone] = field(default_factory=list)
    commits: list[tuple[str, Tree]] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    calm: bool = True
    is_rewritten: bool = False
    story: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    last_push: Run | None = None

    @property
    def clone(self) -> Clone:
        return self.clones[-1]

    @property
    def head(self) -> Tree:
        return self.commits[-1][1]

    # --- steps -----------------------------------------------------------------------------------------------------

    def take(self, place: int, step: str) -> None:
        """Carry out one step."""
        rng = random.Random(f"{self.seed} {place}")
        self.stage.clock.pass_by(rng.choice(PAUSES_S))
        words: str | None = step
        if step in EDITS:
            words = self._edit(step, rng)
        elif step in ACTS:
            words = self._act(step, rng)
        elif step in CLONES:
            words = self._change_clone(step, rng)
        elif step == "commit":
            words = self.commit()
        elif step == "squash":
            words = self._squash(rng)
        elif step.startswith("plan"):
            words = self._plan(*(["--offline"] if "offline" in step else []))
        else:
            words = self._push(step, rng)
        if words:
            self.counts[f"step: {step}"] += 1
            self.story.append(f"{place:>3} {words}")

    def _edit(self, step: str, rng: random.Random) -> str | None:
        before = self.desk.tree
        words = EDITS[step][0](self.desk, rng)
        if words is None or not self.desk.tree.is_sound:
            self.desk.tree = before
            return None
        return words

    def _act(self, step: str, rng: random.Random) -> str | None:
        self.stage.clock.pass_by(PERSON_S)
        words = Person(self.stage.sandbox, self.truth, rng).act(step)
        self.stage.clock.pass_by(PERSON_S)
        if words:
            self.calm = False
            self.counts["panel edits"] += 1
        return words

    def commit(self) -> str | None:
        """Everything that changed since the last commit."""
        if self.commits and self.desk.tree == self.head:
            return None
        parents = tuple(oid for oid, _ in self.commits[-1:])
        if self.commits:
            self.truth.committed(self.head, self.desk.tree)
        self._store(parents)
        return f"commit {self.commits[-1][0][:7]}"

    def _store(self, parents: tuple[str, ...]) -> None:
        oid = self.origin.commit(files_of(self.desk.tree), parents, int(self.stage.clock.now_s), "more")
        self.commits.append((oid, self.desk.tree))

    def _squash(self, rng: random.Random) -> str | None:
        count = rng.randint(2, 3)
        self.commit()
        if len(self.commits) <= count:
            return None
        del self.commits[-count:]
        self.truth.squashed(self.head, self.desk.tree)
        self._store((self.commits[-1][0],))
        self.calm = False
        return f"squash the last {count} commits"

    def _change_clone(self, step: str, rng: random.Random) -> str | None:
        if step == "stale ledger":
            if not self.copies:
                return None
            self.clone.take_ledger(rng.choice(self.copies))
        elif step == "lose the ledger":
            self.clone.lose_ledger(all_of_it=rng.random() < 0.5)
        elif step == "other clone" and len(self.clones) > 1:
            self.clones.insert(0, self.clones.pop())
        else:
            self.add_clone(shallow=step == "shallow clone")
        self.calm = False
        self.counts["ledgers lost or stale"] += "ledger" in step
        return f"{step}: now in `{self.clone.name}`"

    def add_clone(self, *, shallow: bool = False) -> Clone:
        """Another clone, which is the one that pushes from now on."""
        name = f"clone-{len(self.clones)}"
        clone = Clone(name, self.folder / name, self.origin, shallow, self.remote)
        if self.remote is not None and self.clones:
            clone.paths, clone.bases = self.clone.paths, self.clone.bases
        clone.make(self.stage.config(self.removed, self.concurrency))
        self.clones.append(clone)
        self.counts["clones"] += 1
        return clone

    # --- kbsync ----------------------------------------------------------------------------------------------------

    def check_out(self) -> None:
        self.commit()
        self.clone.check_out(self.commits[-1][0], files_of(self.head))

    def _plan(self, *options: str) -> str:
        self.check_out()
        before = look(self.stage.sandbox)
        run = self.kbsync("plan", "--format", "json", *options)
        here = Occasion(self.head, self.clone, run, before, before, self.removed)
        if options and run.code == ExitCode.HELD and not run.report:
            return "kbsync plan --offline -> nothing on record"
        self.violations += [*judge_run(here), *(judge_offline(self.truth, here) if options else [])]
        if look(self.stage.sandbox) != before:
            self.violations.append(Violation("a plan changed the portal", ""))
        return f"kbsync plan -> {summary(run)}"

    def kbsync(self, *arguments: str) -> Run:
        self.counts[f"runs: {arguments[0]}"] += 1
        return run_here(self.clone.folder, arguments)

    def _push(self, step: str, rng: random.Random) -> str:
        self.check_out()
        item = self.head.articles[rng.choice(sorted(self.head.articles))]
        path = f"content/{item.path}"
        options = {"push one": (path,), "push --overwrite": ("--overwrite", path), "push --recreate": ("--recreate",)}
        return self.push(step, rng, options.get(step, ()), frozenset({item.path} if "--overwrite" in step else ()))

    def push(
        self, step: str, rng: random.Random, options: tuple[str, ...] = (), overwritten: frozenset[str] = frozenset()
    ) -> str:
        """Push from the clone, and judge it."""
        sandbox = self.stage.sandbox
        before = look(sandbox)
        hits, killed = 0, False
        if self.remote is not None and step in ACCIDENTS and rng.random() < ACCIDENTS[step]:
            run, hits, killed = self._push_with_accident(step, rng, options)
        elif step == "push, faults":
            run, hits = self._push_faulted(rng, options)
        elif step in {"push, killed", "push, stopped"}:
            run, killed = self._push_ended(signal.SIGKILL if "killed" in step else signal.SIGINT, rng, options)
        else:
            run = self.kbsync("push", "--format", "json", *options)
        self.last_push = run
        sandbox.faults.clear()
        self.counts["faults"] += hits
        self.calm = self.calm and not hits and not killed
        after = look(sandbox)
        here = Occasion(self.head, self.clone, run, before, after, self.removed, overwritten,
                        "--recreate" in options, step == "push one", bool(hits), killed)  # fmt: skip
        self.violations += judge_push(self.truth, here)
        self.truth.pushed(before, after, self.head)
        sure = not here.is_disturbed and step != "push one"
        self.truth.recorded(self.clone, after, self.head, {held["path"] for held in run.held} if sure else None)
        if rng.random() < 0.3:
            self.copies.append(self.clone.copy_ledger(self.folder / f"copy-{len(self.copies)}"))
        if killed and self.remote is not None and rng.random() < 0.5:
            self.clone.lose_ledger(all_of_it=True)
            self.add_clone()
            self.counts["disks lost"] += 1
        disturbed = f" [{hits} faults]" if hits else " [ended]" if killed else ""
        return f"kbsync {' '.join(run.arguments)} in {here.clone.name}{disturbed} -> {summary(run)}"

    def _push_faulted(self, rng: random.Random, options: tuple[str, ...]) -> tuple[Run, int]:
        faults = self.stage.sandbox.faults
        disturb(faults, rng, FAULTS, METHODS)
        set_up = sum(fault.kind != "latency" for fault in faults.waiting)
        run = self.kbsync("push", "--format", "json", *options)
        return run, set_up - sum(fault.kind != "latency" for fault in faults.waiting)

    def _push_ended(self, number: signal.Signals, rng: random.Random, options: tuple[str, ...]) -> tuple[Run, bool]:
        trigger = armed(self.stage.sandbox.faults, rng, number, 24)
        self.counts["runs: push"] += 1
        run = self.stage.nursery.run(self.clone.folder, ("push", "--format", "json", *options), trigger.started)
        self.counts["kills" if number == signal.SIGKILL else "stops"] += trigger.sent
        return run, trigger.sent

    def _push_with_accident(self, step: str, rng: random.Random, options: tuple[str, ...]) -> tuple[Run, int, bool]:
        """The remote refuses the ledger once, or the runner is lost at one of its commits, perhaps with its disk."""
        assert self.remote is not None
        accident: Accident = rng.choice(("kill before", "kill after")) if "killed" in step else "refuse"
        self.remote.arrange(accident, rng.choice((1, 1, 2)))
        self.counts["runs: push"] += 1
        # A process of its own also where it is refused: what leaves a lease behind must be gone then.
        run = self.stage.nursery.run(self.clone.folder, ("push", "--format", "json", *options), self.remote.started)
        happened = self.remote.calm()
        self.counts["kills" if "kill" in accident else "refusals"] += happened
        return run, int(happened and accident == "refuse"), happened and accident != "refuse"

    def end(self) -> None:
        """Two pushes in peace and a plan."""
        self.check_out()
        for _ in range(2):
            self.stage.clock.pass_by(60)
            self.story.append(f"    {self.push('push', random.Random(0))}")
            if self.violations:
                return
        run = self.kbsync("plan", "--format", "json")
        self.story.append(f"    kbsync plan -> {summary(run)}")
        for held in run.held:
            self.counts[f"held: {held['reason']}"] += 1
        assert self.last_push is not None
        seen = look(self.stage.sandbox)
        end = End(self.head, self.clone, self.last_push, run, seen, self.removed, self.calm, self.is_rewritten)
        self.violations += judge_end(self.truth, end)


def files_of(tree: Tree) -> dict[str, str]:
    """What is committed."""
    return {f"content/{path}": text for path, text in tree.files().items()}
