"""The bar that a push shows on a terminal."""

import os
import pty
import subprocess
import threading

import pytest

from patience import GIVE_UP_S

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("columns", [30, 40, 79, 80, 120])
def test_the_bar_is_never_wider_than_the_terminal(remote, columns):
    for number in range(30):
        remote.write(f"content/en/billing/n{number}.md", f"---\ntitle: N{number}\n---\nText.\n")
    master, slave = pty.openpty()
    told: list[bytes] = []

    def listen() -> None:
        try:
            while part := os.read(master, 65_536):
                told.append(part)
        except OSError:
            return  # The other end is closed.

    listener = threading.Thread(target=listen)
    listener.start()
    remote.environ["COLUMNS"] = str(columns)
    assert remote.start("push", stdout=subprocess.DEVNULL, stderr=slave).wait(GIVE_UP_S) == 0
    os.close(slave)
    listener.join()
    os.close(master)
    lines = b"".join(told).decode().replace("\x1b[?25l", "").replace("\x1b[?25h", "").replace("\n", "\r").split("\r")
    assert any("35/35" in line for line in lines)
    assert max(map(len, lines)) <= columns, lines
