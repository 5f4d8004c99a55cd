"""Every pattern of the package, wherever a module keeps it, and texts that would show a pattern without end."""

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import msgspec

import kbsync
from kbsync.patterns import Pattern as CompiledLate

Pattern = re.Pattern[str] | re.Pattern[bytes]

CALLS = {"compile", "match", "search", "fullmatch", "split", "findall", "finditer", "sub", "subn"}


def all_patterns() -> dict[Pattern, str]:
    """Each pattern, with the module that has it."""
    found: dict[Pattern, str] = {}
    for info in pkgutil.walk_packages(kbsync.__path__, "kbsync."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            for pattern in _within(value, depth=6):
                found.setdefault(pattern, info.name)
        for pattern in _written(Path(str(module.__file__))):
            found.setdefault(pattern, info.name)
    return found


def _within(value: object, depth: int) -> Iterator[Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, CompiledLate):
        yield value.compiled
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _within(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in (*value, *value.values()):
            yield from _within(item, depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from _within(getattr(value, item.name, None), depth - 1)
    elif depth and isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _within(getattr(value, name, None), depth - 1)


def _written(path: Path) -> Iterator[Pattern]:
    """Patterns that are written where they are used: `re.sub(r"...", ...)`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if of_re and node.args and isinstance(node.args[0], ast.Constant):
                yield re.compile(node.args[0].value)


def pieces_of(pattern: Pattern) -> list[str]:
    """Texts worth repeating: runs of what the pattern itself has in it, and what markup is made of."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    plain = re.sub(r"\\[A-Za-z]|[\[\](){}?*+|^$\\]", " ", text)
    words = [word for word in plain.split() if len(word) < 20]
    return list(dict.fromkeys([*words[:12], "a", " ", "\n", "-", "|", '"', "'", "<", "<!---->", "a=b ", "\\", "a-"]))


def main() -> None:
    """Run each pattern on each piece, repeated, with an end that does not fit; said before, so that a hang has a name."""
    for pattern, module in all_patterns().items():
        sys.stdout.write(f"{module}: {pattern.pattern!r}\n")
        sys.stdout.flush()
        for piece in pieces_of(pattern):
            for times in (30, 120):
                for begin in ("", *pieces_of(pattern)[:4]):
                    text = begin + piece * times + "\0\uffff"
                    said = text if isinstance(pattern.pattern, str) else text.encode()
                    pattern.match(said)  # type: ignore[arg-type]
                    pattern.search(said)  # type: ignore[arg-type]
                    pattern.fullmatch(said)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
