"""A program for `kbsync translate --with`: JSON in, Markdown out. It asks a chat service for the translation.

export TRANSLATE_URL=https://llm.example.com/v1/chat/completions TRANSLATE_KEY=... TRANSLATE_MODEL=...
kbsync translate --locale fr --with "python3 translate.py" --out handoff
"""

import json
import os
import sys
from urllib.request import Request, urlopen

TASK = """Translate this Markdown file from {source_locale} to {target_locale}. Answer with the whole file only.
Keep the keys between the two lines of three hyphens; translate only title, description, meta_title and
meta_description there. Keep links, images, code, placeholders, tables and the levels of headings as they are."""


def main() -> None:
    """Translate one article."""
    given = json.load(sys.stdin)
    parts = [
        TASK.format(**given),
        *(f"Use these words: {json.dumps(given['glossary'])}" for _ in given["glossary"][:1]),
    ]
    if given["diff"]:
        parts.append(
            f"The translation exists. Change only what follows from this diff of the original:\n{given['diff']}"
        )
        parts.append(f"The original:\n{given['original']}")
    messages = [{"role": "system", "content": "\n\n".join(parts)}, {"role": "user", "content": given["translation"]}]
    body = json.dumps({"model": os.environ.get("TRANSLATE_MODEL", ""), "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('TRANSLATE_KEY', '')}"}
    with urlopen(Request(os.environ["TRANSLATE_URL"], body, headers), timeout=240) as answer:
        print(json.load(answer)["choices"][0]["message"]["content"])


if __name__ == "__main__":
    main()
