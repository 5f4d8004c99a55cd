"""Whatever the service does to a push: one article for each source, nothing lost, and then nothing left to do."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from kbsync.app.reading import Reading
from kbsync.config import LedgerSettings
from kbsync.markdown.uploaded import body_digest
from kbsync.sandbox import V4_2, V4_10, Behaviour, Fault, random_faults
from kbsync.service.client import Service
from repo import Repo, a_repo, needs_git
from rings import seeds, some
from soak.portal import restore, save
from soak.remote import Remote

from .world import PORTAL, Project, World, a_category, a_project, a_sandbox, a_service, an_article

pytestmark = pytest.mark.slow

IMPATIENT_S = 0.1
SCHEDULES = 192
RATES = (0.05, 0.15, 0.3, 0.6)
STATUS_NUMBERS = {"draft": 0, "published": 1, "archived": 2}

BEFORE = {
    "en/a/_category.md": a_category("a"),
    "en/b/_category.md": a_category("b", description="old"),
    "en/a/keep.md": an_article("Keep", status="published"),
    "en/a/edit.md": an_article("Edit", "old"),
    "en/a/move.md": an_article("Move", position=35),
    "en/a/live.md": an_article("Live", "old"),
    "en/a/slug.md": an_article("Slug", slug="old-name"),
    "en/a/gone.md": an_article("Gone"),
    "en/a/old.md": an_article("Old", status="published"),
    "en/a/one.md": an_article("One", "The first of two.", slug="one"),
    "en/a/two.md": an_article("Two", "The second of two.", slug="two"),
}
AFTER = {
    "en/a/_category.md": BEFORE["en/a/_category.md"],
    "en/b/_category.md": a_category("b", description="new"),
    "fr/c/_category.md": a_category("c", position=4),
    "en/a/keep.md": BEFORE["en/a/keep.md"],
    "en/a/edit.md": an_article("Edit", "new", description="told"),
    "en/b/move.md": an_article("Move", position=35, aliases=["moved"]),
    "en/a/live.md": an_article("Live", "new", status="published"),
    "en/a/slug.md": an_article("Slug", slug="new-name"),
    "en/a/old.md": an_article("Old", status="archived"),
    "fr/c/neuf.md": an_article("Neuf", status="published", tags=["x"], position=7),
    "en/b/new.md": an_article("New", author="ada"),
    "en/a/one.md": an_article("One", "The first of two.", slug="two"),
    "en/a/two.md": an_article("Two", "The second of two.", slug="one"),
    "fr/c/garde.md": an_article("Garde", translation_of="en/a/keep.md"),
}
KINDS = {
    "refuse": Fault("refuse"),
    "reset-before": Fault("reset"),
    "reset-after": Fault("reset", when="after"),
    "500-before": Fault("status", status=500),
    "500-after": Fault("status", status=500, when="after"),
    "502-before": Fault("status", status=502),
    "502-after": Fault("status", status=502, when="after"),
    "503-retry-before": Fault("status", status=503, retry_after_s=1),
    "503-retry-after": Fault("status", status=503, retry_after_s=1, when="after"),
    "404-after": Fault("status", status=404, when="after"),
    "422-after": Fault("status", status=422, when="after"),
    "cut": Fault("cut"),
    "html": Fault("junk"),
    "wrong-json": Fault("junk", junk='{"payload": []}'),
    "null-json": Fault("junk", junk="null"),
    "someone-else": Fault("junk", junk='{"payload": {"id": 1, "slug": "keep", "title": "Keep"}}'),
    "empty": Fault("empty"),
    "redirect": Fault("redirect"),
    "429": Fault("status", status=429),
    "401": Fault("status", status=401),
    "hang-before": Fault("hang", seconds=0.3),
    "hang-after": Fault("hang", seconds=0.3, when="after"),
}
RARE = {
    "reset-before", "502-before", "cut", "503-retry-before", "503-retry-after", "404-after", "422-after", "html",
    "null-json", "redirect", "401",
}  # fmt: skip
"""What is tried at every third request only."""


@dataclass(slots=True)
class Stage:
    """A portal that holds BEFORE, and a tree that says AFTER; each schedule begins from there."""

    world: World
    folder: Path
    impatient: Service
    reading: Reading
    remote: Remote | None = None

    def begin(self, name: str) -> Project:
        """The portal as it was, and a ledger of this schedule's own."""
        self.world.sandbox.faults.clear()
        restore(self.world.sandbox, self.folder / "before.db")
        state = self.folder / name
        state.mkdir()
        settings = structs.replace(self.world.project.settings, state=state)
        if self.remote is not None:
            # In git its file is a new one each time, as where the disk was lost.
            own = Remote(self.remote.folder.parent / f"{name}.git")
            own.make(self.remote)
            Repo(self.folder).git("remote", "set-url", "origin", str(own.folder))
            return Project(settings, self.reading)
        shutil.copy(self.folder / "before.ledger", state / "ledger.db")
        return Project(structs.replace(settings, ledger=LedgerSettings(f"sqlite:{state / 'ledger.db'}")), self.reading)

    def lose_disk(self, project: Project) -> None:
        """What this machine knows is gone, and what the remote of the ledger has is not."""
        for file in project.settings.state_folder.glob("ledger*.db*"):
            file.unlink()

    def end(self, project: Project) -> None:
        shutil.rmtree(project.settings.state_folder)
        if self.remote is not None:
            shutil.rmtree(self.remote.folder.parent / f"{project.settings.state_folder.name}.git")


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> Iterator[Stage]:
    with stages(tmp_path_factory.mktemp("stage"), Behaviour()) as found:
        yield found


