"""Moving files: links lead where they led, articles stay the same ones, and moving back gives every byte back."""

import posixpath
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from builders import read_content, tree, write_files
from kbsync.config import ContentSettings
from kbsync.content.relocation import Moves, Relocation, relocate
from kbsync.errors import ContentError, UsageError

LOCALES = ContentSettings(locales=["en", "fr"])

TREE = tree("""== en/billing/_category.md
---
name: Billing
---
== en/account/_category.md
---
name: Account
---
== fr/billing/_category.md
---
name: Facturation
---
== en/billing/refunds.md
---
title: Refunds
---
See [invoices](invoices.md#late) and ![button](images/refund.png).
== en/billing/invoices.md
---
title: Invoices
---
Read [refunds][r] or [again](./refunds.md?x=1#how "Refunds").

[r]: <refunds.md>
== en/account/password.md
---
title: Password
---
`[code](../billing/refunds.md)` and [refunds](../billing/refunds.md) and [all](../billing/).
== fr/billing/refunds.md
---
title: Rembourser
---
Voir [l'original](../../en/billing/refunds.md).
== en/billing/images/refund.png
""")


def moved(files: dict[str, bytes], wanted: Moves, *, known: frozenset[str] = frozenset()) -> dict[str, bytes]:
    """The files after a move."""
    with TemporaryDirectory() as folder:
        found = planned(Path(folder), files, wanted, known=known)
    after = dict(files)
    for change in found.changes:
        del after[change.old]
    for change in found.changes:
        after[change.new] = files[change.old] if change.after is None else change.after
    return after


def planned(root: Path, files: dict[str, bytes], wanted: Moves, *, known: frozenset[str] = frozenset()) -> Relocation:
    reading = read_content(write_files(root, files), locales=["en", "fr"])
    return relocate(reading.tree, reading.compiler.site, LOCALES, wanted, lambda path: known)


def in_bytes(files) -> dict[str, bytes]:
    return {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}


def with_files(**texts: str) -> dict[str, bytes]:
    return in_bytes({**TREE, **{path.replace("__", "/") + ".md": text for path, text in texts.items()}})


REFUNDS = Moves({"en/billing/refunds.md": "en/account/refunds.md"})


def test_links_in_all_locales_follow_and_everything_else_stays_to_the_byte():
    after = moved(in_bytes(TREE), REFUNDS)
    assert after["en/billing/invoices.md"].decode() == (
        '---\ntitle: Invoices\n---\nRead [refunds][r] or [again](./../account/refunds.md?x=1#how "Refunds").\n\n'
        "[r]: <../account/refunds.md>\n"
    )
    password = after["en/account/password.md"]
    assert b"`[code](../billing/refunds.md)` and [refunds](refunds.md) and [all](../billing/)" in password
    assert b"(../../en/account/refunds.md)" in after["fr/billing/refunds.md"]
    assert b"(../billing/invoices.md#late) and ![button](images/refund.png)" in after["en/account/refunds.md"]


def test_an_image_that_only_this_article_shows_goes_along_and_another_stays():
    one = moved(in_bytes(TREE), REFUNDS)
    assert "en/account/images/refund.png" in one and "en/billing/images/refund.png" not in one
    shared = with_files(en__billing__other="---\ntitle: O\n---\n![x](images/refund.png)\n")
    two = moved(shared, REFUNDS)
    assert "en/billing/images/refund.png" in two
    assert b"![button](../billing/images/refund.png)" in two["en/account/refunds.md"]


def test_a_new_name_keeps_the_old_slug_as_an_alias_or_as_the_slug():
    renamed, kept = (
        moved(in_bytes(TREE), Moves({"en/billing/refunds.md": "en/billing/money-back.md"}, keep_slug=keep_slug))
        for keep_slug in (False, True)
    )
    assert b"title: Refunds\naliases: [refunds]\n---" in renamed["en/billing/money-back.md"]
    assert b"title: Refunds\nslug: refunds\n---" in kept["en/billing/money-back.md"]
    assert b"aliases" not in kept["en/billing/money-back.md"]


def test_a_translation_that_is_left_behind_names_its_original():
    files = moved(in_bytes(TREE), REFUNDS)
    assert b"translation_of: en/account/refunds.md\n---" in files["fr/billing/refunds.md"]
    both = {"en/billing/refunds.md": "en/account/refunds.md", "fr/billing/refunds.md": "fr/account/refunds.md"}
    assert b"translation_of" not in moved(in_bytes(TREE), Moves(both))["fr/account/refunds.md"]


