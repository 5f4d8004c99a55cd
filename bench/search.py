"""Measure the search of the preview beside libraries that search in a browser: size, time, what is found.

    npm install --prefix DIR minisearch @orama/orama @orama/tokenizers pagefind
    python bench/search.py --libraries DIR

10,000 articles in four locales, one of them Japanese. Needs node. Prints Markdown.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import make_corpus

from kbsync.config.settings import ContentSettings
from kbsync.content.identity import identify
from kbsync.content.tree import read_tree
from kbsync.memory import Memory
from kbsync.preview.search_index import Indexed, encode_index

HERE = Path(__file__).parent
ASSETS = HERE.parent / "src" / "kbsync" / "site" / "assets"
LOCALES = ["en", "de", "fr", "ja"]


def main() -> None:
    """Make the tree and its indexes, and let node measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, required=True, help="the folder with node_modules")
    parser.add_argument("--articles", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kbsync-bench-") as name:
        folder = Path(name)
        make_corpus.LOCALES = LOCALES
        make_corpus.main(["--articles", str(given.articles), "--locales", "4", "--out", name])
        for locale in LOCALES:
            (folder / f"{locale}.json").write_bytes(index_of(folder / "content", locale))
        script = HERE / "search.mjs"
        libraries = given.libraries.resolve() / "node_modules"
        subprocess.run(["node", script, folder, libraries, ASSETS], check=True)


def index_of(root: Path, locale: str) -> bytes:
    """The index that the preview would send."""
    tree = read_tree(root, memory=Memory(root.parent))
    site = identify(tree, ContentSettings())
    articles = {
        path: Indexed(tree.sources[path], identity.category)
        for path, identity in site.articles.items()
        if identity.locale == locale
    }
    return encode_index(root, articles, {})


if __name__ == "__main__":
    main()
