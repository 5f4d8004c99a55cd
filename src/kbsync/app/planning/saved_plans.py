"""Plans in files: `plan --out FILE` and `push FILE`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from kbsync.app.options import AS_CONFIGURED, PlanOptions, given_options, gone_files, policy_of, push_command
from kbsync.app.planning.plan import Planned, Prepare, Prepared, check_removals, make_plan
from kbsync.app.reading import Reading
from kbsync.app.selectors import from_root, is_word
from kbsync.app.session import Session
from kbsync.app.sides import Peek, Recorded
from kbsync.app.workspace import Workspace
from kbsync.command import Option, command_line, quote
from kbsync.errors import UsageError
from kbsync.files import read_within, real_path, working_folder, write_whole
from kbsync.model import PORTAL_FILE, Base, Plan, visible
from kbsync.plan import saved
from kbsync.plan.replan import Now, Replanned, replan
from kbsync.push.uploads import only_awaited
from kbsync.words import count, similar, suggestion

if TYPE_CHECKING:
    from kbsync.service.client import Service

HEAD_BYTES = 64

MAX_PLAN_BYTES = 256_000_000
"""A plan of 100,000 creates has some 60 MB."""

SOURCES = (".md",)
PLANS = (".plan", ".json")
"""What plans are called in the help center; a name with another ending may be meant as a path of the content."""

MAKE_ONE = "Make a plan with `kbsync plan --out FILE`, then push that file."


def is_saved_plan(path: Path) -> bool:
    """Whether a file is a plan, of whatever version, rather than a source."""
    try:
        if not path.is_file():  # A pipe would be waited for.
            return False
        with path.open("rb") as file:
            return saved.is_saved_plan(file.read(HEAD_BYTES))
    except (OSError, ValueError):
        return False


def refuse_what_is_no_plan(selector: str, root: Path) -> None:
    """Say so where an argument names a file that is neither a plan nor a source; what else it may be is left alone.

    Args:
        selector: the argument, as the user typed it.
        root: the content root.

    Raises:
        UsageError: it does.
    """
    path = Path(selector)
    ending = path.suffix.lower()
    if is_word(selector) or ending in SOURCES or path.name == PORTAL_FILE:
        return
    if not os.path.lexists(path):
        if ending in PLANS:
            raise UsageError(f"`{visible(selector)}` does not exist.", hint=_near(path))
    elif path.is_dir():
        place, tree = real_path(path), real_path(root)
        if not (place.is_relative_to(tree) or tree.is_relative_to(place)):
            message = f"`{visible(selector)}` is a folder without any of your files."
            raise UsageError(message, hint=MAKE_ONE)
    else:
        what = "is neither a plan from `kbsync plan --out` nor a Markdown file"
        raise UsageError(f"`{visible(selector)}` {_unreadable(path) or what}.", hint=MAKE_ONE)


def _near(path: Path) -> str:
    """A plan beside a file that is not there, whose name is nearly the same; else how to make one."""
    try:
        names = [other.name for other in path.parent.iterdir() if is_saved_plan(other)]
    except OSError:
        names = []
    near = similar(path.name, names)
    return suggestion(command_line("push", path.with_name(near[0]))) if near else MAKE_ONE


def _unreadable(path: Path) -> str:
    try:
        with path.open("rb") if path.is_file() else nullcontext():
            return ""
    except OSError as exc:
        return f"cannot be read: {exc.strerror}"


def write_plan(path: Path, planned: Planned, workspace: Workspace, reading: Reading, options: PlanOptions) -> None:
    """Write a plan to a file, whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    data = saved.save_plan(
        planned.plan,
        _asked(real_path(workspace.content_root), reading, planned.recovery.bases, options),
        tree=saved.tree_digest(workspace.target, reading.desired),
        settings=_settings(workspace),
        ledger=_ledger(planned),
        key=os.environ.get(saved.KEY, ""),
    )
    try:
        write_whole(path, data)
    except OSError as exc:
        raise UsageError(f"{path} cannot be written: {exc.strerror}.", hint="Choose another file.") from exc


def _asked(root: Path, reading: Reading, bases: Iterable[Base], options: PlanOptions) -> saved.PlanRequest:
    here = working_folder()
    gone = gone_files(root, reading.desired, bases, options)
    overwrite = (gone.get(selector, selector) for selector in options.overwrite)
    return saved.PlanRequest(
        from_root(reading.desired, options.selectors, root=root, here=here),
        from_root(reading.desired, overwrite, root=root, here=here),
        options.recreate,
        options.publish,
        from_root(reading.desired, options.live, root=root, here=here),
        options.allow_removals,
        options.stage,
        options.publish_staged,
        options.release,
        options.now,
    )


