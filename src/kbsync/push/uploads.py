"""Images go before the articles that show them: planned, uploaded once, recorded at once.

An upload that is sent twice does not make a second article: it costs one of the sixty that the service accepts in an
hour, and leaves an unused file. So a run that crashes in between uploads that one image again, and no other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from kbsync.content.compile import Compiler
from kbsync.content.images import Image
from kbsync.errors import ContentError, ServiceError, Throttled
from kbsync.ledger import Ledger
from kbsync.ledger.values import Uploaded
from kbsync.markdown.uploaded import body_digest, host_of, key_in
from kbsync.model import DRAFTS, Action, Change, Observed, Outcome, Plan, RemoteId, visible
from kbsync.plan.assembled import seconds_for
from kbsync.plan.draft import Policy
from kbsync.plan.result import HOPELESS
from kbsync.plan.rules import TOO_MANY_IMAGES
from kbsync.push.under_way import finished, recorded
from kbsync.service.pace import request_threads
from kbsync.words import count

if TYPE_CHECKING:
    from kbsync.service.client import Service

HOUR_S = 3600.0
SHOWN_CHARS = 200
OTHER_ADDRESS = "Check [service] base_url, or publish the images elsewhere and set [assets] base_url."


class ImageAddresses(msgspec.Struct, frozen=True):
    """Where the service has images, by their keys.

    Args:
        known: as the ledger or the portal says; a push adds what it uploads.
        own: by article, those that it shows already: of two uploads of one image each article keeps its own.
    """

    known: dict[str, str]
    own: Mapping[RemoteId | None, Mapping[str, str]]

    @classmethod
    def of(cls, recorded: Mapping[str, str], observed: Iterable[Observed], host: str) -> ImageAddresses:
        """What is known before anything is uploaded.

        Args:
            recorded: addresses by key, of the ledger.
            observed: the portal's items.
            host: the service's; an image that lies elsewhere is uploaded when its article is sent the next time.
        """
        own: dict[RemoteId | None, Mapping[str, str]] = {
            item.remote_id: {key_in(address): address for address in item.images if host_of(address) == host}
            for item in observed
            if item.images
        }
        return cls({key: url for found in own.values() for key, url in found.items()} | dict(recorded), own)

    def find(self, key: str, change: Change) -> str | None:
        """The address that a change sends; None where the image is still to be uploaded."""
        return self.own.get(change.remote_id, {}).get(key) or self.known.get(key)


class Uploads(msgspec.Struct, frozen=True):
    """What uploading needs of the world.

    Args:
        service: the portal.
        compiler: the tree.
        addresses: where images are; an upload adds its own.
        ledger, target: the record, and the portal in it.
        clock: seconds since 1970.
        per_hour: how many images the service accepts in an hour; 0 where that is unknown.
    """

    service: Service
    compiler: Compiler
    addresses: ImageAddresses
    ledger: Ledger
    target: str
    clock: Callable[[], float]
    per_hour: int


def sends_body(change: Change) -> bool:
    """Whether a change sends the text of a source."""
    if change.action is Action.ADOPT or not change.path or change.publishes_staged:
        return False
    after = change.after
    return "content" in after or after.get(DRAFTS["content"]) is not None


def awaited(change: Change, compiler: Compiler, addresses: ImageAddresses) -> list[Image]:
    """The images that must be uploaded before a change can be sent."""
    if not sends_body(change):
        return []
    return [image for image in compiler.uploaded(change.path) if addresses.find(image.key, change) is None]


def content_of(change: Change, name: str, compiler: Compiler, addresses: ImageAddresses) -> str:
    """The body that a change of a source sends, live or staged.

    Raises:
        ContentError: it would be another than was planned, or one of its images is not uploaded yet.
    """

    def address_of(key: str) -> str:
        found = addresses.find(key, change)
        if found is None:
            raise ContentError(f"{change.path}: One of its images is not uploaded yet.", hint="Run the command again.")
        return found

    text = compiler.content_of(change.path, address_of)
    if change.after.get(name) != body_digest(text):
        raise ContentError(f"{change.path}: Its body is not the one in the plan.", hint="Run `kbsync plan` again.")
    return text


def plan_uploads(plan: Plan, compiler: Compiler, addresses: ImageAddresses, policy: Policy, *, per_hour: int) -> Plan:
    """The plan with an upload for each image that its changes wait for, before everything else.

    Where they are more than the service accepts in an hour (0: unknown), the plan has a warning.
    """
    wanted: dict[str, Image] = {}
    for change in plan.changes:
        for image in awaited(change, compiler, addresses):
            wanted.setdefault(image.key, image)
    if not wanted:
        return plan
    uploads = tuple(
        Change(
            action=Action.UPLOAD,
            kind="asset",
            locale="",
            slug=image.upload_name,
            path=image.path,
            remote_id=None,
            title=image.path,
        )
        for image in wanted.values()
    )
    requests = plan.requests + len(uploads)
    found = replace(plan, changes=(*uploads, *plan.changes), requests=requests, seconds=seconds_for(requests, policy))
    if not per_hour or len(uploads) <= per_hour:
        return found
    message = f"{len(uploads):,} images have to be uploaded, and the service accepts {per_hour:,} in an hour."
    pushes = -(-len(uploads) // per_hour)
    hint = f"Push once an hour, {pushes} times in all. Each push continues where the last one ended."
    return replace(found, warnings=(*found.warnings, TOO_MANY_IMAGES.finding(uploads[0].path, 1, 1, message, hint)))


def upload_all(plan: Plan, uploads: Uploads, stopping: Callable[[], bool], *, concurrency: int) -> Iterator[Outcome]:
    """Upload the images of a plan, as far as the hour allows; one outcome for each.

    Threads send; the caller's thread alone writes to the ledger.
    """
    since_s = uploads.clock() - HOUR_S
    times_s = [found.at for found in uploads.ledger.images(uploads.target).values() if found.at > since_s]
    reason = ""
    under_way: deque[Future[tuple[Outcome, str]]] = deque()
    record_rest = partial(_record_rest, under_way, uploads)
    with request_threads(concurrency, "upload") as pool, recorded(uploads.service, record_rest):
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
        while under_way:
            yield _take(under_way.popleft().result(), uploads)


def _record_rest(under_way: Iterable[Future[tuple[Outcome, str]]], uploads: Uploads, *, waits: bool) -> None:
    """What is uploaded is recorded in any case: nothing is uploaded twice."""
    for _, sent in finished(under_way, waits=waits):
        _take(sent, uploads)


def _take(sent: tuple[Outcome, str], uploads: Uploads) -> Outcome:
    """Record where an image is now."""
    outcome, url = sent
    if outcome.outcome == "done":
        key = uploads.compiler.images.by_path[outcome.change.path].key
        uploads.ledger.keep_image(uploads.target, key, Uploaded(url, uploads.clock()))
        uploads.addresses.known[key] = url
    return outcome


def _later(oldest_s: float, uploads: Uploads) -> str:
    minutes = max(1, round((oldest_s + HOUR_S - uploads.clock()) / 60))
    return (
        f"The service accepts {count(uploads.per_hour, 'upload')} an hour. "
        f"Push again in {count(minutes, 'minute')} to upload the rest."
    )


def _upload(change: Change, uploads: Uploads) -> tuple[Outcome, str]:
    """Send one image; how that went, and its address."""
    images = uploads.compiler.images
    image = images.by_path[change.path]
    try:
        url = uploads.service.upload(image.upload_name, images.read(image), image.kind)
    except Throttled as exc:
        error = "The service accepts no more images in this hour."
        return Outcome(change, "skipped", None, error, exc.hint, hopeless=True), ""
    except (ServiceError, ContentError) as exc:
        return Outcome(change, "failed", None, exc.message, exc.hint, isinstance(exc, HOPELESS)), ""
    if key_in(url) != image.key:
        # With this address, every body that shows the image would be another than the one in the plan.
        error = f"The service put the image where kbsync cannot recognize it: {visible(url)[:SHOWN_CHARS]}"
        return Outcome(change, "failed", None, error, OTHER_ADDRESS, hopeless=True), ""
    return Outcome(change, "done"), url


def record_known(plan: Plan, uploads: Uploads) -> None:
    """Record what only the portal knew, so that runners who join send the same."""
    recorded = uploads.ledger.images(uploads.target) if uploads.compiler.images.by_path else {}
    shown: dict[str, str] = {}
    for change in filter(sends_body, plan.changes):
        for image in uploads.compiler.uploaded(change.path):
            if image.key not in recorded and (url := uploads.addresses.find(image.key, change)):
                shown[image.key] = url
    for key in sorted(shown):
        uploads.ledger.keep_image(uploads.target, key, Uploaded(shown[key], 0.0))


def ready(plan: Plan, compiler: Compiler, addresses: ImageAddresses) -> tuple[Plan, list[Outcome]]:
    """What can be sent now that images have their addresses, and what cannot, because one of its own has none."""
    changes: list[Change] = []
    left: list[Outcome] = []
    lacking: set[str] = set()
    for change in plan.changes:
        if change.action is Action.UPLOAD:
            continue
        if missing := awaited(change, compiler, addresses):
            lacking.add(change.path)
            error = f"Its image {missing[0].path} is not uploaded yet."
            left.append(Outcome(change, "skipped", change.remote_id, error))
        elif change.path in lacking and change.kind == "article":
            error = "An earlier change of this article was left out."
            left.append(Outcome(change, "skipped", change.remote_id, error))
        else:
            changes.append(change)
    if lacking:
        reason = "Nothing is removed when another change failed."
        left += [Outcome(change, "skipped", change.remote_id, reason) for change in changes if change.is_removal]
        changes = [change for change in changes if not change.is_removal]
    return replace(plan, changes=tuple(changes)), left


def only_awaited(plan: Plan, compiler: Compiler, addresses: ImageAddresses) -> Plan:
    """A plan that was cut down, without the uploads that none of its changes waits for any more."""
    waiting = {image.key for change in plan.changes for image in awaited(change, compiler, addresses)}
    shown = compiler.images.by_path
    changes = tuple(
        change for change in plan.changes if change.action is not Action.UPLOAD or shown[change.path].key in waiting
    )
    return replace(plan, changes=changes)
