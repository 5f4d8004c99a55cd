"""What is due after a save: the findings of the whole tree, without looking at the whole tree."""

from pathlib import Path
from random import Random

import pytest

from kbsync.preview.checking import check_all
from preview.workshop import TREE, Shop, a_shop

NAMES = ("charges", "invoices", "refunds", "taxes")

CONFIG = '[content]\nroot = "content"\nlocales = ["en", "de", "fr"]\n'

STATUSES = ("", "status: draft\n", "status: published\n", "status: archived\n", "manage: false\n")

FRONTS = ("", "", "", "slug: charges\n", "author: nobody\n", "category: nowhere\n", "description: Words.\n")

BLOCKS = (
    "Words and words.\n",
    "See [a](charges.md#when) and [b](refunds.md).\n",
    "See [a](../plans/taxes.md#how) and ![shot](shot.png).\n",
    "## When\n\nNow.\n",
    "## How\n\nSo.\n",
    "```\nmake all\n```\n",
    "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
    "Write to {{ contact.name }}.\n",
    "![shot](shot.png)\n",
    "<!-- kbsync-ignore KB301 -->\n\n[gone](gone.md)\n",
)


def an_article(dice: Random) -> str:
    """A file that may have any of these troubles with any other."""
    front = f"title: {dice.choice(NAMES)}\n{dice.choice(STATUSES)}{dice.choice(FRONTS)}"
    return f"---\n{front}---\n" + "\n".join(dice.choices(BLOCKS, k=dice.randint(0, 5)))


def edited(text: str, dice: Random) -> str:
    """What a writer makes of it with one save: mostly a sentence, sometimes a block or a key."""
    head, _, body = text.removeprefix("---\n").partition("---\n")
    blocks = [block for block in body.split("\n\n") if block.strip()]
    match dice.randint(0, 5):
        case 0 | 1:
            blocks.insert(dice.randint(0, len(blocks)), f"A sentence about {dice.randint(1, 9)}.")
        case 2:
            blocks.insert(dice.randint(0, len(blocks)), dice.choice(BLOCKS).strip())
        case 3 if blocks:
            blocks.pop(dice.randrange(len(blocks)))
        case 4:
            head = "".join(f"{line}\n" for line in head.splitlines() if not line.startswith(("status", "manage")))
            head += dice.choice(STATUSES)
        case _:
            return an_article(dice)
    return f"---\n{head}---\n" + "\n\n".join(blocks) + "\n"


def a_random_shop(folder: Path, dice: Random) -> Shop:
    paths = [f"{locale}/{room}/{name}.md" for locale in ("en", "de", "fr") for room in ("billing",) for name in NAMES]
    files: dict[str, str | bytes] = {path: an_article(dice) for path in paths}
    files |= {f"{locale}/billing/_category.md": "---\nname: B\n---\n" for locale in ("en", "de", "fr")}
    return a_shop(folder, files | {"en/billing/shot.png": b"\x89PNG", "en/billing/other.png": b"\x89PNG"}, CONFIG)


def settle(shop: Shop) -> None:
    """What the preview does as soon as nothing has happened for a moment."""
    if shop.live_tree.due:
        shop.live_tree.take_findings(check_all(**shop.live_tree.as_it_is()), ())


@pytest.mark.parametrize("seed", range(8))
def test_after_every_save_the_findings_are_those_of_the_whole_tree(tmp_path: Path, seed: int):
    dice = Random(seed)
    shop = a_random_shop(tmp_path, dice)
    settle(shop)
    for _ in range(12):
        path = dice.choice(sorted(path for path in shop.live_tree.sources if not path.endswith("_category.md")))
        shop.save(path, edited((tmp_path / "content" / path).read_text("utf-8"), dice))
        settle(shop)
        found = check_all(**shop.live_tree.as_it_is())
        known = {name: some for name, some in shop.live_tree.findings.items() if some}
        assert known == found


def test_what_was_found_in_a_file_when_the_preview_began_goes_with_the_file(tmp_path: Path):
    words = "---\ntitle: Old\n---\nWrite to {{ contact.name }}.\n"
    shop = a_shop(tmp_path, {**TREE, "en/billing/old.md": words}, CONFIG)
    settle(shop)
    assert "KB417" in shop.codes("en/billing/old.md")
    shop.delete("en/billing/old.md")
    settle(shop)
    assert "en/billing/old.md" not in shop.live_tree.findings


def test_a_translation_is_compared_with_an_original_that_names_itself(tmp_path: Path):
    front = "---\ntitle: T\ntranslation_of: en/billing/charges.md\n---\n"
    files = {"en/billing/charges.md": f"{front}Words.\n", "de/billing/charges.md": f"{front}Worte.\n"}
    shop = a_shop(tmp_path, files, CONFIG)
    settle(shop)
    shop.save("en/billing/charges.md", f"{front}Words.\n\n```\nmake all\n```\n")
    settle(shop)
    assert "KB603" in shop.codes("de/billing/charges.md") == shop.all_codes()["de/billing/charges.md"]


def test_what_is_said_of_a_file_that_cannot_be_read_stays_when_others_are_saved(tmp_path: Path):
    odd = "en/billing/odd.md"
    shop = a_shop(tmp_path, {**TREE, odd: "---\ntitle: Odd\ncategory: nowhere\n---\nWords.\n"}, CONFIG)
    settle(shop)
    shop.save(odd, "---\ntitle: [\n---\nWords.\n")
    before = shop.live_tree.broken[odd]
    shop.save("en/billing/refunds.md", "---\ntitle: Refunds\nslug: money-back\n---\nText.\n")
    assert shop.live_tree.broken[odd] == before
    settle(shop)
    assert shop.live_tree.broken[odd] == before
