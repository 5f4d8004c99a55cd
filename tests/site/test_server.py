"""A local server ends after a signal, whatever it is doing."""

import os
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from patience import GIVE_UP_S

PROGRAM = """\
import asyncio, re
from kbsync.site.server import listen, local_server, run

def spin():
    while True:
        pass

def search_on():
    re.match("(?:a|a)*b", "a" * 80)

async def app(scope, receive, send):
    print("begun", flush=True)
    {work}

async def serve():
    listener, origin = listen("127.0.0.1", 0)
    print(origin, flush=True)
    await local_server(app, asyncio.Event()).serve(sockets=[listener])

run(serve())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("work", ["spin()", "search_on()", "await asyncio.to_thread(spin)"])
def test_a_signal_ends_a_server_whose_request_never_ends(work: str, number: int):
    command = [sys.executable, "-c", PROGRAM.format(work=work)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = urlsplit(process.stdout.readline().strip())
            with socket.create_connection((address.hostname, address.port)) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert process.stdout.readline() == "begun\n"
                os.kill(process.pid, number)
                process.wait(GIVE_UP_S)
        finally:
            process.kill()
    assert process.returncode == 1