def test_a_translation_that_names_its_original_names_the_new_path():
    text = '---\ntitle: R\ntranslation_of: "en/billing/invoices.md" # the original\n---\nX\n'
    named = with_files(fr__billing__remboursements=text)
    after = moved(named, Moves({"en/billing/invoices.md": "en/account/bills.md"}))
    assert b'translation_of: "en/account/bills.md" # the original\n' in after["fr/billing/remboursements.md"]


def test_a_category_that_gets_another_slug_takes_the_articles_that_name_it_along():
    files = with_files(en__account__old="---\ntitle: Old\ncategory: billing\n---\nX\n")
    folder = {path: path.replace("en/billing", "en/payments") for path in files if path.startswith("en/billing/")}
    after = moved(files, Moves(folder, {"en/billing": "en/payments"}))
    assert after["en/account/old.md"] == b"---\ntitle: Old\ncategory: payments\n---\nX\n"
    assert after["en/payments/_category.md"] == b"---\nname: Billing\naliases: [billing]\n---\n"
    assert b"[all](../payments/)" in after["en/account/password.md"]
    assert after["en/payments/invoices.md"] == files["en/billing/invoices.md"]


def test_two_articles_never_get_one_slug():
    files = with_files(en__account__x="---\ntitle: X\nslug: bills\n---\nX\n")
    with pytest.raises(UsageError, match="would both have the slug `bills`"):
        moved(files, Moves({"en/billing/invoices.md": "en/billing/bills.md"}))


def test_a_way_back_forgets_a_slug_that_was_never_published_and_keeps_one_that_was():
    there = moved(in_bytes(TREE), Moves({"en/billing/invoices.md": "en/billing/bills.md"}))
    back = Moves({"en/billing/bills.md": "en/billing/invoices.md"})
    assert moved(there, back) == in_bytes(TREE)
    published = moved(there, back, known=frozenset({"bills"}))
    assert b"title: Invoices\naliases: [bills]\n---" in published["en/billing/invoices.md"]


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("[x](invoices.md)", "[x](../billing/invoices.md)"),
        ("[x](<invoices.md>)", "[x](<../billing/invoices.md>)"),
        ("[x](invoices.md#a%20b)", "[x](../billing/invoices.md#a%20b)"),
        ("[x](invoices.md?a=1&amp;b#c)", "[x](../billing/invoices.md?a=1&amp;b#c)"),
        ("[x](in%76oices.md)", "[x](../billing/in%76oices.md)"),
        (r"[x](invoices\.md)", r"[x](../billing/invoices\.md)"),
        ("[x](../billing/invoices.md)", "[x](../billing/invoices.md)"),
        ("[x](./invoices.md 'title')", "[x](./../billing/invoices.md 'title')"),
        ("[x](https://example.com/invoices.md)", "[x](https://example.com/invoices.md)"),
        ("[x](www.example.com)", "[x](www.example.com)"),
        ("[x](#here)", "[x](#here)"),
        ("[x](/hc/handbook)", "[x](/hc/handbook)"),
        ("[x](gone.md)", "[x](../billing/gone.md)"),
        ("[x](../account/password.md)", "[x](password.md)"),
        ("[x](.)", "[x](../billing)"),
        ("[x](a%20b.md)", "[x](../billing/a%20b.md)"),
        ("[x](<a b.md>)", "[x](<../billing/a b.md>)"),
        ("[x](été.md)", "[x](../billing/été.md)"),
        ("[x](%C3%A9t%C3%A9.md)", "[x](../billing/%C3%A9t%C3%A9.md)"),
        ("[x](a(1).md)", "[x](../billing/a(1).md)"),
        ("[x](50%25%23.md)", "[x](../billing/50%25%23.md)"),
    ],
)
def test_each_way_to_write_a_link_also_to_an_odd_name_stays_the_writer_s(written, after):
    odd = {f"en/billing/{name}.md": "---\ntitle: N\n---\nX\n" for name in ("a b", "été", "a(1)", "50%#")}
    files = in_bytes({**TREE, **odd, "en/billing/refunds.md": f"---\ntitle: R\n---\nSee {written}.\n"})
    text = moved(files, REFUNDS)["en/account/refunds.md"].decode()
    assert text.partition("---\n")[2].endswith(f"See {after}.\n")


def test_front_matter_that_cannot_be_changed_stops_the_move():
    files = with_files(en__billing__refunds="---\n{title: R}\n---\nX\n")
    with pytest.raises(ContentError, match="cannot change `aliases`"):
        moved(files, Moves({"en/billing/refunds.md": "en/billing/other.md"}))