@pytest.fixture(scope="module")
def git_stage(tmp_path_factory) -> Iterator[Stage]:
    with stages(tmp_path_factory.mktemp("stage"), Behaviour(), ledger="git:origin") as found:
        yield found


@pytest.fixture(scope="module", params=[V4_2, V4_10], ids=["4.2", "4.10"])
def old_stage(tmp_path_factory, request) -> Iterator[Stage]:
    with stages(tmp_path_factory.mktemp("stage"), request.param) as found:
        yield found


@contextmanager
def stages(folder: Path, behaviour: Behaviour, ledger: str = "sqlite:ledger.db") -> Iterator[Stage]:
    """A portal of some version that holds BEFORE."""
    with a_sandbox(folder, behaviour) as sandbox:
        project = a_project(folder, sandbox.base_url, BEFORE, publish=True, removed="delete")
        project = Project(structs.replace(project.settings, ledger=LedgerSettings(ledger)))
        remote = a_remote(folder) if ledger == "git:origin" else None
        profile = project.workspace().profile
        with (
            a_service(sandbox.base_url, profile) as patient,
            a_service(sandbox.base_url, profile, timeout_s=IMPATIENT_S) as impatient,
        ):
            world = World(sandbox, project, patient)
            for _ in range(2):
                # One at a time, so that each article has the same id in every run.
                assert world.push(concurrency=1).words <= {"done"}
            save(sandbox, folder / "before.db")
            if remote is None:
                shutil.copy(folder / "ledger.db", folder / "before.ledger")
            world.write(AFTER)
            yield Stage(world, folder, impatient, project.read(), remote)


def a_remote(folder: Path) -> Remote:
    """The project's folder becomes a repository with this as its `origin`."""
    remote = Remote(folder.with_name(f"{folder.name}-remotes") / "before.git")
    remote.make()
    a_repo(folder).git("remote", "add", "origin", str(remote.folder))
    return remote


def wrongs(world: World, project: Project) -> list[str]:
    """Everything that is not as the tree says, after all is done."""
    reading = project.read()
    wanted = {item.slug: item for item in reading.desired if item.kind == "article"}
    there = world.sandbox.panel.articles(PORTAL)
    found = [] if sorted(a.slug for a in there) == sorted(wanted) else [f"articles: {sorted(a.slug for a in there)}"]
    for article in there:
        item = wanted.get(article.slug)
        if item is None:
            continue
        given = {"title": article.title, "content": body_digest(article.content or "")}
        given |= {"category": article.category.slug}
        given |= {"position": article.position, "description": article.description or "", "author": article.author_id}
        found += [f"{item.slug}: {k} {given[k]!r}" for k in given if k in item.fields and given[k] != item.fields[k]]
        if item.status and article.status != STATUS_NUMBERS[item.status]:
            found.append(f"{item.slug}: status {article.status}")
    plan = project.plan(world.service)
    found += [f"left: {change.action} {change.slug} {change.fields}" for change in plan.changes]
    found += [f"held: {held.reason} {held.slug} {held.fields}" for held in plan.held]
    with project.ledger() as ledger:
        found += [f"pending: {entry}" for entry in ledger.pending(project.target)]
        bases = {(base.kind, base.slug): base.remote_id for base in ledger.bases(project.target)}
    ids = {("article", article.slug): article.id for article in there}
    found += [f"ledger: {bases}"] if {k: v for k, v in bases.items() if k[0] == "article"} != ids else []
    return found


