"""Texts that make a careless parser slow, each cut to the length that the portal allows an article."""

import random

MOST_CHARS = 20_000
"""Source: docs/service.md, S4; the portal takes no longer body."""

_UNITS = {
    "brackets": "[",
    "closed brackets": "[]",
    "brackets and parentheses": "[](",
    "links in links": "[a](b",
    "images": "![",
    "images in images": "![a](",
    "backticks": "`",
    "backticks apart": "` ",
    "stars": "*",
    "stars in words": "*a",
    "stars and underscores": "*_ ",
    "mixed emphasis": "a**b*c_",
    "long emphasis": "**a *b ",
    "quotes": ">",
    "quotes apart": "> ",
    "lists": "- ",
    "ordered lists": "1. ",
    "lists in quotes": "> - ",
    "comments": "<!--",
    "declarations": "<!X",
    "data": "<![CDATA[",
    "instructions": "<?",
    "tags": "<a ",
    "attributes": "<a b=' ",
    "autolinks": "<https:",
    "e-mails": "<a@b.",
    "entities": "&amp",
    "numbered entities": "&#1",
    "backslashes": "\\",
    "carets": "^a",
    "lone carets": "a^ ",
    "lines of pipes": "|\n",
    "rows": "|a\n|-\n",
    "hashes": "# ",
    "definitions": "[a]: b\n",
    "definitions begun": "[a]: (",
    "definitions with titles begun": '[a]: b "\n',
    "blank lines": "\n",
    "tabs": "\t",
    "carriage returns": "\r",
    "no characters": "\0",
    "references": "[a][b] ",
    "fences": "```\n",
    "tildes": "~~~a\n~~~~\n",
    "quoted lines": "> a\n",
    "quotes one by one": ">\n",
    "items one by one": "- a\n",
    "empty items": "-\n",
    "lazy lines": "> a\nb\n",
    "words": "a ",
    "one word": "a",
    "videos": "https://youtu.be/a ",
    "dots": "https://a.b?c.mp",
}


def texts() -> dict[str, str]:
    """Every hostile text by name, each at the limit."""
    made = {name: unit * (MOST_CHARS // len(unit)) for name, unit in _UNITS.items()}
    half, third = MOST_CHARS // 2, MOST_CHARS // 3
    made |= {
        "brackets opened and closed": "[" * half + "]" * half,
        "stars opened and closed": "*a " * (third // 2) + "b* " * (third // 2),
        "brackets and one that closes": "[" * 60 + "a [b " * 3900 + "]",
        "open brackets between links": "[a [b](c) " * 1900 + "]",
        "open images and one that closes": "![a " * 4900 + "]",
        "a bracket with each link": "[" * 5000 + "a](b)" * 3000,
        "images opened and closed": "![a" * 2500 + "](b)" * 2500,
        "parentheses in a destination": "[a](" + "(" * half + ")" * half,
        "backticks of every length": "".join("e" + "`" * length for length in range(1, 200)),
        "a fence in a deep list": "- " * 90 + "```\n" + "a\n" * 9000,
        "a table of 1,000 columns": f"{'|a' * 1000}|\n{'|-' * 1000}|\n" + f"{'|b' * 1000}|\n" * 7,
        "a table of 3,300 columns": f"{'|a' * 3300}|\n{'|-' * 3300}|\n",
        "a table of 2,000 rows": "|a|b|\n|-|-|\n" + "|c|d|\n" * 3000,
        "a short row for each of many columns": f"{'|a' * 2000}|\n{'|-' * 2000}|\n" + "|\n" * 5000,
        "a nested list": "\n".join("  " * depth + "- a" for depth in range(200)),
        "a nested ordered list": "\n".join("  " * depth + "1. a" for depth in range(200)),
        "a deep quote of lines": (">" * 100 + "a\n") * 190,
        "a deep quote of lazy lines": ">" * 90 + "a\n" * 9900,
        "a deep list of lazy lines": "- " * 90 + "a\nb\n" * 4900,
        "references to nothing": "[a] " * 4000 + "\n\n[b]: c",
        "many definitions and references": "".join(f"[a{n}]: b\n" for n in range(900)) + "\n"
        + "".join(f"[a{n}]" for n in range(900)),
        "an indented long line": " " * 19_000 + "a",
        "blanks inside a line": "a" + " " * 19_000 + "b",
        "blanks before each line end": ("a" + " " * 98 + "\n") * 200,
        "hashes that close": "# a" + " #" * 9900,
        "dashes that underline": "a\n" * 5000 + "-" * 10_000,
        "a heading of stars": "# " + "*a_" * 6000,
        "quotes in a title": '[a](b "' + '\\"' * 9000,
        "an open title": "[a](b '" + "c\n" * 9000,
        "label of escapes": "[" + "\\]" * 9000 + "]: b",
        "html that never ends": "<div>\n" + "a\n" * 9000,
        "a lone tag for each line": "a\n<b>\n" * 3000,
    }  # fmt: skip
    made |= {f"random marks {seed}": _random(seed) for seed in range(30)}
    return {name: text[:MOST_CHARS] for name, text in made.items()}


def _random(seed: int) -> str:
    """Few marks, very often: whatever the combination is that a parser trips over."""
    draw = random.Random(seed)
    marks = draw.sample(["[", "]", "(", ")", "*", "_", "`", "``", "<", ">", "!", "![", "](a)", "\n", " ", "a", "|", "-",
                         "\\", "&", "\n\n", "- ", "> ", "\t", "^", '"', "'", "[a]:", "<!--", "~~~"], 4)  # fmt: skip
    return "".join(draw.choices(marks, k=MOST_CHARS))[:MOST_CHARS]