def test_line_ends_and_byte_order_marks_stay():
    files = with_files(en__billing__refunds="\ufeff---\r\ntitle: R\r\n---\r\nSee [x](invoices.md)\r\n")
    text = moved(files, Moves({"en/billing/refunds.md": "en/account/other.md"}))["en/account/other.md"].decode()
    assert text == "\ufeff---\r\ntitle: R\r\naliases: [refunds]\r\n---\r\nSee [x](../billing/invoices.md)\r\n"


# A letter that the writer encoded although it needs that not comes back as it is, when the name has been another one.

# --- there and back ------------------------------------------------------------------------------------------------

FOLDERS = ("en/billing", "en/account", "en/a b", "fr/billing", "en/billing/deep")
NAMES = ("refunds.md", "invoices.md", "a b.md", "été.md", "x(1).md", "weird#1.md")
FRONTS = st.sampled_from([
    "---\ntitle: T\n---\n", "---\r\ntitle: T\r\n---\r\n", "---\ntitle: T\nslug: own-{n}\n---\n", "# T {n}\n\n",
    "---\ntitle: T\naliases: [old-{n}]\n---\n", "---\ntitle: T\naliases:\n  - old-{n}\ntags: [a]\n---\n", "\ufeff# T\n",
    "---\naliases: [old-{n}] # why\ntitle: T\n---\n", '---\ntitle: "T: x"\nstatus: draft\n...\n',
])  # fmt: skip
LINKS = st.sampled_from([
    "[l]({u})", "![l]({u})", "[l](<{a}>)", "[l]({u}#x-y 'T')", "[l](./{u}?q=1&amp;r)", "\n\n[d]: {u}\n\n[d]", "`[c]({u})`",
    "| a |\n|---|\n| [l]({u}) |\n", "> [l]({u})\n\n", "[l](nowhere.md)", "[w](www.example.com)", "[c]({f}/)",
])  # fmt: skip


def _relative(target: str, folder: str) -> str:
    return posixpath.relpath("/" + target, "/" + folder)


@st.composite
def trees(draw) -> dict[str, bytes]:
    places = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES))
    paths = draw(st.lists(places, min_size=2, max_size=5, unique=True))
    # Slugs come from names: one of each.
    files = {f"{folder}/{name.replace('.md', f'-{n}.md')}": b"" for n, (folder, name) in enumerate(paths)}
    for n, path in enumerate(files):
        text = draw(FRONTS).replace("{n}", str(n)) + "Text.\n\n"
        folder = path.rpartition("/")[0]
        for target in draw(st.lists(st.sampled_from(sorted(files)), max_size=4)):
            relative = _relative(target, folder)
            plain = "".join(c if not c.isascii() else quote(c, safe="/()!'") for c in relative)
            angled = relative.replace("%", "%25").replace("#", "%23")
            of_folder = quote(_relative(target.rpartition("/")[0], folder))
            text += draw(LINKS).replace("{u}", plain).replace("{a}", angled).replace("{f}", of_folder) + " "
        files[path] = text.encode()
    for folder in {path.rpartition("/")[0] for path in files}:
        files[f"{folder}/_category.md"] = b"---\nname: C\n---\n"
    return files


def test_a_link_to_the_folder_that_a_file_moves_into_is_as_before_once_it_moves_back():
    files = in_bytes(TREE) | {"en/billing/note.md": b"---\ntitle: N\n---\n[c](../account/)\n"}
    there = moved(files, Moves({"en/billing/note.md": "en/account/note.md"}))
    assert b"[c](./)" in there["en/account/note.md"]
    assert moved(there, Moves({"en/account/note.md": "en/billing/note.md"})) == files


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees(), st.data())
def test_a_move_and_the_way_back_give_every_byte_back(files, data):
    old = data.draw(st.sampled_from(sorted(path for path in files if not path.endswith("_category.md"))))
    folder = data.draw(st.sampled_from(["en/billing", "en/new", "en/a b", "en/x/y", old.rpartition("/")[0]]))
    new = f"{folder}/{data.draw(st.sampled_from(['fresh.md', old.rpartition('/')[2]]))}"
    if new in files:
        return
    there = moved(files, Moves({old: new}))
    assert moved(there, Moves({new: old})) == files


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
@example(in_bytes(TREE))
def test_a_folder_and_the_way_back_give_every_byte_back(files):
    folder = min(path.rpartition("/")[0] for path in files)
    new = f"en/renamed/{folder.count('/')}"
    there_files = {path: new + path.removeprefix(folder) for path in files if path.startswith(f"{folder}/")}
    there = moved(files, Moves(there_files, {folder: new}))
    assert moved(there, Moves({to: of for of, to in there_files.items()}, {new: folder})) == files
