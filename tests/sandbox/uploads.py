"""Multipart bodies and plain requests for the tests of the sandbox."""

import json
from urllib.request import Request, urlopen

from patience import GIVE_UP_S

from .world import ADMIN

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73")


def a_file(filename="shot.png", data=PNG, kind="image/png", name="attachment"):
    """A body with one file in it."""
    head = (
        f'--BB\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\nContent-Type: {kind}\r\n\r\n'
    )
    return head.encode() + data + b"\r\n--BB--\r\n"


def post(sandbox, body, token=ADMIN):
    """Upload; the status and the JSON of the answer. Errors do not raise."""
    headers = {"api_access_token": token, "content-type": "multipart/form-data; boundary=BB"}
    status, text = read(sandbox.base_url + "/api/v1/accounts/1/upload", body, headers)
    return status, json.loads(text) if status == 200 else text.decode()


def read(url, body=None, headers=None):
    """Status and body of any request, redirects followed."""
    from urllib.error import HTTPError

    try:
        with urlopen(Request(url, body, headers or {}), timeout=GIVE_UP_S) as reply:
            return reply.status, reply.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()
