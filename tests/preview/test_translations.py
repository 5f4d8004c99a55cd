"""The Languages tab: which translations are stale, and the words that changed in the original."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from kbsync.cli.preview import find_debts
from kbsync.content.translatable import blob_ids
from preview.workshop import REFUNDS, REMBOURSEMENTS, TREE, running
from repo import a_repo, needs_git

ORIGINAL = str(TREE["en/billing/refunds.md"])


def translation(of: str) -> str:
    return f'---\ntitle: Remboursements\ntranslated_from: "{blob_ids(of.encode())[0][:12]}"\n---\nTexte.\n\n## Quand\n'


@needs_git
def test_a_page_shows_the_words_that_changed_in_the_original_since(tmp_path: Path):
    files = TREE | {"fr/billing/refunds.md": translation(ORIGINAL)}
    finding = partial(find_debts, cache=tmp_path / "cache")
    with running(tmp_path, files, find_debts=finding) as preview:
        preview.wait_until_read()
        a_repo(tmp_path).commit()
        with preview.tab(REFUNDS) as tab, preview.tab(REMBOURSEMENTS) as other:
            tab.page_with('<span class="mark fresh">fresh</span>')
            (preview.content / "en/billing/refunds.md").write_text(ORIGINAL.replace("Now.", "Later <b>.") + "\n")
            for open_tab in (tab, other):
                html = open_tab.page_with('<span class="mark stale">stale</span>')
                assert "<del>Now</del><ins>Later &lt;b&gt;</ins>" in html.replace("</ins><ins>", "")
            (preview.content / "fr/billing/refunds.md").write_text(
                translation(ORIGINAL.replace("Now.", "Later <b>.") + "\n")
            )
            tab.page_with('<span class="mark fresh">fresh</span>')


def test_a_translation_that_names_no_version_is_only_there(tmp_path: Path):
    with running(tmp_path, find_debts=partial(find_debts, cache=tmp_path / "cache")) as preview:
        preview.wait_until_read()
        with preview.tab(REFUNDS) as tab:
            assert '<span class="mark there">there</span>' in tab.page()
