"""What the local site answers, and what it refuses."""

import os
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kbsync.site.guard import is_ours
from kbsync.site.server import listen
from patience import GIVE_UP_S
from preview.workshop import BILLING, HOME, REFUNDS, TREE, Running, running

FILES = {
    **TREE,
    "en/billing/images/a.png": b"png",
    "en/billing/images/b.svg": b"<svg/>",
    "en/billing/.hidden.png": b"png",
    "en/billing/.assets/a.png": b"png",
    "en/billing/.git/a.png": b"png",
    "en/billing/notes.txt": b"notes",
    "fr/billing/old.md": "---\ntitle: Vieux\nstatus: archived\n---\nVieux.\n",
    "en/billing/media.md": "---\ntitle: M\n---\n![p](https://images.example.com/p.png)\n",
}


@pytest.fixture(scope="module")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("project")
    (folder / "secret.png").write_bytes(b"secret")
    with running(folder, FILES) as running_preview:
        (running_preview.content / "en/billing/out.png").symlink_to(folder / "secret.png")
        yield running_preview


@pytest.mark.parametrize("url", [HOME, BILLING, REFUNDS, "/fr/", "/-/overview", "/-/codes"])
def test_pages_are_there(preview: Running, url: str):
    answer = preview.get(url)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert 'data-live="/-/events"' in answer.text


@pytest.mark.parametrize(("url", "right"), [("/", HOME), ("/en", HOME), ("/en/articles/%72efunds", REFUNDS)])
def test_other_ways_to_write_an_address_lead_to_the_right_one(preview: Running, url: str, right: str):
    answer = preview.get(url)
    assert (answer.status_code, answer.headers["location"]) == (302, right)


@pytest.mark.parametrize(
    "url", ["/en/articles/none", "/en/categories/none", "/de/", "/-/none", "/x/y/z", "/-/assets/x"]
)
def test_what_is_not_there_is_404(preview: Running, url: str):
    assert preview.get(url).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(preview: Running, method: str):
    assert preview.client.request(method, HOME).status_code == 405


def test_a_head_request_gets_no_body(preview: Running):
    answer = preview.client.head(HOME)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(preview.get(HOME).content)


def test_what_did_not_change_is_not_sent_again(preview: Running):
    etag = preview.get("/-/assets/style.css").headers["etag"]
    assert preview.get("/-/assets/style.css", if_none_match=etag).status_code == 304


# --- safety ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:4004", "localhost.evil.example.com", ""])
def test_a_page_of_another_host_that_points_its_name_here_gets_nothing(preview: Running, host: str):
    assert preview.get(HOME, host=host).status_code == 421


@pytest.mark.parametrize("host", ["localhost:9", "127.0.0.1", "[::1]:4004", "LOCALHOST"])
def test_this_machine_by_any_of_its_names_is_served(preview: Running, host: str):
    assert preview.get(HOME, host=host).status_code == 200


@pytest.mark.parametrize(
    ("said", "host", "ours"),
    [
        ("wiki.local:80", "wiki.local", True),
        ("192.168.1.5:4004", "0.0.0.0", True),
        ("[fe80::1]:4004", "::", True),
        ("evil.example.com", "0.0.0.0", False),
        ("192.168.1.5", "127.0.0.1", False),
    ],
)
def test_whoever_listens_elsewhere_is_asked_by_that_name(said: str, host: str, ours: bool):
    assert is_ours(said, host) is ours


@pytest.mark.parametrize("method", ["POST", "HEAD"])
def test_a_request_whose_body_is_none_is_refused_once_and_without_a_traceback(preview: Running, method: str, caplog):
    address = urlsplit(preview.address)
    head = f"{method} /en/ HTTP/1.1\r\nhost: {address.netloc}\r\ntransfer-encoding: chunked\r\n\r\n"
    with socket.create_connection((address.hostname, address.port), timeout=GIVE_UP_S) as connection:
        connection.sendall(head.encode() + b"zz\r\n")
        answer = b"".join(iter(partial(connection.recv, 65_536), b""))
    assert answer.count(b"HTTP/1.1 ") == 1 and answer.startswith(b"HTTP/1.1 4")
    assert preview.get(HOME).status_code == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize("url", [HOME, "/-/events", "/-/search/en.json", "/-/assets/style.css"])
