"""A translation has what its original has. Each finding names both places."""

import pytest

from builders import A_CATEGORY, read_content, write_files

ORIGINAL, TRANSLATION = "en/billing/refunds.md", "fr/billing/refunds.md"
FEES = "---\ntitle: Fees\nstatus: published\n---\nText.\n"


def found(tmp_path, original: str, translation: str, front: str = "", **others: str) -> list[tuple[str, int, str]]:
    files = {
        "en/billing/_category.md": A_CATEGORY,
        "fr/billing/_category.md": A_CATEGORY,
        "en/billing/fees.md": FEES,
        "fr/billing/fees.md": FEES,
        ORIGINAL: f"---\ntitle: Refunds\nstatus: published\n---\n{original}\n",
        TRANSLATION: f"---\ntitle: Rembourser\nstatus: published\n{front}---\n{translation}\n",
        **others,
    }
    reading = read_content(write_files(tmp_path, files))
    findings = [finding for finding in reading.findings if finding.code.startswith("KB6")]
    assert all(finding.path == TRANSLATION and finding.level == "warning" for finding in findings)
    return [(finding.code, finding.line, finding.message) for finding in findings]


FIRES = [
    ("KB601", 5, "The link to `https://a.example/x` of the original (en/billing/refunds.md:7) is missing here.",
     "## A\n\n[a](https://a.example/x)", "## A\n\nTexte."),
    ("KB601", 1, "The link to `en/billing/fees.md` of the original (en/billing/refunds.md:5) is missing here.",
     "[fees](fees.md)", "Texte."),
    ("KB601", 5, "The link to `https://a.example/x/` of the original (en/billing/refunds.md:5) is missing here.",
     "[a](https://a.example/x/)", "[a](https://b.example/y/)"),
    ("KB601", 5, "The link to `https://a.example/index.html` of the original (en/billing/refunds.md:5) is missing here.",
     "[a](https://a.example/index.html)", "[a](https://b.example/index.html)"),
    ("KB602", 7, "The image `https://a.example/x.png` of the original (en/billing/refunds.md:9) is missing here.",
     "Text.\n\n## A\n\n![a](https://a.example/x.png)", "Texte.\n\n## A\n\nTexte."),
    ("KB602", 1, "The image `https://a.example/python.svg` of the original (en/billing/refunds.md:5) is missing here.",
     "![a](https://a.example/python.svg) ![b](https://a.example/go.svg)", "![b](https://b.example/go.svg)"),
    ("KB603", 7, "This code differs from the original's (en/billing/refunds.md:5).",
     "```sh\npay --back\n```", "Texte.\n\n```sh\npayer --back\n```"),
    ("KB603", 5, "This code differs from the original's (en/billing/refunds.md:5).",
     "```toml\nname = 1 # why\n```", "```toml\nnom = 1 # pourquoi\n```"),
    ("KB603", 1, "The code of the original (en/billing/refunds.md:5) is missing here.", "```sh\npay\n```", "Texte."),
    ("KB604", 5, "The original has 2 headings, this translation 1 (see en/billing/refunds.md:9).",
     "## A\n\nText.\n\n## B", "## A\n\nTexte."),
    ("KB604", 1, "The original has 1 heading, this translation 0 (see en/billing/refunds.md:5).", "## A", "Texte."),
    ("KB604", 5, "This heading has level 3, and level 2 in the original (en/billing/refunds.md:5).", "## A", "### A"),
    ("KB605", 1, "The placeholder `{{contact.name}}` of the original (en/billing/refunds.md:5) is missing here.",
     "Hello {{contact.name}}.", "Bonjour."),
    ("KB605", 5, "The placeholder `%{amount}` of the original (en/billing/refunds.md:5) is missing here.",
     "You get %{amount}.", "Vous recevez %{montant}."),
    ("KB601", 1, ("The original (en/billing/refunds.md:7) has the link to `en/billing/fees.md` 2 times, this translation "
     "only 1 time."), "[fees](fees.md)\n\n[fees](fees.md)", "[frais](fees.md)"),
    ("KB606", 1, "The table of the original (en/billing/refunds.md:5) is missing here.",
     "| a |\n| --- |\n| b |", "Texte."),
    ("KB606", 5, ("This table has 2 columns and 2 rows, and the original's (en/billing/refunds.md:5) has 2 columns "
     "and 3 rows."), "| a | b |\n| --- | --- |\n| c | d |\n| e | f |", "| a | b |\n|:-:|---|\n| c | d |"),
    ("KB606", 5, ("This table has 1 column and 2 rows, and the original's (en/billing/refunds.md:5) has 2 columns "
     "and 2 rows."), "| a | b |\n| --- | --- |\n| c | d |", "| a |\n| --- |\n| c |"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "line", "message", "original", "translation"), FIRES)
