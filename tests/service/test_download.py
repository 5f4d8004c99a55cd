"""Files are read to a limit, from where they may be read, and redirects end."""

import socket
from collections.abc import Iterator

import pytest

from kbsync.service.download import Downloader, NotLoaded

from .web import Quiet, serving


class Answers(Quiet):
    """`/file`, `/loop`, `/away`, `/endless`; anything else is not there."""

    asked: list[dict[str, str]]

    def do_GET(self) -> None:  # noqa: N802 - the name that the library calls
        type(self).asked.append(dict(self.headers))
        if self.path == "/loop":
            self._head(302, Location="/loop")
        elif self.path == "/away":
            self._head(302, Location="http://localhost:1/x")
        elif self.path == "/file":
            self._head(200)
            self.wfile.write(b"x" * 1000)
        elif self.path == "/endless":
            self._head(200)
            try:
                while True:
                    self.wfile.write(b"x" * 65_536)
            except OSError:
                pass
        else:
            self._head(404)

    def _head(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()


@pytest.fixture
def address() -> Iterator[str]:
    Answers.asked = []
    with serving(Answers) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def loader(address: str) -> Iterator[Downloader]:
    with Downloader(address, 5.0).opened() as found:
        yield found


def test_a_file_of_the_service_is_read_without_any_token(loader: Downloader, address: str):
    assert loader.load(f"{address}/file", most_bytes=1000) == b"x" * 1000
    (headers,) = Answers.asked
    assert not {name.lower() for name in headers} & {"api_access_token", "authorization", "cookie"}
    assert headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/endless", "it has more than 1 kB"),
        ("/file", "it has more than 0 kB"),
        ("/loop", "more than 5 redirects"),
        ("/away", "its host is in a private network"),
        ("/none", "the answer is 404"),
    ],
)
def test_what_cannot_be_had_says_why(loader: Downloader, address: str, path: str, why: str):
    with pytest.raises(NotLoaded, match=why):
        loader.load(f"{address}{path}", most_bytes=1000 if path == "/endless" else 999)


def test_no_other_machine_of_this_network_is_asked(address: str):
    elsewhere = Downloader("https://support.example.com", 5.0)
    with elsewhere.opened() as loader, pytest.raises(NotLoaded, match="private network"):
        loader.load(f"{address}/file", most_bytes=1000)
    assert Answers.asked == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x.example/a", "//", "http://", "http://\u2603.\ud800/"])
def test_what_is_no_address_of_the_web_is_not_asked_for(loader: Downloader, url: str):
    with pytest.raises(NotLoaded):
        loader.load(url, most_bytes=1000)


def test_a_service_that_is_not_there_says_so():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with Downloader(url, 5.0).opened() as loader, pytest.raises(NotLoaded, match="cannot be reached"):
        loader.load(f"{url}/x", most_bytes=1)
