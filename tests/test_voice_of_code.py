"""What the code says on screen is plain English: the words that stop a reader are not in it."""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "kbsync"

WORDS = {
    "mend": r"mend(?:s|ed|ing)?",
    "picture": r"pictures?",
    "blank": r"blanks?",
    "stands": r"stands?",
    "finding": r"findings?",
    "content tree": r"content tree",
    "drift": r"drift(?:s|ed)?",
    "conflict": r"conflicts?",
    "adopt": r"adopt(?:s|ed|ion)?",
    "held": r"held",
    "managed": r"(?:un)?managed",
    "steps aside": r"step(?:s|ped)? aside",
    "is none": r"is none",
    "is no": r"(?<!there )is no(?! longer)",
    "nobody": r"nobody",
    "told": r"told",
    "said": r"said",
    "meant by": r"meant by",
    "surely": r"surely",
    "one face": r"one face",
    "the rest of riddles": r"of \S+ the rest",
    "who does not": r"who does not",
}
"""By the word of the list, what is looked for."""

FORBIDDEN = re.compile("|".join(rf"(?P<w{n}>\b(?:{pattern})\b)" for n, pattern in enumerate(WORDS.values())), re.I)

ALLOWED = {"{} can't be blank", "Author can't be blank", "Title can't be blank", "Content can't be blank"}
"""Answers of the real service, which the sandbox repeats letter by letter."""

A_SENTENCE = re.compile(r"[A-Za-z']+[,:;.]? +[`A-Za-z{]")
"""Two words with a space between them."""

NO_PROSE = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE|ALTER|PRAGMA|WHERE)\b|<iframe")
"""SQL, and the HTML of players."""


BUILT_IN = {"OSError", "ValueError", "AttributeError", "AssertionError", "TypeError", "KeyError", "RuntimeError"}
"""Errors of Python: their words are part of a message of ours, or nobody reads them."""


@cache
def modules() -> list[tuple[Path, list[ast.AST]]]:
    """The modules that are searched, with everything in them; `tags.py` lists names of HTML elements."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "lint" / "tags.py"]
    return [(path, [*ast.walk(ast.parse(path.read_text("utf-8")))]) for path in paths]


def texts(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Every string that is not a docstring, an f-string as one, with `{}` for what it puts in."""
    docstrings = {
        id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, written(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | parts:
            yield node.lineno, node.value


def written(node: ast.expr) -> str:
    """A string as it is written, with `{}` for what is put in; "" for what is no string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def wrong_words(text: str) -> list[str]:
    """The words of the list that a text for people has."""
    if text in ALLOWED or not A_SENTENCE.search(text) or NO_PROSE.search(text):
        return []
    names = list(WORDS)
    return [names[int(str(found.lastgroup)[1:])] for found in FORBIDDEN.finditer(text)]


def test_no_text_of_the_code_has_a_word_that_stops_a_reader():
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {', '.join(words)}: {text}"
        for path, nodes in modules()
        for line, text in texts(nodes)
        if (words := wrong_words(text))
    ]
    assert found == []


def test_no_help_of_a_command_has_such_a_word():
    found = [
        f"{path.name}: {', '.join(words)}"
        for path, nodes in modules()
        if path.parent == SOURCE / "cli"
        for node in nodes
        if isinstance(node, ast.FunctionDef) and any("command" in ast.unparse(mark) for mark in node.decorator_list)
        if (words := wrong_words(ast.get_docstring(node) or ""))
    ]
    assert found == []


def test_no_page_of_the_preview_has_such_a_word():
    found = []
    for path in sorted((SOURCE / "site").rglob("*.html")):
        text = re.sub(r"\{[#%{].*?[#%}]\}|<[^>]*>", " ", path.read_text("utf-8"), flags=re.S)
        found += [f"{path.name}: {line.strip()}" for line in text.splitlines() if wrong_words(line)]
    for path in sorted((SOURCE / "site" / "assets").glob("*.js")):
        code = re.sub(r"^\s*(?://|/?\*).*$|\s// .*$", "", path.read_text("utf-8"), flags=re.M)
        found += [f"{path.name}: {text}" for text in re.findall(r"""["`][^"`\n]*["`]""", code) if wrong_words(text)]
    assert found == []


def hints(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """What is given as `hint`, or kept in a variable of that name."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from ((word.value.lineno, written(word.value)) for word in node.keywords if word.arg == "hint")
        elif isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["hint"]:
            yield node.lineno, written(node.value)


def test_a_hint_is_a_sentence():
    """A capital letter, a command or what is put in at its beginning; a full stop at its end, or what is put in."""
    found = [(path.name, line, text) for path, nodes in modules() for line, text in hints(nodes) if text.strip(" {}")]
    assert len(found) > 80
    assert [hint for hint in found if not re.fullmatch(r"(?:[A-Z{`]|kbsync\b|git\b).*(?:\.|\{\})", hint[2], re.S)] == []


def test_a_message_of_an_error_is_a_sentence():
    """Its end is a full stop, unless it ends with what is put in."""
    errors = re.compile(r"[A-Z]\w*(?:Error|Refused|Misbehaved|Throttled|NotFound|Rejected|Denied|Lost|Unreachable)")
    messages = [
        (path.name, node.lineno, text)
        for path, nodes in modules()
        if "sandbox" not in path.relative_to(SOURCE).parts
        for node in nodes
        if isinstance(node, ast.Call) and node.args and errors.fullmatch(getattr(node.func, "id", ""))
        if A_SENTENCE.search(text := written(node.args[0])) and getattr(node.func, "id", "") not in BUILT_IN
    ]
    assert len(messages) > 50
    assert [
        message for message in messages if not re.fullmatch(r"[A-Z{`\[-].*[.?}]|kbsync .*\.", message[2], re.S)
    ] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nobody is there to ask.", ["nobody"]),
        ("this is no address", ["is no"]),
        ("There is no ledger yet.", []),
        ("It is no longer trusted.", []),
        ("A picture was mended", ["picture", "mend"]),
        ("held", []),
        ("Fix the image.", []),
    ],
)
def test_what_is_looked_for(text, words):
    assert wrong_words(text) == words