def _run(stage: Stage, project: Project, concurrency: int, *, ends: bool = True) -> list[str]:
    """Push once disturbed, the faults being set, and at most twice in peace; what is wrong then.

    `ends`: the first push lives to tell a ledger in git how it ended.
    """
    told = [project.push(stage.impatient, concurrency=concurrency, ends=ends).told]
    stage.world.sandbox.faults.clear()
    if stage.remote is not None:
        stage.lose_disk(project)
    found: list[str] = []
    for _ in range(2):
        told.append(project.push(stage.world.service).told)
        if not (found := wrongs(stage.world, project)):
            break
    stage.end(project)
    return [*found, "--- told:", *told] if found else []


def requests_of_a_push(stage: Stage) -> int:
    project = stage.begin("undisturbed")
    faults = stage.world.sandbox.faults
    before = faults.number
    assert project.push(stage.world.service, concurrency=1).words == {"done"}
    count = faults.number - before
    assert wrongs(stage.world, project) == []
    stage.end(project)
    return count


def at_single_requests(stage: Stage, kind: str, tried: Iterable[int], *, ends: bool = True) -> None:
    """Push again and again from the beginning, with one fault at another request each time."""
    for index in tried:
        project = stage.begin(f"{kind}-{index}")
        faults = stage.world.sandbox.faults
        faults.add(replace(KINDS[kind], nth=faults.number + index))
        found = _run(stage, project, 1, ends=ends)
        assert not found, "\n".join([f"{kind} at request {index}", *found])


@pytest.mark.parametrize("kind", KINDS)
def test_one_fault_at_any_single_request_leaves_one_article_for_each_source_and_nothing_to_do(
    stage, kind, record_property
):
    tried = some(range(1, requests_of_a_push(stage) + 1, 3 if kind in RARE else 1))
    record_property("schedules", len(tried))
    at_single_requests(stage, kind, tried)


def wrongs_of_seed(stage: Stage, seed: int) -> list[str]:
    """Push once under the faults of a seed, and in peace then; what is wrong after that, told in one text."""
    project = stage.begin(f"seed-{seed}")
    faults = stage.world.sandbox.faults
    # Counted from this push's own first request: a seed means the same faults wherever among others it is run.
    first, decide = faults.number, random_faults(seed, RATES[seed % len(RATES)], [*KINDS.values()])
    faults.follow(lambda number: decide(number - first))
    found = _run(stage, project, 1 + seed % 3, ends=stage.remote is None or seed % 4 == 0)
    return ["\n".join([f"seed {seed}", *found])] if found else []


def at_random(stage: Stage, tried: range, record_property: Callable[[str, object], None]) -> None:
    record_property("schedules", len(tried))
    assert [told for seed in tried for told in wrongs_of_seed(stage, seed)] == []


@pytest.mark.parametrize("part", range(4))
def test_faults_at_random_leave_one_article_for_each_source_and_nothing_to_do(stage, part, record_property):
    at_random(stage, seeds(SCHEDULES)[part::4], record_property)


def test_an_answer_that_says_nothing_of_what_was_sent_does_not_say_that_it_arrived(stage):
    """Found as seed 688618046 of the ones below, on a busy machine."""
    project = stage.begin("nothing")
    number = next(article.id for article in stage.world.sandbox.panel.articles(PORTAL) if article.slug == "edit")
    place, junk = f"/articles/{number}$", f'{{"payload": {{"id": {number}, "slug": "keep", "title": "Keep"}}}}'
    faults = stage.world.sandbox.faults
    lost = Fault("hang", method="PATCH", path=place, seconds=0.3)
    faults.add(lost)
    faults.follow(lambda _: Fault("junk", junk=junk) if lost not in faults.waiting and next(looks) else None)
    looks = iter([True, *[False] * 1_000])
    assert not (found := _run(stage, project, 1)), "\n".join(found)


@needs_git
@pytest.mark.parametrize("kind", ["reset-after", "500-after", "cut", "hang-before"])
def test_one_fault_at_any_request_of_a_runner_that_is_lost_leaves_one_article_for_each_source(git_stage, kind):
    at_single_requests(git_stage, kind, some(range(1, requests_of_a_push(git_stage) + 1, 3)), ends=False)


@needs_git
def test_faults_at_random_do_no_more_harm_where_the_ledger_is_in_git_and_the_disk_is_lost(git_stage, record_property):
    at_random(git_stage, seeds(SCHEDULES // 6), record_property)


@pytest.mark.parametrize("part", range(2))
def test_faults_at_random_do_no_more_harm_to_an_older_version(old_stage, part, record_property):
    at_random(old_stage, seeds(SCHEDULES // 3)[part::2], record_property)


@pytest.mark.parametrize("kind", ["reset-after", "500-after", "404-after", "cut"])
def test_one_fault_at_any_third_request_to_an_older_version_leaves_one_article_for_each_source(old_stage, kind):
    at_single_requests(old_stage, kind, some(range(1, requests_of_a_push(old_stage) + 1, 3)))
