"""Statuses of several articles in one request, where the service has that: all of them change, or none.

Each article is looked at by itself before and after; what the second look shows is what is recorded of it. Where the
service has no such request, or refuses it, because one article is invalid or the version is older than 4.16, nothing
was changed, and each article is sent alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from kbsync.errors import AnswerLost, ContentError, NotFound, Rejected, ServiceError
from kbsync.model import Change, RemoteId, Status
from kbsync.plan.result import Current, Result, failed
from kbsync.push.sender import Sender


@dataclass(slots=True)
class Batch:
    """Changes of status that go out together. Every thread asks for one of them; the first one sends them all.

    Args:
        sender: sends what goes out alone, and reads answers.
        changes: each with its id, and looked at just now.
    """

    sender: Sender
    changes: Sequence[Change]
    _lock: Lock = field(init=False, repr=False, default_factory=Lock)
    _sent: dict[Status, ServiceError | None] = field(init=False, default_factory=dict)

    def send(self, change: Change, looked: Current) -> Result:
        """Send one of the changes, with all others if that was not done yet."""
        status = change.status
        if status is None or change.staged or len(ids := self._ids(status)) < 2:
            return self.sender.send(change, looked)
        with self._lock:
            if status not in self._sent:
                self._sent[status] = self._send_all(ids, status)
        error = self._sent[status]
        try:
            return self._result(change, looked, error)
        except (ServiceError, ContentError) as exc:
            # Where it went out and nothing could be seen afterwards, the next run looks.
            return failed(exc, change.remote_id, lost=error is None)

    def _ids(self, status: Status) -> list[RemoteId]:
        """Whose status changes to this one in one request; a pending edit is discarded in a request of its own."""
        if not self.sender.service.can("bulk_status"):
            return []
        alike = (change for change in self.changes if change.status is status and not change.staged)
        return [change.remote_id for change in alike if change.remote_id is not None]

    def _send_all(self, ids: Sequence[RemoteId], status: Status) -> ServiceError | None:
        try:
            self.sender.service.update_statuses(ids, status)
        except ServiceError as exc:
            return exc
        return None

    def _result(self, change: Change, looked: Current, error: ServiceError | None) -> Result:
        if error is None:
            return self.sender.look_after(change, looked)
        if isinstance(error, AnswerLost):
            return self.sender.update_again(change, looked, error)
        if isinstance(error, (NotFound, Rejected)):
            return self.sender.send(change, looked)
        raise error
