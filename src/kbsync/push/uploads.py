"""Images go before the articles that show them: planned, uploaded once, recorded at once.

An upload that is sent twice does not make a second article: it costs one of the sixty that the service accepts in an
hour, and leaves an unused file. So a run that crashes in between uploads that one image again, and no other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from kbsync.content.compile import Compiler
from kbsync.content.pictures import Picture
from kbsync.errors import ContentError, ServiceError, Throttled
from kbsync.ledger.contract import Ledger, Uploaded
from kbsync.model import Action, Change, Finding, Outcome, Plan, body_digest
from kbsync.plan.build import seconds_for
from kbsync.plan.draft import Policy
from kbsync.plan.step import HOPELESS
from kbsync.service.client import Service
from kbsync.words import count

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Uploads:
    """What uploading needs of the world.

    Args:
        service: the portal.
        compiler: the tree; it learns the addresses.
        ledger, target: the record, and the portal in it.
        clock: seconds since 1970.
        per_hour: how many images the service accepts in an hour; 0 where that is unknown.
    """

    service: Service
    compiler: Compiler
    ledger: Ledger
    target: str
    clock: Callable[[], float]
    per_hour: int


def sends_body(change: Change) -> bool:
    """Whether a change sends the text of a source."""
    return change.action is not Action.ADOPT and bool(change.path) and "content" in change.after


def plan_uploads(plan: Plan, compiler: Compiler, policy: Policy, *, per_hour: int) -> Plan:
    """The plan with an upload for each picture that its changes wait for, before everything else.

    Where they are more than the service accepts in an hour (0: unknown), the plan has a warning.
    """
    wanted: dict[str, Picture] = {}
    for change in plan.changes:
        if sends_body(change):
            for picture in compiler.awaited(change.path):
                wanted.setdefault(picture.key, picture)
    if not wanted:
        return plan
    uploads = tuple(
        Change(Action.UPLOAD, "asset", "", picture.upload_name, picture.path, None, picture.path)
        for picture in wanted.values()
    )
    requests = plan.requests + len(uploads)
    found = replace(plan, changes=(*uploads, *plan.changes), requests=requests, seconds=seconds_for(requests, policy))
    if not per_hour or len(uploads) <= per_hour:
        return found
    message = f"{len(uploads):,} images have to be uploaded, and the service accepts {per_hour:,} in an hour."
    pushes = -(-len(uploads) // per_hour)
    hint = f"Push once an hour, {pushes} times in all. Each push continues where the last one ended."
    return replace(found, warnings=(*found.warnings, Finding("KB506", "warning", uploads[0].path, 1, 1, message, hint)))


def upload_all(plan: Plan, uploads: Uploads, stopping: Callable[[], bool], *, concurrency: int) -> Iterator[Outcome]:
    """Upload the pictures of a plan, as far as the hour allows; one outcome for each.

    Threads send; the caller's thread alone writes to the ledger.
    """
    since_s = uploads.clock() - HOUR_S
    times_s = [found.at for found in uploads.ledger.pictures(uploads.target).values() if found.at > since_s]
    reason = ""
    under_way: deque[Future[tuple[Outcome, str]]] = deque()
    with ThreadPoolExecutor(concurrency, thread_name_prefix="upload") as pool:
        for change in plan.changes:
            if change.action is not Action.UPLOAD:
                continue
            if len(under_way) >= concurrency:
                outcome = _take(under_way.popleft().result(), uploads)
                failure = f"Not tried, because an earlier upload failed. {outcome.error}"
                reason = reason or (failure if outcome.hopeless else "")
                yield outcome
            if not reason and stopping():
                reason = "Stopped before it was sent."
            elif not reason and uploads.per_hour and len(times_s) >= uploads.per_hour:
                reason = _later(min(times_s), uploads)
            if reason:
                yield Outcome(change, "skipped", error=reason)
            else:
                times_s.append(uploads.clock())
                under_way.append(pool.submit(_upload, change, uploads))
        for future in under_way:
            yield _take(future.result(), uploads)


def _take(sent: tuple[Outcome, str], uploads: Uploads) -> Outcome:
    """Record where a picture is now."""
    outcome, url = sent
    if outcome.outcome == "done":
        key = uploads.compiler.pictures.by_path[outcome.change.path].key
        uploads.ledger.keep_picture(uploads.target, key, Uploaded(url, uploads.clock()))
        uploads.compiler.pictures.known[key] = url
    return outcome


def _later(oldest_s: float, uploads: Uploads) -> str:
    minutes = max(1, round((oldest_s + HOUR_S - uploads.clock()) / 60))
    return (
        f"The service accepts {count(uploads.per_hour, 'upload')} an hour. "
        f"Push again in {count(minutes, 'minute')} to upload the rest."
    )


def _upload(change: Change, uploads: Uploads) -> tuple[Outcome, str]:
    """Send one picture; how that went, and its address."""
    pictures = uploads.compiler.pictures
    picture = pictures.by_path[change.path]
    try:
        url = uploads.service.upload(picture.upload_name, pictures.read(picture), picture.kind)
    except Throttled as exc:
        error = "The service accepts no more images in this hour."
        return Outcome(change, "skipped", None, error, exc.hint, hopeless=True), ""
    except (ServiceError, ContentError) as exc:
        return Outcome(change, "failed", None, exc.message, exc.hint, isinstance(exc, HOPELESS)), ""
    return Outcome(change, "done"), url


def record_known(plan: Plan, uploads: Uploads) -> None:
    """Record what only the portal knew, so that runners who join send the same."""
    pictures = uploads.compiler.pictures
    if not pictures.by_path:
        return
    recorded = uploads.ledger.pictures(uploads.target)
    paths = {change.path for change in plan.changes if sends_body(change)}
    shown = {key: url for path in sorted(paths) for key, url in uploads.compiler.pictures_at(path).items()}
    for key in sorted(shown.keys() - recorded.keys()):
        uploads.ledger.keep_picture(uploads.target, key, Uploaded(shown[key], 0.0))


def ready(plan: Plan, compiler: Compiler) -> tuple[Plan, list[Outcome]]:
    """What can be sent now that pictures have their addresses, and what cannot, because one of its own has none."""
    changes: list[Change] = []
    left: list[Outcome] = []
    lacking: set[str] = set()
    for change in plan.changes:
        if change.action is Action.UPLOAD:
            continue
        if sends_body(change) and (awaited := compiler.awaited(change.path)):
            lacking.add(change.path)
            error = f"Its image {awaited[0].path} is not uploaded yet."
            left.append(Outcome(change, "skipped", change.remote_id, error))
        elif change.path in lacking and change.kind == "article":
            error = "An earlier change of this article was left out."
            left.append(Outcome(change, "skipped", change.remote_id, error))
        else:
            changes.append(_with_content(change, compiler))
    if lacking:
        removals = [change for change in changes if change.is_removal]
        reason = "Nothing is removed when another change failed."
        left += [Outcome(change, "skipped", change.remote_id, reason) for change in removals]
        changes = [change for change in changes if not change.is_removal]
    return replace(plan, changes=tuple(changes)), left


def only_awaited(plan: Plan, compiler: Compiler) -> Plan:
    """A plan that was cut down, without the uploads that none of its changes waits for any more."""
    waiting = {
        picture.key for change in plan.changes if sends_body(change) for picture in compiler.awaited(change.path)
    }
    shown = compiler.pictures.by_path
    changes = tuple(
        change for change in plan.changes if change.action is not Action.UPLOAD or shown[change.path].key in waiting
    )
    return replace(plan, changes=changes)


def _with_content(change: Change, compiler: Compiler) -> Change:
    """A change with the name of the body as it is sent, where that was planned before its pictures had addresses."""
    if not sends_body(change) or not compiler.has_pictures(change.path):
        return change
    content = body_digest(compiler.content_of(change.path))
    fields = tuple(replace(field, after=content) if field.name == "content" else field for field in change.fields)
    return replace(change, fields=fields)
