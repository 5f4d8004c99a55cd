"""The HTTP protocol of the local servers: uvicorn's, which keeps quiet where it has answered by itself."""

from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol, less its tracebacks."""

    def send_400_response(self, msg: str) -> None:
        """Refuse a request with a bad body. The application may have its beginning, and must not answer it, too."""
        try:
            super().send_400_response(msg)
        except LocalProtocolError:  # A HEAD has no body in its answer, and an answer that has begun has another.
            self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
