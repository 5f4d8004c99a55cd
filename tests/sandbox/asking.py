"""Short ways to ask a sandbox."""

import http.client
import json
from dataclasses import dataclass
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from patience import GIVE_UP_S

from .world import ADMIN, HANDBOOK

PNG = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, of any status; redirects are not followed."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def target(self):
        """Where a redirect leads, on this server."""
        return self.headers["location"].partition("/-/")[2]


def ask(sandbox, method, path, body=None, token=ADMIN, **headers):
    """One request with a token, and with JSON unless the body is bytes."""
    sent = {"api_access_token": token, "content-type": "application/json"}
    sent |= {name.replace("_", "-"): text for name, text in headers.items()}
    return send(sandbox, method, path, body if body is None or isinstance(body, bytes) else json.dumps(body), sent)


def send(sandbox, method, path, body=None, headers=None, timeout_s=GIVE_UP_S):
    """One request as it is told."""
    connection = http.client.HTTPConnection(urlsplit(sandbox.base_url).netloc, timeout=timeout_s)
    try:
        connection.request(method, quote(path, safe="/?=&%[].:"), body, headers or {})
        answer = connection.getresponse()
        told = {name.lower(): text for name, text in answer.getheaders()}
        return Answer(answer.status, told, answer.read().decode())
    finally:
        connection.close()


def call(sandbox, method, path, body=None, token=ADMIN):
    """One request whose answer must be a 200; the JSON in it."""
    answer = ask(sandbox, method, path, body, token)
    assert answer.status == 200, answer.text
    return answer.json if answer.text else None


def patch(sandbox, number, **fields):
    """Change an article."""
    return ask(sandbox, "PATCH", f"{HANDBOOK}/articles/{number}", fields)


def make(sandbox, slug, **fields):
    """A new article; its id."""
    sent = {"title": f"T {slug}", "slug": slug, "content": f"body of {slug}", "author_id": 1} | fields
    return call(sandbox, "POST", f"{HANDBOOK}/articles", sent)["payload"]["id"]


def category(sandbox, slug, locale="en", portal="handbook"):
    """A new category; its id."""
    path = f"/api/v1/accounts/1/portals/{portal}/categories"
    return call(sandbox, "POST", path, {"name": slug, "slug": slug, "locale": locale})["payload"]["id"]


def stamp(sandbox, slug):
    """`updated_at` of an article as the database has it, in microseconds."""
    return sandbox.panel.article(slug).updated_at


def drafts(sandbox, slug):
    """Staged title and body of an article."""
    article = sandbox.panel.article(slug)
    return article.draft_title, article.draft_content


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
    try:
        with urlopen(Request(url, body, headers or {}), timeout=GIVE_UP_S) as reply:
            return reply.status, reply.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()
