"""A project and everything that can be done with it: what the commands call, and what a Python program can call.

    from kbsync import PlanOptions, Project

    project = Project.open("help-center")
    compared = project.plan(PlanOptions(publish=True))
    if not compared.plan.held:
        project.push(PlanOptions(publish=True))

Nothing here prints or asks: a `Session` says where notes go and who is asked. Every error is a `KbsyncError` with a
message, a hint and an exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kbsync.app.options import AS_CONFIGURED, PlanOptions
from kbsync.app.session import Session
from kbsync.app.workspace import Workspace
from kbsync.config import CONFIG_NAME
from kbsync.files import working_folder

if TYPE_CHECKING:
    # What a command does is imported when it is asked for: start-up is part of speed.
    from kbsync.app.asking.check import Line
    from kbsync.app.asking.diff import Differences
    from kbsync.app.asking.redirects import Redirects, RemovedTo
    from kbsync.app.asking.verify_values import Verified
    from kbsync.app.file_transaction import NewBytes
    from kbsync.app.linting.lint import Selection
    from kbsync.app.linting.lint_cache import Linted
    from kbsync.app.moving.move import MoveRequest
    from kbsync.app.moving.new import NewFiles
    from kbsync.app.planning.cached import PlanResult
    from kbsync.app.pulling.pull import Pulled
    from kbsync.app.pulling.pull_scope import PullOptions
    from kbsync.app.pulling.resolve import Choose, Decision, Resolved
    from kbsync.app.push_result import Pushed
    from kbsync.app.pushing.delete import Agree as AgreeToDelete
    from kbsync.app.pushing.undo import Agree
    from kbsync.app.translating.translated import Marked
    from kbsync.content.relocation import Relocation
    from kbsync.ledger.values import RunInfo
    from kbsync.plan.freshness import Translation
    from kbsync.plan.overview import Overview
    from kbsync.report.ledger import ItemHistory
    from kbsync.report.why import Explanation
    from kbsync.service.api import ApiRequest
    from kbsync.service.exchange import Answer


def _ignore(decision: Decision) -> None:
    pass


class Project(msgspec.Struct, frozen=True):
    """One project: a kbsync.toml, the content tree, the portal and the ledger that it names."""

    workspace: Workspace

    @classmethod
    def open(cls, folder: str | Path | None = None, *, env: str = "", session: Session | None = None) -> Project:
        """The project of a folder.

        Args:
            folder: with the kbsync.toml in it; None: what the session says, or the nearest from here upwards.
            env: the tables `[env.NAME]` of kbsync.toml that are put on top.
            session: where notes go and how the user is asked; without one, notes are dropped and nothing is asked.

        Raises:
            ConfigError: there is no kbsync.toml, or it cannot be used.
        """
        if session is None:
            session = Session(Path(folder) / CONFIG_NAME if folder is not None else None, env)
        return cls(Workspace(session.read_settings(), session))

    def check(self) -> Iterator[Line]:
        """Look at config, files, ledger, service, token, portal and locales, one by one, and say what to do."""
        from kbsync.app.asking.check import check

        return check(self.workspace)

    def ask(self, request: ApiRequest, *, paginate: bool = False) -> Answer:
        """Send one request to the service, or read all pages of a list; an answer may be an error.

        Raises:
            ServiceError: no answer came.
        """
        from kbsync.app.asking.api import ask, ask_pages

        return ask_pages(self.workspace, request) if paginate else ask(self.workspace, request)

    def lint(self) -> Linted:
        """The findings of the whole content tree. Asks no other machine."""
        from kbsync.app.linting.lint_cache import lint

        return lint(self.workspace)

    def lint_selected(self, selectors: Sequence[str] = (), *, fixes: bool = False) -> Selection:
        """The findings of some files, and the tree that was read for that.

        With `fixes` they will be fixed: what was interrupted of that is finished first.

        Raises:
            UsageError: a selector that means nothing.
            ContentError: another command was interrupted.
        """
        from kbsync.app.file_transaction import FIX, Changes

        if fixes:
            Changes.of(self.workspace).settle(FIX, self.workspace.session.note)
        from kbsync.app.linting.lint import lint_selected

        return lint_selected(self.workspace, tuple(selectors))

    def verify(self, selectors: Sequence[str] = (), *, listed: bool = False) -> Verified:
        """Compare what readers get with the published articles of the files. Reads no token.

        Args:
            selectors: limit the files.
            listed: also look for published articles that no file publishes.

        Raises:
            TreeRefused: the content tree has errors.
            ServiceError: not one article could be asked for.
        """
        from kbsync.app.asking.verify import verify

        return verify(self.workspace, selectors, listed=listed)

    def translation_states(self) -> tuple[Translation, ...]:
        """How every translation is to its original: fresh, stale, missing or unknown. Asks no other machine."""
        from kbsync.app.reading import read_content
        from kbsync.app.translation_state import translation_states

        return translation_states(self.workspace, read_content(self.workspace, compiled=False))

    def mark_done(self, files: Sequence[str], *, here: Path) -> Iterator[Marked]:
        """Write into translations that they render their originals as these are now.

        Args:
            files: their paths.
            here: the folder from which paths are seen.

        Raises:
            UsageError: one of them is not a translation.
            ContentError: a file cannot be written.
        """
        from kbsync.app.translating.translated import mark_done

        return mark_done(self.workspace, files, here=here)

    def fixes(self, selection: Selection) -> list[NewBytes]:
        """Everything that can be fixed safely in these files."""
        from kbsync.app.linting.fix import all_fixes

        return all_fixes(self.workspace, selection)

    def write_fixes(self, fixes: Sequence[NewBytes]) -> Mapping[str, str]:
        """Write them; by path, why a file was not fixed.

        Raises:
            ContentError: there is no room for it.
        """
        from kbsync.app.file_transaction import FIX, Changes

        return Changes.of(self.workspace).write(FIX, fixes)

    def plan(
        self, options: PlanOptions = AS_CONFIGURED, *, out: Path | None = None, offline: bool = False, diffs: int = 0
    ) -> PlanResult:
        """What a push would do; `plan.refused` says why it would not.

        Args:
            options: what is asked for beyond kbsync.toml.
            out: the file that the plan is saved in, too.
            offline: compare with what the ledger has on record; the portal is not asked, and no token is needed.
            diffs: how many bodies are read to be compared.

        Raises:
            TreeRefused: the content tree has errors.
        """
        if offline:
            from kbsync.app.planning.offline import plan_offline

            return plan_offline(self.workspace, options)
        from kbsync.app.planning.cached import plan

        return plan(self.workspace, options, out=out, diffs=diffs)

    def status(self, selectors: Sequence[str] = (), *, offline: bool = False, words: bool = False) -> Overview:
        """What is where, counted by locale.

        Args:
            selectors: limit the files.
            offline: show what the last push recorded; the portal is not asked, and no token is needed.
            words: with the words that changed in the originals of stale translations.

        Raises:
            TreeRefused: the content tree has errors.
        """
        from kbsync.app.asking.status import status

        return status(self.workspace, tuple(selectors), offline=offline, words=words)

    def diff(
        self, selectors: Sequence[str] = (), *, offline: bool = False, saved: Path | None = None, most: int = 100
    ) -> Differences:
        """In what your files and the portal differ.

        Args:
            selectors: limit the files.
            offline: compare with what the last push recorded; the portal is not asked, and no token is needed.
            saved: a plan of `plan(out=...)`, to see what that changes.
            most: how many bodies are read.

        Raises:
            TreeRefused: the content tree has errors.
        """
        from kbsync.app.asking.diff import diff, diff_saved

        if saved is not None:
            return diff_saved(self.workspace, saved, tuple(selectors), most=most)
        return diff(self.workspace, tuple(selectors), offline=offline, most=most)

    def why(self, name: str, *, offline: bool = False) -> Explanation:
        """What makes one article change, or not; `name` is a path, a slug or `locale/slug`.

        Raises:
            UsageError: nothing has this name.
            TreeRefused: the content tree has errors.
        """
        from kbsync.app.asking.why import why

        return why(self.workspace, name, offline=offline)

    def history(self, name: str, *, limit: int = 20) -> ItemHistory:
        """What was published of one article, from the ledger; `name` is a path, a slug or `locale/slug`.

        Raises:
            UsageError: nothing of this name is known.
            LedgerError: there is no ledger.
        """
        from kbsync.app.asking.why import history

        return history(self.workspace, name, limit=limit)

    def address(self, name: str) -> str:
        """The public address of one article or category; `name` is a path, a slug or `locale/slug`.

        Raises:
            UsageError: nothing has this name, or it has no page.
        """
        from kbsync.app.asking.address import address_of

        return address_of(self.workspace, name)

    def push(
        self,
        options: PlanOptions = AS_CONFIGURED,
        *,
        saved: Path | None = None,
        first_push: bool = False,
        wait: bool = False,
        break_lock: bool = False,
    ) -> Pushed:
        """Plan, carry it out and record it.

        Args:
            options: what is asked for beyond kbsync.toml.
            saved: a plan of `plan(out=...)`, to carry out just that.
            first_push: nothing of this project is on the portal yet; for profiles that cannot list it.
            wait: wait for another push to end instead of giving up.
            break_lock: take the lock from another push that has crashed.

        Raises:
            TreeRefused: the content tree has errors.
            PlanRefused: the plan refuses itself, and nothing was sent.
        """
        from kbsync.app.pushing.cached import push

        return push(self.workspace, options, saved=saved, first_push=first_push, wait=wait, break_lock=break_lock)

    def pull(self, options: PullOptions) -> Pulled:
        """Bring articles and edits from the portal into the files; the portal and the ledger stay as they are.

        Raises:
            TreeRefused: the content tree has errors.
            PlanRefused: a file with uncommitted work would change.
        """
        from kbsync.app.pulling.pull import pull

        return pull(self.workspace, options)

    def join(self) -> Pushed:
        """Take part in a push that another runner began."""
        from kbsync.app.pushing.join import join_push

        return join_push(self.workspace)

    def undo(self, run: int, *, agree: Agree, wait: bool = False) -> Pushed:
        """Reverse a run, except where it was edited later; `agree` is shown the plan first.

        Raises:
            UsageError: there is no such run.
            PlanRefused: nothing can be looked at, or a request of it is still open.
        """
        from kbsync.app.pushing.undo import undo

        return undo(self.workspace, run, agree=agree, wait=wait)

    def delete(self, name: str, *, agree: AgreeToDelete, wait: bool = False) -> Pushed:
        """Delete one article and its file; `agree` is shown both first. `name` is a path, a slug or `locale/slug`.

        Raises:
            UsageError: nothing has this name.
            TreeRefused: the content tree has errors, or would have without it.
            PlanRefused: what the portal has may not be this file's, or others share the ledger.
        """
        from kbsync.app.pushing.delete import delete

        return delete(self.workspace, name, agree=agree, wait=wait)

    def last_push(self) -> RunInfo | None:
        """The latest push that sent something and was not undone since, for `undo`; None where there was none."""
        from kbsync.app.pushing.undo import last_push

        return last_push(self.workspace)

    def resolve(
        self,
        options: PlanOptions,
        choose: Choose,
        *,
        names: Sequence[str] = (),
        report: Callable[[Decision], None] = _ignore,
    ) -> Resolved:
        """Decide what is held, item by item; `names` limits it to some fields. The next push follows.

        Raises:
            TreeRefused: the content tree has errors.
        """
        from kbsync.app.pulling.resolve import resolve

        return resolve(self.workspace, options, choose, names=names, report=report)

    def move(self, request: MoveRequest, *, dry_run: bool = False) -> Relocation:
        """Rename or move files of the content, with every link to them; what changed, or with `dry_run` would.

        Raises:
            UsageError: what was asked for cannot be.
            ContentError: a file cannot be read or changed.
        """
        from kbsync.app.moving.move import plan_move
        from kbsync.app.moving.move_writing import check_unfinished, write_move

        check_unfinished(self.workspace)
        relocation = plan_move(self.workspace, request, working_folder())
        if not dry_run:
            write_move(self.workspace, relocation)
        return relocation

    def finish_move(self) -> int:
        """Do what an interrupted move left; how many files it was about.

        Raises:
            UsageError: no move was interrupted.
            ContentError: a file changed meanwhile.
        """
        from kbsync.app.moving.move_writing import finish_move

        return finish_move(self.workspace)

    def new_files(self) -> NewFiles:
        """Writes new articles, categories and translations."""
        from kbsync.app.moving.new import NewFiles

        return NewFiles(self.workspace, working_folder())

    def redirects(self, *, since: str = "", removed_to: RemovedTo = "") -> Redirects:
        """Addresses that no longer work, each with the one that took its place.

        Raises:
            UsageError: `since` is neither the number of a run nor a date.
        """
        from kbsync.app.asking.redirects import find_redirects

        return find_redirects(self.workspace, since=since, removed_to=removed_to)
