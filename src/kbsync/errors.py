"""Every deliberate error: what is wrong and where, one thing to do, and the exit code it ends with.

An exception that is not one of these is a bug in kbsync and looks like one (exit code 1).
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ends. Explained in content/en/troubleshooting/exit-codes.md."""

    DONE = 0
    BUG = 1
    USAGE = 2
    FINDINGS = 3
    HELD = 4
    SERVICE = 5
    LEDGER = 6
    PARTLY_FAILED = 7
    CHANGES = 10
    INTERRUPTED = 130


class KbsyncError(Exception):
    """An error that kbsync means: a message, a hint, an exit code.

    Args:
        message: what is wrong and where.
        hint: one thing to do about it, or "".
    """

    exit_code = ExitCode.USAGE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(KbsyncError):
    """The command line asks for something that cannot be."""


class ConfigError(KbsyncError):
    """kbsync.toml, the environment or the token cannot be used."""


class ContentError(KbsyncError):
    """The content tree as a whole cannot be read, or a source changed under a running push."""

    exit_code = ExitCode.FINDINGS


class PlanRefused(KbsyncError):
    """A plan refused itself; the message names the limit."""

    exit_code = ExitCode.HELD


class Locked(KbsyncError):
    """The portal asks its readers for a password: none, or a wrong one, is known. Source: docs/service.md, S158."""

    exit_code = ExitCode.HELD


class LedgerError(KbsyncError):
    """The ledger is locked by another run, damaged, or written by a newer kbsync."""

    exit_code = ExitCode.LEDGER


class LeaseLost(LedgerError):
    """Another machine began a push while this one planned. Nothing was sent."""


class ServiceError(KbsyncError):
    """The service cannot be reached, refuses, or misbehaves.

    Args:
        message: what was asked, what was answered.
        hint: one thing to do.
        status: the HTTP status of the answer, None where there was none.
    """

    exit_code = ExitCode.SERVICE

    def __init__(self, message: str, *, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class Unreachable(ServiceError):
    """The request never left: no name, no route, no connection. Nothing was done."""


class Untrusted(Unreachable):
    """Somebody answered there, with a certificate that is not valid for it. Nothing was sent."""


class AnswerLost(ServiceError):
    """The request left and no usable answer came back. It may have been carried out."""


class Misbehaved(AnswerLost):
    """An answer came that is not what the interface promises: HTML, cut off, another shape."""


class ServerFailed(AnswerLost):
    """A 5xx. Source: docs/service.md, S1: on a create it often means that the slug is taken."""


class Denied(ServiceError):
    """401 or 403: the token, or what its user may do."""


class NoApi(Denied):
    """403: the account's plan does not include the API. Source: docs/service.md, S141."""


class NotFound(ServiceError):
    """404: the thing asked for is not there (or, below a portal, the portal is not)."""


class Rejected(ServiceError):
    """400, 409 or 422: the service read the request and did not like it."""


class Throttled(ServiceError):
    """429, still there after all patience."""
