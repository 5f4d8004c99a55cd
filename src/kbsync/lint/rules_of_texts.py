"""KB31x and KB4xx: what stands in the text of one article, and what its readers would make of it."""

from __future__ import annotations

from kbsync.lint.rule import Rule, article

RULES_OF_TEXTS = (
    Rule(
        "KB311",
        "a picture without words",
        "People who do not see the picture, and search engines, learn nothing of it. Say between the brackets what it "
        "shows.",
        article("Click here:\n\n![](https://static.example.com/refund.png)\n"),
    ),
    Rule(
        "KB312",
        "a link that runs a program, or that browsers do not open",
        "The portal passes `javascript:`, `vbscript:` and `data:` on as they are: the first two run in the reader's "
        "browser, `data:` links open nowhere, and `file:` leads to the reader's own disk. Link to a page.",
        article("[Refund me](javascript:refund())\n"),
    ),
    Rule(
        "KB313",
        "headings with the same anchor",
        "Two headings of one article that read alike have the same anchor, and a link always leads to the first. "
        "Word them differently where somebody may link to them.",
        article("## By card\n\nA week.\n\n## By card\n\nTwo weeks.\n"),
    ),
    Rule(
        "KB314",
        "a heading without an anchor",
        "It has no letters or digits, so the portal's page cannot name it, and nobody can link to it. Give it words.",
        article("## 🚀\n\nText.\n"),
    ),
    Rule(
        "KB315",
        "a level of headings is skipped",
        "People who listen to a page move through it by its headings, and miss one that is not there. The title is "
        "level 1, so the first heading of a text is `##`.",
        article("### By card\n\nA week.\n"),
    ),
    Rule(
        "KB316",
        "a heading of level 1 beside the title",
        "The portal shows the title as the heading of the page. Without `title:` in the front matter the first `#` "
        "heading becomes the title; each further one should be `##`.",
        article("# Refunds\n\nA week.\n"),
    ),
    Rule(
        "KB401",
        "raw HTML",
        "The portal drops every tag. Of a tag in a line the words stay; a block that begins with a tag is lost up to "
        "the next empty line, words and all. Write it in Markdown.",
        article("Press <kbd>Enter</kbd>.\n"),
        fixable=True,
    ),
    Rule(
        "KB402",
        "a word in angle brackets that readers will not see",
        "`<your-key>` looks like a tag to the portal, and is dropped: readers see a gap. Write `\\<your-key>`, or put "
        "it between backticks.",
        article("Write <your-key> into the field.\n"),
        fixable=True,
    ),
    Rule(
        "KB403",
        "`<br>` in a table",
        "It is dropped like all HTML, and the words before and after it run together. A cell has no line breaks: make "
        "two rows or two sentences of it.",
        article("| Plan | Price |\n| --- | --- |\n| Small | 5<br>a month |\n"),
    ),
    Rule(
        "KB404",
        "text between `~~`",
        "The portal strikes nothing out and prints the tildes. Delete the words, or say that they no longer hold.",
        article("It takes ~~two weeks~~ a week.\n"),
    ),
    Rule(
        "KB405",
        "a list of tasks",
        "The portal prints `[ ]` and `[x]` as they stand. Use a plain list.",
        article("- [x] Open the settings\n"),
    ),
    Rule(
        "KB406",
        "a footnote",
        "The portal prints `[^1]`, and where the note is a single word it makes a broken link of it. Write the note in "
        "brackets, or below a heading of its own.",
        article("It takes a week[^1].\n\n[^1]: By card.\n"),
    ),
    Rule(
        "KB407",
        "an address that is no link",
        "The portal makes links only of what is marked as such: write `<https://...>` or `[words](https://...)`.",
        article("See https://status.example.com for more.\n"),
        fixable=True,
    ),
    Rule(
        "KB408",
        "a box for a note",
        "`!!! note`, `:::tip` and `> [!NOTE]` belong to other tools. The portal prints them, and makes a block of code "
        "of what is indented below. Write a quotation that begins with a bold word: `> **Note**`.",
        article("> [!NOTE]\n> It takes a week.\n"),
    ),
    Rule(
        "KB409",
        "attributes in curly brackets",
        "`{#name}` and `{.class}` are printed as they stand. Headings have anchors of their own, made of their words.",
        article("## By card {#card}\n\nA week.\n"),
        fixable=True,
    ),
    Rule(
        "KB410",
        "the size of a picture",
        "The portal knows none: `{width=300}` is printed behind the picture, and with `=100x200` there is no picture "
        "at all. Make the picture as large as it should appear.",
        article("![The button](https://static.example.com/refund.png){width=300}\n"),
    ),
    Rule(
        "KB411",
        "two carets in a sentence",
        "What stands between two `^` is raised, and the carets are dropped, also behind a backslash. That is right for "
        "`m^2^`. Put a caret that is meant as one between backticks.",
        article("Compare a^2 with b^2 first.\n"),
    ),
    Rule(
        "KB412",
        "an inner list that is not indented enough",
        "It has to begin where the words of the outer item begin: three blanks under `1.`, two under `-`. As it stands "
        "the portal ends the outer list, and begins another.",
        article("1. Open the settings.\n  - Choose Billing.\n2. Save.\n"),
        fixable=True,
    ),
    Rule(
        "KB413",
        "a table that is none",
        "Below its first row a table needs a line of hyphens with as many cells, and an empty line above it. As it "
        "stands readers see the bars.",
        article("| Plan | Price |\n| --- |\n| Small | 5 |\n"),
    ),
    Rule(
        "KB414",
        "a video that does not play",
        "An address by itself is plain text on the portal, no link and no player. Write `<https://...>` around it.",
        article("https://youtu.be/abc123\n"),
        fixable=True,
    ),
    Rule(
        "KB415",
        "a link that becomes a player",
        "The portal puts a player in the place of a link to a video, a pen or a gist, if no words stand beside it, "
        "also in a list, a table or a heading. If a link is meant, write words before or after it.",
        article("- [Refunds in two minutes](https://youtu.be/abc123)\n"),
    ),
)
