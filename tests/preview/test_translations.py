"""The Languages tab: which translations are stale, and the words that changed in the original."""

import random
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from builders import write_files
from kbsync.app.translation_state import SameFiles
from kbsync.cli.preview import find_debts
from kbsync.config import ContentSettings
from kbsync.content.handed import blob_ids
from kbsync.content.identity import identify
from kbsync.content.tree import Tree, read_tree
from kbsync.memory import Memory
from kbsync.plan.freshness import Freshness
from preview.workshop import REFUNDS, REMBOURSEMENTS, TREE, running
from repo import a_repo, needs_git

ORIGINAL = str(TREE["en/billing/refunds.md"])


def translation(of: str) -> str:
    return f'---\ntitle: Remboursements\ntranslated_from: "{blob_ids(of.encode())[0][:12]}"\n---\nTexte.\n\n## Quand\n'


@needs_git
@pytest.mark.parametrize("seed", range(3))
def test_what_is_known_of_the_save_before_changes_no_result(tmp_path: Path, seed: int):
    chance, same, names = random.Random(seed), set(), ("refunds.md", "charges.md", "invoices.md")
    root, cache = tmp_path / "content", tmp_path / "cache"
    write_files(root, TREE)
    a_repo(tmp_path).commit()
    seen = set()
    for step in range(12):
        name = chance.choice(names)
        original = root / "en/billing" / name
        match chance.choice(("original", "back", "named", "named", "other", "unnamed")):
            case "original":
                original.write_text(f"{TREE[f'en/billing/{name}']}Word {step}.\n")
            case "back":
                original.write_text(str(TREE[f"en/billing/{name}"]))
            case "named":
                (root / "fr/billing" / name).write_text(translation(original.read_text()))
            case "other":
                (root / "fr/billing" / name).write_text(translation("of nothing that is there"))
            case "unnamed":
                (root / "fr/billing" / name).write_text("---\ntitle: Texte\nmachine: true\n---\nTexte.\n")
        tree = read_tree(root, memory=None)
        site = identify(tree, ContentSettings())
        whole = find_debts(tree, site, memory=Memory(cache))
        assert find_debts(tree, site, memory=Memory(cache), same=same) == whole
        seen |= {item.state for item in whole}
    assert same
    assert seen >= {Freshness.FRESH, Freshness.MISSING}


def test_after_a_save_only_the_original_that_was_saved_is_read_again(tmp_path: Path):
    names = ("refunds.md", "charges.md", "invoices.md")
    write_files(tmp_path, TREE | {f"fr/billing/{name}": translation(str(TREE[f"en/billing/{name}"])) for name in names})
    same: SameFiles = set()

    def look() -> tuple[list[str], set[Freshness]]:
        tree = read_tree(tmp_path, memory=None)
        counted = CountedTree(tree.root, tree.sources, tree.others)
        found = find_debts(counted, identify(tree, ContentSettings()), memory=Memory(tmp_path / "cache"), same=same)
        return counted.read, {item.state for item in found if item.path.startswith("fr/billing/")}

    assert look() == (sorted(f"en/billing/{name}" for name in names), {Freshness.FRESH})
    assert look() == ([], {Freshness.FRESH})
    (tmp_path / "en/billing/refunds.md").write_text("---\ntitle: Refunds\nstatus: published\n---\nOther text.\n")
    assert look() == (["en/billing/refunds.md"], {Freshness.FRESH, Freshness.STALE})


@dataclass
class CountedTree(Tree):
    """A tree that remembers which sources were read."""

    read: list[str] = field(default_factory=list)

    def read_bytes(self, path: str) -> bytes:
        self.read.append(path)
        return super().read_bytes(path)


@needs_git
def test_a_page_shows_the_words_that_changed_in_the_original_since(tmp_path: Path):
    files = TREE | {"fr/billing/refunds.md": translation(ORIGINAL)}
    finding = partial(find_debts, memory=Memory(tmp_path / "cache"))
    with running(tmp_path, files, find_debts=finding) as preview:
        preview.wait_until_read()
        a_repo(tmp_path).commit()
        with preview.tab(REFUNDS) as tab, preview.tab(REMBOURSEMENTS) as other:
            tab.page_with('<span class="mark fresh">fresh</span>')
            changed = ORIGINAL.replace("Now.", "Later <b>.") + "\n"
            preview.save("en/billing/refunds.md", changed)
            for open_tab in (tab, other):
                html = open_tab.page_with('<span class="mark stale">stale</span>')
                assert "<del>Now</del><ins>Later &lt;b&gt;</ins>" in html.replace("</ins><ins>", "")
            preview.save("fr/billing/refunds.md", translation(changed))
            tab.page_with('<span class="mark fresh">fresh</span>')


def test_a_translation_that_names_no_version_is_only_there(tmp_path: Path):
    with running(tmp_path, find_debts=partial(find_debts, memory=Memory(tmp_path / "cache"))) as preview:
        preview.wait_until_read()
        with preview.tab(REFUNDS) as tab:
            assert '<span class="mark there">there</span>' in tab.page()