def test_a_page_of_another_origin_gets_nothing(preview: Running, url: str):
    for origin in ("https://evil.example.com", "null", "http://127.0.0.1:1"):
        assert preview.get(url, origin=origin).status_code == 403


def test_the_previews_own_pages_are_served_and_share_no_window_with_another_origin(preview: Running):
    answer = preview.get(HOME, origin=preview.address.rstrip("/"))
    assert (answer.status_code, answer.headers["cross-origin-opener-policy"]) == (200, "same-origin")


def test_a_page_may_load_nothing_but_what_is_here(preview: Running):
    headers = preview.get(REFUNDS).headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["style-src-attr"] == "'unsafe-inline'"
    assert policy["img-src"] == "'self' data:"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


def test_images_of_other_hosts_wait_for_the_switch(preview: Running):
    url, image = "/en/articles/media", "https://images.example.com/p.png"
    assert f'src="{image}"' not in preview.get(url).text
    switched = preview.get(url, cookie="kbsync_media=1")
    assert f'src="{image}"' in switched.text
    assert "img-src 'self' data: https: http:" in switched.headers["content-security-policy"]
    assert f'src="{image}"' not in preview.get(url, cookie="kbsync_media=0; other=1").text


def test_images_of_the_tree_are_there(preview: Running):
    answer = preview.get("/-/files/en/billing/images/a.png")
    assert (answer.content, answer.headers["content-type"]) == (b"png", "image/png")
    assert preview.get("/-/files/en/billing/.assets/a.png").content == b"png"
    assert "sandbox" in preview.get("/-/files/en/billing/images/b.svg").headers["content-security-policy"]


OTHER_FILES = """
en/billing/.hidden.png en/billing/.git/a.png en/billing/.assets/../../../secret.png en/billing/notes.txt
en/billing/refunds.md en/billing/out.png ../secret.png %2e%2e/secret.png en/..%2f..%2f../secret.png en/billing/images
/etc/passwd en%00.png
"""


@pytest.mark.parametrize("path", OTHER_FILES.split())
def test_no_other_file_is_handed_out(preview: Running, path: str):
    assert preview.get(f"/-/files/{path}").status_code == 404


# --- search ------------------------------------------------------------------------------------------------------


def test_the_search_has_every_article_of_a_locale_but_what_is_archived(preview: Running):
    rows = preview.get("/-/search/en.json").json()["articles"]
    assert [REFUNDS, "Refunds", "", "Billing", [["", "", "Text."], ["When", "when", "Now."]]] in rows
    slugs = "charges", "invoices", "refunds", "invite", "media"
    assert {row[0] for row in rows} == {f"/en/articles/{slug}" for slug in slugs}
    assert [row[1] for row in preview.get("/-/search/fr.json").json()["articles"]] == ["Remboursements"]


# --- listening ---------------------------------------------------------------------------------------------------


def test_a_taken_port_makes_way_for_a_free_one_where_nobody_asked_for_it():
    taken, address = listen("127.0.0.1", 0, or_any=False)
    port = taken.getsockname()[1]
    other, elsewhere = listen("127.0.0.1", port, or_any=True)
    assert elsewhere != address
    with pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", port, or_any=False)
    taken.close()
    other.close()


def test_open_pages_do_not_keep_the_preview_from_ending(tmp_path: Path):
    with running(tmp_path) as preview, preview.tab(HOME) as tab:
        tab.page()
        preview.client.get(HOME)
        # The block ends with the stream open: `running` sees to it that the preview ends, and without a traceback.


def test_an_image_of_a_terabyte_is_refused_by_its_size(preview: Running):
    place = preview.content / "en/billing/images/huge.png"
    place.touch()
    os.truncate(place, 1 << 40)
    answer = preview.get("/-/files/en/billing/images/huge.png")
    assert (answer.status_code, answer.text) == (413, "This image is larger than [assets] max_kb allows.\n")
