"""The rules for reading a file: what makes its bytes or its front matter wrong, whatever its text says.

They are declared together because `walk`, `parse`, `frontmatter`, `keys` and `ignores` share them, and because lint
lists all codes without loading what parses YAML.
"""

from __future__ import annotations

from msgspec.structs import replace

from kbsync.model import Rule

NOT_UTF8 = Rule("KB101", "File is not UTF-8", "error")
UNREADABLE = Rule("KB102", "File or folder cannot be read", "error")
EMPTY_FILE = Rule("KB103", "File is empty", "error")
NOT_YAML = Rule("KB104", "Front matter is not valid YAML", "error", fixable=True)
NOT_A_MAPPING = Rule("KB105", "Front matter is not a list of keys and values", "error")
DOUBLED_KEY = Rule("KB106", "Key is given twice", "error")

UNKNOWN_KEY = Rule("KB107", "Unknown key", "error", fixable=True, unnoticed=True)
WRONG_TYPE = Rule("KB108", "Value of the wrong type", "error", fixable=True)
UNKNOWN_STATUS = Rule("KB109", "Unknown status", "error", fixable=True)
NEVER_CLOSED = Rule("KB111", "Front matter is never closed", "error", fixable=True)
TOO_LARGE = Rule("KB112", "Front matter is too large", "error")
UNKNOWN_MANAGE = Rule("KB113", "Unknown value of `manage`", "error")
NUL = Rule("KB114", "NUL character", "error")
SYMBOLIC_LINK = Rule("KB115", "Symbolic link that kbsync does not follow", "error")
NO_VALUE = Rule("KB116", "Key without a value", unnoticed=True)
UNCLEAR_TIMING = Rule("KB118", "Date or release that is not clear", "error")
USELESS_IGNORE = Rule("KB120", "Comment or key that should ignore a code, and does not", unnoticed=True)
NOT_RECOGNIZED = Rule("KB121", "Front matter that is not read", "error", fixable=True)
CURLY_QUOTES = Rule("KB122", "Value in curly quotes", fixable=True)
CUT_OFF = Rule("KB124", "Text that YAML ends at a `#`", fixable=True)

RULES = tuple(value for value in vars().values() if isinstance(value, Rule))

FOREIGN_KEY = replace(UNKNOWN_KEY, level="warning")
"""The one code with two levels. What looks like a misspelled key of kbsync would lose the value that the writer wanted.
A key of another tool does not concern kbsync."""

HIDES_KEYS = frozenset(
    rule.code
    for rule in (NOT_UTF8, UNREADABLE, EMPTY_FILE, NOT_YAML, NOT_A_MAPPING, NEVER_CLOSED, TOO_LARGE, NOT_RECOGNIZED)
)
"""Codes of problems that leave the keys of a file unknown."""
