"""The HTTP protocol of the sandbox: uvicorn's, which also lets the application at the connection.

ASGI has no words for aborting a connection or for promising more bytes than come, and those are what the faults are
for. uvicorn copies `app_state` into the scope of each request as `state`, so that is where the transport goes.
"""

import asyncio

from kbsync.site.protocol import LocalProtocol


class SandboxProtocol(LocalProtocol):
    """The HTTP/1.1 protocol of the local servers with the transport in `scope["state"]["transport"]`."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Remember the transport for the requests of this connection."""
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)
