"""The HTTP protocol of the local servers: uvicorn's, which keeps quiet where it has answered by itself."""

from uvicorn.protocols.http.h11_impl import H11Protocol


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol, less a traceback."""

    def send_400_response(self, msg: str) -> None:
        """Refuse a request whose body is none. The application may have its beginning, and must not answer it, too."""
        super().send_400_response(msg)
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
