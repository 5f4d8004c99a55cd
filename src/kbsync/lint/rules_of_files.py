"""KB1xx: what can be wrong with one file before anybody looks at its text."""

from __future__ import annotations

from kbsync.lint.rule import Rule, article

RULES_OF_FILES = (
    Rule(
        "KB101",
        "the file is not UTF-8",
        "kbsync cannot know which letters its bytes mean, and the service takes nothing but UTF-8. "
        "Save the file as UTF-8 in your editor.",
    ),
    Rule(
        "KB102",
        "the file or folder cannot be read",
        "The system refuses it, or it is no regular file, or it has more than 2 MB, or its name is not UTF-8. "
        "Fix its permissions or its name, split it, or move it out of the folder.",
    ),
    Rule(
        "KB103",
        "the file is empty",
        "There is nothing to publish in it. Write an article, or delete the file.",
        "\n",
    ),
    Rule(
        "KB104",
        "the front matter is not valid YAML",
        "Nothing of it can be read: neither title nor slug nor status. Most often a text with a colon or a quotation "
        "mark in it needs quotes around it.",
        article("Text.\n", "slug: refunds: all\n"),
    ),
    Rule(
        "KB105",
        "the front matter is not a list of keys and values",
        "Each line between the two `---` has to be `key: value`.",
        "---\n- Refunds\n---\nText.\n",
    ),
    Rule(
        "KB106",
        "a key is given twice",
        "Only one of the two values can count, and kbsync does not guess which. Delete one of the lines.",
        article("Text.\n", "title: Money back\n"),
    ),
    Rule(
        "KB107",
        "an unknown key",
        "kbsync ignores the keys of other tools, with a warning. A key that looks like a misspelt one of its own is an "
        "error: what you wanted would be lost without a word.",
        article("Text.\n", "statsu: draft\n"),
    ),
    Rule(
        "KB108",
        "a value of the wrong type",
        "A position is a whole number, tags are a list of texts, everything else is text. YAML takes `yes`, `1.0` and "
        "`2024-01-01` for something else: put these into quotes.",
        article("Text.\n", "position: first\n"),
    ),
    Rule(
        "KB109",
        "a status that is none",
        "A status is `draft`, `published` or `archived`. The service answers any other with an error.",
        article("Text.\n", "status: done\n"),
    ),
    Rule(
        "KB110",
        "an article without a title, or a category without a name",
        "The service takes neither. Write `title:` (of a category `name:`) into the front matter, or begin the text "
        "with a heading `# ...`, which then becomes the title.",
        "Only text.\n",
    ),
    Rule(
        "KB111",
        "front matter that is never closed",
        "The first line is `---`, and no second one follows: the whole text would be taken for keys. "
        "Write `---` on a line of its own below the last key.",
        "---\ntitle: Refunds\nText.\n",
    ),
    Rule(
        "KB112",
        "front matter that is too large",
        "More than 65,536 characters before the closing `---`: most likely that line is missing, and the text of the "
        "article is taken for keys.",
    ),
    Rule(
        "KB113",
        "a wrong `manage`",
        "`manage` says how far kbsync may go: `true` keeps the article in step, `seed` creates it once and then leaves "
        "it alone, `false` never touches it.",
        article("Text.\n", "manage: never\n"),
    ),
    Rule(
        "KB114",
        "a NUL character",
        "A character that no editor shows and that makes the service answer with an error. Delete it.",
        article("Te\0xt.\n"),
    ),
    Rule(
        "KB115",
        "a symbolic link out of the tree, in a circle, or to nothing",
        "kbsync reads nothing outside of the content tree. Copy the file into it, or delete the link.",
    ),
    Rule(
        "KB116",
        "a key without a value",
        "It counts as left out. Delete the line, or write the value.",
        article("Text.\n", "slug:\n"),
    ),
    Rule(
        "KB117",
        "a Markdown file that does not end in `.md`",
        "kbsync reads files that end in `.md` only, in small letters. A file such as `intro.mdx`, `intro.markdown` or "
        "`intro.MD` is not published. Rename it, or move it to a folder named `assets` or `files` if it is a download.",
    ),
    Rule(
        "KB120",
        "a comment or key that should ignore a finding, and does not",
        "A code that no rule has ignores nothing, and a comment at the beginning of a line hides the rest of that "
        "line from readers. Write `<!-- kbsync-ignore KB301: why -->` behind the text, or on the line above.",
        article("Text. <!-- kbsync-ignore KB999 -->\n"),
    ),
)
