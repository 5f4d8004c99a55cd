"""Print the lowest version that pyproject.toml allows of each runtime dependency, as a constraints file for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"

_LOWER = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?>=(?P<version>[0-9.]+)$")


def lowest(project: dict[str, Any]) -> list[str]:
    """`click==8.1.7` for `click>=8.1.7`: what users install, the extra for PostgreSQL included.

    Raises:
        SystemExit: a requirement has no lower bound, or something that this pattern does not read.
    """
    wanted = [*project["dependencies"], *project["optional-dependencies"]["postgres"]]
    lines = []
    for requirement in wanted:
        found = _LOWER.match(requirement)
        if found is None:
            sys.exit(f"pyproject.toml: `{requirement}` must have the form `name>=version`.")
        lines.append(f"{found['name']}=={found['version']}")
    return lines


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PYPROJECT.read_text("utf-8"))["project"])))