def test_what_is_lost_is_named_with_both_places(tmp_path, code, line, message, original, translation):
    assert found(tmp_path, original, translation) == [(code, line, message)]


FINE = [
    ("[a](fees.md)", "[a](fees.md)"),
    ("[a](fees.md#how)", "[a](../../en/billing/fees.md)"),
    ("[a](https://a.example/en/x)", "[a](https://a.example/fr/x)"),
    ("[a](https://en.a.example/Tax)", "[a](https://fr.a.example/Impot)"),
    ("![a](https://a.example/a.png)", "![a](https://a.example/a-fr.png)"),
    ("[c](https://a.example/.github/CONTRIBUTING.md)", "[c](https://a.example/docs/zh-CN/CONTRIBUTING.md)"),
    ("[a](fees.md)", "[a](https://a.example/fr/fees/)"),
    ("[a](docs/es/README.md)", "[a](../../es/README.md)"),
    ("```sh\npay\n```", "1. Un\n\n   ```sh\n   pay\n   ```"),
    ("```sh\n# pay back\npay --all  # everything\n```", "```sh\n# rembourser\npay --all # tout\n```"),
    ("```text\nPaid back.\n```", "```text\nRemboursé.\n```"),
    ("    indented", "    en retrait"),
    ("| a | b |\n| --- | --- |\n| c | d |", "> | un | deux |\n> |:--|--:|\n> | trois - quatre | `c|d` |"),
    ("| a |\n| --- |\n| b |\n\n| a | b |\n| - | - |", "| a | b |\n| - | - |\n\n| a |\n| --- |\n| b |"),
    ("100 % sure, 5%d", "100 % sûr, 5%d"),
    ("`{name}` is text", "`{name}` en est un"),
    ("Text.", "Texte, [de plus](https://a.example) ![x](https://a.example/x.png) {{more}}."),
]  # fmt: skip


@pytest.mark.parametrize(("original", "translation"), FINE)
def test_what_is_there_in_the_other_language_is_fine(tmp_path, original, translation):
    assert found(tmp_path, original, translation) == []


def test_a_translation_under_another_path_is_compared_with_the_original_that_it_names(tmp_path):
    files = {f"{locale}/billing/_category.md": A_CATEGORY for locale in ("en", "fr")}
    files |= {ORIGINAL: "---\ntitle: R\n---\n{{x}}\n"}
    files["fr/billing/rendre.md"] = f"---\ntitle: T\ntranslation_of: {ORIGINAL}\n---\nTexte.\n"
    findings = read_content(write_files(tmp_path, files)).findings
    assert [(f.code, f.path) for f in findings if f.code.startswith("KB6")] == [("KB605", "fr/billing/rendre.md")]


def test_a_link_to_a_translation_under_another_path_is_the_same_link(tmp_path):
    other = "---\ntitle: Frais\nstatus: published\ntranslation_of: en/billing/fees.md\n---\nTexte.\n"
    assert found(tmp_path, "[a](fees.md)", "[a](frais.md)", **{"fr/billing/frais.md": other}) == []


def test_what_is_ignored_or_archived_is_not_compared(tmp_path):
    assert found(tmp_path, "{{x}}", "Texte.", "lint_ignore: [KB6]\n") == []
    assert found(tmp_path, "{{x}}", "Texte.", "manage: false\n") == []


def test_each_of_several_is_named_once(tmp_path):
    lost = found(tmp_path, "{{a}} {{a}} {{b}}", "{{a}}")
    assert [code for code, _, _ in lost] == ["KB605", "KB605"]
