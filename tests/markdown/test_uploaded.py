"""Uploaded images in a body: by address as the portal has them, by key as they are compared."""

import pytest

from kbsync.markdown.uploaded import addresses_in, body_digest, by_key, key_in

KEY = "0123456789abcdef0123"
PLACE = "https://support.example.com/rails/active_storage/blobs/redirect/eyJf--1a2b"
ADDRESS = f"{PLACE}/shot-{KEY}.png"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (f"![a]({ADDRESS})", f"![a](kbsync-image:{KEY})"),
        (f"![a]({ADDRESS} 'title')\n[b]: {ADDRESS}", f"![a](kbsync-image:{KEY} 'title')\n[b]: kbsync-image:{KEY}"),
        (f'<img src="{ADDRESS}">', f'<img src="kbsync-image:{KEY}">'),
        (f"{ADDRESS}?width=3", f"kbsync-image:{KEY}?width=3"),
        (f"http://127.0.0.1:8123/rails/active_storage/x/y-{KEY}.svg", f"kbsync-image:{KEY}"),
    ],
)
def test_an_uploaded_image_is_named_by_what_is_in_it(body, named):
    assert by_key(body) == named


@pytest.mark.parametrize(
    "body",
    [
        f"https://cdn.example.com/shot-{KEY}.png",
        f"{PLACE}/shot.png",
        f"{PLACE}/shot-{KEY}.exe",
        f"{PLACE}/shot-{KEY}.png.html",
        f"/rails/active_storage/x/shot-{KEY}.png",
        "https://[",
    ],
)
def test_any_other_address_stays_as_it_is(body):
    assert by_key(body) == body
    assert addresses_in(body) == ()


def test_two_uploads_of_one_image_make_the_same_body_and_two_images_do_not():
    other = ADDRESS.replace("eyJf--1a2b", "eyJg--3c4d").replace("support.example.com", "127.0.0.1:8080")
    assert body_digest(f"![a]({ADDRESS})\n") == body_digest(f"![a]({other})")
    assert body_digest(f"![a]({ADDRESS})") != body_digest(f"![a]({ADDRESS.replace(KEY, KEY[::-1])})")


def test_the_key_of_an_address_is_the_one_in_its_name():
    assert addresses_in(f"![a]({ADDRESS}?x) {ADDRESS}") == (ADDRESS,)
    assert key_in(ADDRESS) == KEY
    assert key_in(f"{ADDRESS}?x") == ""
