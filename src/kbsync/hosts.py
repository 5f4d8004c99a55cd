"""The names by which a machine reaches itself."""

from __future__ import annotations

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""What is sent there stays on this machine."""
