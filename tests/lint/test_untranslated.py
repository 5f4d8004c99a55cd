"""What `kbsync new` wrote, and nobody wrote or translated yet, does not reach readers unseen (KB608)."""

import pytest

from builders import A_CATEGORY, AN_ARTICLE, beside, read_content, write_files

ORIGINAL, TRANSLATION = "en/billing/refunds.md", "fr/billing/refunds.md"
TEXT = "You get your money back within three days, see [fees](fees.md).\n\n```sh\npay\n```"
COPY = TEXT.replace("fees.md", "../../en/billing/fees.md")
TITLE = "Refund a charge"


def found(tmp_path, title: str, text: str, *, front: str = "status: published\n", theirs=(TITLE, TEXT), to: str = "fr"):
    """Level, line and message of KB608 in a translation with this title and text."""
    files = {
        "en/billing/_category.md": A_CATEGORY,
        f"{to}/billing/_category.md": A_CATEGORY,
        "en/billing/fees.md": AN_ARTICLE,
        ORIGINAL: f"---\ntitle: {theirs[0]}\nstatus: published\n---\n{theirs[1]}\n",
        f"{to}/billing/refunds.md": f"---\ntitle: {title}\n{front}---\n{text}\n",
    }
    reading = read_content(write_files(tmp_path, files))
    return [(it.level, it.line, it.message) for it in reading.findings if it.code == "KB608"]


@pytest.mark.parametrize(
    ("front", "level"),
    [
        ("status: published\n", "error"),
        ("status: draft\n", "warning"),
        ("", "warning"),
        ("status: published\ntranslated_from: 3f2a91c07be4\n", "warning"),
    ],
)
@pytest.mark.parametrize(
    ("title", "text", "still"),
    [
        (TITLE, COPY, "title and the body are still those"),
        ("Rembourser", COPY, "body is still that"),
        ("Rembourser", TEXT, "body is still that"),
        ("Rembourser", f"\n{COPY}\n\n", "body is still that"),
        (TITLE, "Vous êtes remboursé.", "title is still that"),
    ],
)
def test_the_title_or_body_of_the_original_is_an_error_where_it_is_published(
    tmp_path, title, text, still, front, level
):
    line = 1 if still.startswith("body") else 2
    message = f"The {still} of the original ({ORIGINAL}:{line})."
    assert found(tmp_path, title, text, front=front) == [(level, line, message)]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ((TITLE, TEXT), ("Rembourser", COPY.replace("within three days", "en trois jours à peine"))),
        (("API", TEXT), ("API", "Vous êtes remboursé.")),
        (("Google Cloud Storage", TEXT), ("Google Cloud Storage", "Vous êtes remboursé.")),
        (("SSO via SAML", TEXT), ("SSO via SAML", "Vous êtes remboursé.")),
        (("Webhooks", "```sh\npay back the money of these customers\n```"),) * 2,
        (("Webhooks", "![](a.png)\n\n![](b.png)"),) * 2,
        (("Databases", "PostgreSQL, MySQL, SQLite, Oracle Database, Microsoft SQL Server"),) * 2,
        (("Text", "Text."),) * 2,
    ],
)
def test_names_code_images_and_few_words_may_be_the_same(tmp_path, theirs, ours):
    assert found(tmp_path, *ours, theirs=theirs) == []


@pytest.mark.parametrize("ends", [("\n", "\r\n"), ("\r\n", "\n")])
def test_a_copy_with_other_line_ends_is_a_copy(tmp_path, ends):
    text = "You get your money back.\n\n" * 9 + "```sh\npay\nall\n```\n\n| a |\n| - |\n| b |"
    theirs, ours = (text.replace("\n", end) for end in ends)
    assert found(tmp_path, "Rembourser", ours, theirs=(TITLE, theirs)) == [
        ("error", 1, f"The body is still that of the original ({ORIGINAL}:1).")
    ]


def test_two_locales_of_one_language_may_have_the_same_text(tmp_path):
    assert found(tmp_path, TITLE, COPY, to="en_GB") == []


@pytest.mark.parametrize(("status", "level"), [("published", "error"), ("draft", "warning")])
def test_the_placeholder_of_a_new_article_is_found_below_a_text_too(tmp_path, status, level):
    text = f"---\ntitle: Refunds\nstatus: {status}\n---\nSome text.\n\nWrite the article here.\n"
    findings = read_content(write_files(tmp_path, beside(text))).findings
    assert [(finding.code, finding.level, finding.line) for finding in findings] == [("KB608", level, 7)]


@pytest.mark.parametrize(
    "text", ["    Write the article here.", "```\nWrite the article here.\n```", "Write the article here. Soon."]
)
def test_a_text_about_the_placeholder_is_none(tmp_path, text):
    files = beside(f"---\ntitle: Refunds\nstatus: published\n---\nkbsync writes:\n\n{text}\n")
    assert "KB608" not in [finding.code for finding in read_content(write_files(tmp_path, files)).findings]
