"""The pages as files: relative links, nothing lost, nothing overwritten that was not made here."""

import json
import posixpath
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from kbsync.errors import UsageError
from kbsync.preview.site_addresses import SiteAddresses
from kbsync.preview.site_folder import MARKER
from kbsync.preview.static_site import build_site
from preview.workshop import TREE, a_project

FILES = {
    **TREE,
    "en/billing/images/a b.png": b"png",
    "en/billing/odd.md": "---\ntitle: Odd\nslug: a/b c\n---\n![p](<images/a b.png>) ![q](images/a%20b.png?cw_image_width=30px) [r](refunds.md#when) [x](/hc/x)\n",
    "fr/equipes/_category.md": "---\nname: Équipes\nslug: équipes\n---\n",
    "fr/equipes/inviter.md": "---\ntitle: Inviter\n---\nInviter.\n",
}

LINK = re.compile(r'(?:href|src|data-search)="([^"]*)"')


@pytest.fixture
def site(tmp_path: Path) -> Path:
    build_site(a_project(tmp_path / "project", FILES), tmp_path / "out")
    return tmp_path / "out"


def test_there_is_a_page_for_everything(site: Path):
    names = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html", "overview.html", "en/index.html", "fr/index.html"} <= names
    assert {"en/articles/refunds.html", "en/categories/billing.html", "fr/articles/inviter-fr.html"} <= names


def test_a_file_that_is_not_utf_8_has_an_empty_page_and_stops_no_build(tmp_path: Path):
    project = a_project(tmp_path / "project", FILES)
    (project.root / "en/billing/bad.md").write_bytes("---\ntitle: Café\n---\nÀ table.\n".encode("latin-1"))
    build_site(project, tmp_path / "out")
    assert "table." not in (tmp_path / "out/en/articles/bad.html").read_text("utf-8")
    assert (tmp_path / "out/en/articles/refunds.html").exists()


def test_every_link_within_the_site_leads_to_a_file(site: Path):
    dead = []
    for page in site.rglob("*.html"):
        for found in LINK.findall(page.read_text("utf-8")):
            parts = urlsplit(unescape(found))
            if parts.scheme or parts.netloc or not parts.path or parts.path == "/hc/x":
                continue
            if not (page.parent / unquote(parts.path)).is_file():
                dead.append((page.name, found))
    assert dead == []


@pytest.mark.parametrize("at", ["index.html", "en/index.html", "en/articles/a.html", "en/articles-of-old/a.html"])
def test_an_address_is_the_shortest_way_from_a_page_to_a_file(at: str):
    names = ("index.html", "en/index.html", "en/articles/b.html", "en/categories/b.html", "fr/articles/b.html", "e.js")
    addresses = SiteAddresses({f"/{name}": name for name in names})
    ways = [posixpath.relpath(name, posixpath.dirname(at) or ".") for name in names]
    html = "".join(f'<a href="/{name}?a=1#b">' for name in names)
    assert addresses.relative(html, at) == "".join(f'<a href="{way}?a=1#b">' for way in ways)


def test_links_keep_their_anchors_and_those_to_elsewhere_stay(site: Path):
    (page,) = [path for path in site.rglob("*.html") if "Odd |" in path.read_text("utf-8")]
    html = page.read_text("utf-8")
    assert 'href="refunds.html#when"' in html
    assert 'href="/hc/x"' in html
    assert 'src="../../files/en/billing/images/a%20b.png"' in html


def test_an_image_keeps_its_width(site: Path):
    page = next(site.rglob("page-*.html")).read_text("utf-8")
    assert 'src="../../files/en/billing/images/a%20b.png?cw_image_width=30px" alt="q" style="width: 30px;' in page


def test_the_search_index_has_addresses_as_seen_from_its_own_folder(site: Path):
    script = (site / "search-en.js").read_text("utf-8")
    rows = json.loads(script.removeprefix("kbsyncPage.takeIndex(").removesuffix(");\n"))["articles"]
    assert {(site / unquote(row[0])).is_file() for row in rows} == {True}


def test_no_page_follows_anything_or_has_the_writers_layer(site: Path):
    html = (site / "en/articles/refunds.html").read_text("utf-8")
    assert "data-live" not in html
    assert "kb-writer" not in html


def test_a_second_build_takes_away_what_is_gone_and_nothing_else(tmp_path: Path):
    project, out = a_project(tmp_path / "project"), tmp_path / "out"
    build_site(project, out)
    (out / "en/articles/mine.html").write_text("mine")
    (project.root / "en/billing/invoices.md").unlink()
    build_site(project, out)
    assert not (out / "en/articles/invoices.html").exists()
    assert (out / "en/articles/mine.html").read_text() == "mine"


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path):
    project = a_project(tmp_path / "project")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        build_site(project, tmp_path / "out")
    with pytest.raises(UsageError, match="is not a folder"):
        build_site(project, tmp_path / "out/mine.txt")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_marker_that_names_files_elsewhere_deletes_none_of_them(tmp_path: Path):
    project, out = a_project(tmp_path / "project"), tmp_path / "out"
    out.mkdir()
    (tmp_path / "precious.txt").write_text("precious")
    (out / MARKER).write_text(f"../precious.txt\n{tmp_path}/precious.txt\n")
    build_site(project, out)
    assert (tmp_path / "precious.txt").read_text() == "precious"


def test_every_page_brings_its_policy_with_it_as_no_header_will(site: Path):
    for page in site.rglob("*.html"):
        head = page.read_text("utf-8").partition("</head>")[0]
        before, found, policy = head.partition('<meta http-equiv="Content-Security-Policy" content="')
        assert found and "default-src &#39;none&#39;; script-src &#39;self&#39;;" in policy
        assert "<script" not in before and "<link" not in before
