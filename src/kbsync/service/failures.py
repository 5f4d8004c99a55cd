"""How an exchange over the wire can fail."""

from __future__ import annotations


class Failure(Exception):
    """There is no answer, or only a part of it."""


class NotConnected(Failure):
    """There is no connection: nothing left."""


class Silent(Failure):
    """Nothing came, or nothing was taken, for too long."""


class Broken(Failure):
    """The connection ended too early, or what came is no HTTP."""


class NotSendable(Failure):
    """The request is not one that HTTP knows: nothing left."""