def resuming(path: Path, workspace: Workspace, typed: PlanOptions) -> Prepare:
    """Takes a plan out of a file and plans it again: what comes out equal is carried out, less what is done already.

    `typed` are the options of the command line.

    Raises, when it is called:
        PlanRefused: it is not for this tree, these settings or this portal, or not signed as it has to be.
        UsageError: it was made with options that were not typed again, or without one that was.
    """

    def prepare(
        reading: Reading, service: Service, record: Recorded, seen: Peek | None = None, *, max_age_s: int = 0
    ) -> Prepared:
        name, key = str(path), _key()
        found = saved.read_plan(_read(path), name, key=key)
        tree = saved.tree_digest(workspace.target, reading.desired)
        saved.check_plan(found, name, saved.Here(workspace.target, tree, _settings(workspace)))
        root, session, asked = real_path(workspace.content_root), workspace.session, found.asked
        again_typed = _asked(root, reading, record.bases, typed)
        commands = _Commands(path, root, session)
        untyped = _untyped(commands, asked, again_typed, signed=bool(key))
        planned = make_plan(workspace, reading, service, record, structs.replace(_options(asked), here=root))
        check_removals(planned.plan)
        lost = () if found.ledger == _ledger(planned) else planned.recovery.unknown
        again = replan(found.plan, Now(planned.plan, planned.recovery.bases, planned.portal.everything, lost))
        plan = only_awaited(again.plan, planned.reading.compiler, planned.addresses)
        _tell(session.note, path, untyped, again)
        return Prepared(
            structs.replace(planned, plan=plan),
            again.refused,
            f"Everything in {path} is done already.",
            push_command(session, typed, path),
            commands.anew(asked),
        )

    return prepare


def open_plan(path: Path, workspace: Workspace) -> Plan:
    """The plan of a file, to be looked at.

    Raises:
        PlanRefused: it is damaged, not signed as it has to be, or about another portal.
    """
    found = saved.read_plan(_read(path), str(path), key=_key())
    saved.check_target(found, str(path), workspace.target)
    return found.plan


def _options(asked: saved.PlanRequest) -> PlanOptions:
    """What a saved plan was asked for."""
    return PlanOptions(
        asked.selectors,
        asked.overwrite,
        asked.recreate,
        asked.publish,
        live=asked.live,
        allow_removals=asked.allow_removals,
        stage=asked.stage,
        publish_staged=asked.publish_staged,
        release=asked.release,
        now=asked.now,
    )


def _read(path: Path) -> bytes:
    try:
        return read_within(path, MAX_PLAN_BYTES)
    except OSError as exc:
        raise UsageError(f"{path} cannot be read: {exc.strerror}.", hint=MAKE_ONE) from exc


def _key() -> str:
    """The key that signatures are checked with; "" where none is asked for.

    Raises:
        UsageError: it is set and empty, as a CI secret that does not exist. It was meant to guard the push.
    """
    key = os.environ.get(saved.KEY, "")
    if saved.KEY in os.environ and not key.strip():
        raise UsageError(
            f"{saved.KEY} is set and has no value, so kbsync cannot check the signature of the plan. Nothing was sent.",
            hint="Give it the value that it had when the plan was made, or unset it to push without a signature.",
        )
    return key


class _Commands(NamedTuple):
    """The commands that a message about a saved plan names, their paths as seen from the current folder."""

    path: Path
    root: Path
    session: Session

    def push(self, asked: saved.PlanRequest) -> str:
        """What pushes the plan with the options that it was made with."""
        return command_line("push", self.path, options=[*self._options(asked), *self.session.options])

    def anew(self, asked: saved.PlanRequest) -> str:
        """What makes the same plan again."""
        options = [("--out", self.path), *self._options(asked), *self.session.options]
        return command_line("plan", *map(self._from_here, asked.selectors), options=options)

    def _options(self, asked: saved.PlanRequest) -> list[Option]:
        options = _options(asked)
        overwrite, live = (tuple(map(self._from_here, paths)) for paths in (options.overwrite, options.live))
        return given_options(structs.replace(options, overwrite=overwrite, live=live))

    def _from_here(self, selector: str) -> str:
        place = self.root / selector
        return Path(os.path.relpath(place)).as_posix() if os.path.lexists(place) else selector


NARROWS = ("--stage",)
"""Options with which a push does less than without them."""


def _untyped(commands: _Commands, asked: saved.PlanRequest, typed: saved.PlanRequest, *, signed: bool) -> list[Option]:
    """The options of a plan that were not typed again.

    Raises:
        UsageError: with one of them a push does more than without, and no signature shows that nobody put it into the
            file; or one was typed that the plan was made without.
    """
    path, given, again = commands.path, _said(asked), _said(typed)
    if added := [option for option in again if option not in given]:
        raise UsageError(
            f"{path} was made without {_words(added)}. Nothing was sent.",
            hint="Leave that out, or make a new plan with it.",
        )
    untyped = [option for option in given if option not in again]
    if not signed and any(name not in NARROWS for name, _ in untyped):
        raise UsageError(
            f"{path} was made with {_words(given)}. To push it, give that again. Nothing was sent.",
            hint=f"If that is what you want, run `{commands.push(asked)}`.",
        )
    return untyped


def _said(asked: saved.PlanRequest) -> list[Option]:
    return [(name, value) for name, value in given_options(_options(asked)) if value]


def _words(options: Sequence[Option]) -> str:
    return command_line("plan", options=options).removeprefix("kbsync plan ")


def _tell(note: Callable[[str], None], path: Path, untyped: Sequence[Option], again: Replanned) -> None:
    """What the report of the push does not show: the options of the file, what is done, what is not in it."""
    going = len(again.plan.sent)
    if untyped:
        note(f"{quote(str(path))} was made with {_words(untyped)}.")
    if again.done and going:
        total = again.done + going + len(again.refused)
        note(f"{path}: An earlier push made {again.done:,} of its {count(total, 'change')}.")
    if again.added:
        note(f"A new plan would have {count(again.added, 'more change')} than {path}.")


def _settings(workspace: Workspace) -> str:
    """What kbsync.toml and the profile say; the options of the command line are in the file, too."""
    return saved.settings_digest(policy_of(workspace, AS_CONFIGURED))


def _ledger(planned: Planned) -> str:
    return saved.ledger_digest(planned.recovery.bases, planned.recovery.unknown)
