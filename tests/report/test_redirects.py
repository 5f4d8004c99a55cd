"""Redirects in each format: no slug, however odd, means anything to what reads them."""

import csv
import io
import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import ADDRESSES
from kbsync.content.identity import Identity
from kbsync.report.redirects import FORMATS, Redirect, cloudflare_text, csv_text, netlify_text, nginx_text

HOST = "https://help.example.com"
MOVED = Redirect("/hc/handbook/articles/old", "/hc/handbook/articles/new")
GONE = Redirect("/hc/handbook/articles/gone", "")


def address(slug: str) -> str:
    return ADDRESSES.of(Identity("", "en", slug), is_article=True)


TEXTS = {
    "csv": ("", "from,to,status\n/hc/handbook/articles/old,/hc/handbook/articles/new,301\n/hc/handbook/articles/gone,,410\n"),
    "nginx": ("", ('location = "/hc/handbook/articles/old" { return 301 "/hc/handbook/articles/new"; }\n'
                   'location = "/hc/handbook/articles/gone" { return 410; }\n')),
    "netlify": (HOST, f"/hc/handbook/articles/old {HOST}/hc/handbook/articles/new 301!\n# gone: /hc/handbook/articles/gone\n"),
    "cloudflare": (HOST, f"help.example.com/hc/handbook/articles/old,{HOST}/hc/handbook/articles/new,301\n"),
}  # fmt: skip


@pytest.mark.parametrize("form", TEXTS)
def test_each_format(form):
    host, text = TEXTS[form]
    assert FORMATS[form]([MOVED, GONE], host) == text


SLUGS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30) | st.sampled_from([
    '"; } location / { root /etc; } #', "$host", "a b", "a\nb", "=cmd()", "*", ":splat", "a,b", 'a"b', "a\\", "\u2028", "%0d%0a", "é",
])  # fmt: skip


@given(SLUGS, SLUGS)
def test_an_odd_slug_stays_inside_its_field(old, new):
    redirect = Redirect(address(old), address(new))
    assert len(netlify_text([redirect], "").rstrip("\n").split(" ")) == 3
    for text in (csv_text([redirect], ""), cloudflare_text([redirect], HOST)):
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows[-1]) == 3
        assert all(cell[0] in "/hf3" for row in rows for cell in row if cell not in ("to", "status"))
    line = nginx_text([redirect], "").removesuffix("\n")
    found = re.fullmatch(r'location = "((?:[^"\\]|\\.)*)" \{ return 301 "([A-Za-z0-9/%._~-]*)"; \}', line, re.DOTALL)
    assert found is not None and "\n" not in line
    unescaped = re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), found[1])
    assert unescaped == unquote(redirect.old)


def test_an_address_that_a_runner_of_ci_would_take_for_a_command_is_spelt_as_an_expression():
    text = nginx_text([Redirect(address("##[error].x"), "")], "")
    assert text == 'location ~ "^/hc/handbook/articles/\\\\#\\\\#\\\\[error\\\\]\\\\.x$" { return 410; }\n'
