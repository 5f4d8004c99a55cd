"""What an older text says does not depend on which texts of the file were read before it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from builders import read_content, write_files
from kbsync.history.blobs import Blobs
from kbsync.history.repository import Repository
from kbsync.history.revisions import Then
from kbsync.history.trail import Text
from kbsync.markdown.outline import outline
from kbsync.plan.known import NEVER
from repo import a_repo, needs_git

pytestmark = needs_git

PIECES = (
    b"---",
    b"---\n",
    b"---\r\n",
    b"---\r",
    b"--- \n",
    b"...\n",
    b"\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"title: X\n",
    b"title: X\r\n",
    b"slug: x\n",
    b"# X\n",
    b"text\n",
    b"\xff",
)
HEADS = (b"", b"---\ntitle: X\n", b"---\ntitle: X\n---", b"---\ntitle: X\n---\n", b"---\r\ntitle: X\r\n---\r")
TEXTS = st.builds(bytes.__add__, st.sampled_from(HEADS), st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join))


@pytest.fixture
def root(tmp_path) -> Path:
    write_files(tmp_path / "content", {"en/a/_category.md": "---\nname: A\n---\n", "en/a/x.md": "# X\n"})
    a_repo(tmp_path).commit()
    return tmp_path / "content"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(texts=[b"---\rtitle: X\r---\rtext\n", b"---\rtitle: X\r---\r\ntext\n"])
@example(texts=[b"---\ntitle: X\n", b"---\ntitle: X\n---\nslug: x\n"])
@given(texts=st.lists(TEXTS, min_size=2, max_size=6))
def test_what_an_older_text_says_does_not_depend_on_those_before_it(root, texts):
    compiler, repository = read_content(root).compiler, Repository(root)
    with closing(Blobs(repository)) as blobs:

        def a_reader() -> Then:
            return Then(compiler, repository, blobs)

        def said(then: Then, number: int, data: bytes) -> object:
            text = Text("en/a/x.md", "en/a/x.md", f"{number:040x}", "HEAD", NEVER)
            identity = then.identify(text.name, text.oid, data)
            return identity, then.read(text, data, {"slug"}, ()), then.read(text, data, {"content"}, {outline("text")})

        one = a_reader()
        for number, data in enumerate(texts, 1):
            assert said(one, number, data) == said(a_reader(), number, data)
