"""A service of years to come: its answers have keys that nobody knows, lack or rename others, and say unknown words.

Whatever it answers, each command ends with words, and each file has at most one article.
"""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.conftest import SETUP, TOKEN, Project
from in_process import InProcess
from kbsync.sandbox import Behaviour, running
from rings import seeds

pytestmark = pytest.mark.slow

GAMES = 120
TREE = {
    "content/en/billing/_category.md": "---\nname: Billing\n---\n",
    "content/en/billing/refunds.md": "---\ntitle: Refund\nstatus: published\n---\nText.\n",
    "content/en/billing/invoices.md": "---\ntitle: Invoices\ntags: [a]\n---\nText.\n",
}
REFUNDS = "content/en/billing/refunds.md"
COMMANDS = [
    ["check"], ["plan"], ["plan", "--full", "--format", "json"], ["plan", "--diff", "--format", "markdown"], ["push"],
    ["push", "--full", "--publish"], ["push", "--stage"], ["status"], ["diff"], ["pull"], ["verify"], ["translate"],
    ["resolve", "--ours", REFUNDS], ["resolve", "--theirs"], ["why", REFUNDS], ["redirects"], ["undo", "--yes"],
    ["delete", "content/en/billing/invoices.md", "--yes"], ["api", "GET", "/portals"],
]  # fmt: skip
KEPT = {"id", "payload", "slug"}
NEW_KEYS = ["folder", "visibility", "seo", "draft", "z"]
NEW_VALUES = [None, True, 1, "x", [], {}, {"a": [1, {"b": 2}]}]
SHARES = {"new": 0.3, "words": 0.3, "lost": 0.03, "renamed": 0.03, "types": 0.02}


class Newer:
    """Changes answers, each kind of change as often as its share says."""

    def __init__(self, rng: random.Random) -> None:
        kinds = [*SHARES] if rng.random() < 0.2 else [rng.choice([*SHARES])]
        self.rng = rng
        self.shares = {kind: SHARES[kind] * rng.choice((0.3, 1, 3)) if kind in kinds else 0.0 for kind in SHARES}

    def happens(self, kind: str) -> bool:
        return self.rng.random() < self.shares[kind]

    def changed(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.changed(inner) for inner in value]
        if isinstance(value, dict):
            return self._object(value)
        if value is not None and self.happens("types"):
            return self.rng.choice([None, str(value), [value], {"value": value}, True, 0, ""])
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for key, inner in value.items():
            if key in KEPT or not self.happens("lost"):
                name = f"{key}_v2" if key not in KEPT and self.happens("renamed") else key
                found[name] = self.changed(inner)
        if self.happens("new"):
            found[self.rng.choice(NEW_KEYS)] = self.rng.choice(NEW_VALUES)
        for key, words in (("status", ["scheduled", "in_review", 3, 9, None]), ("layout", ["wiki", None, {}])):
            if key in found and self.happens("words"):
                found[key] = self.rng.choice(words)
        return found


def play(seed: int, folder: Path, patch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    newer = Newer(rng)

    class Answers(InProcess):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answer = super().handle_request(request)
            body, headers = answer.read(), [pair for pair in answer.headers.raw if pair[0].lower() != b"content-length"]
            if "json" in answer.headers.get("content-type", "") and body:
                body = json.dumps(newer.changed(json.loads(body))).encode()
            return httpx.Response(answer.status_code, headers=headers, stream=httpx.ByteStream(body))

    patch.setattr("httpx._client.HTTPTransport", Answers)
    version = rng.choice(("4.16.2", "4.18.0", "4.99.1"))
    with running(folder / "sandbox.db", SETUP, Behaviour(version=version)) as sandbox:
        project = Project(folder, {"KBSYNC_TOKEN": TOKEN, "XDG_DATA_HOME": str(folder / "data")})
        service = f'[service]\nbase_url = "{sandbox.base_url}"\n'
        project.config(f'{service}[content]\nlocales = ["en", "fr"]\n[pace]\nrequests_per_minute = 60000\n')
        for path, text in TREE.items():
            project.write(path, text)
        if rng.random() < 0.3:
            project.write("portal.toml", 'layout = "documentation"\n[social]\ngithub = "x"\n')
        for _ in range(6):
            if rng.random() < 0.4:
                project.write(REFUNDS, TREE[REFUNDS].replace("Text.", f"Text {rng.random()}."))
            command = rng.choice(COMMANDS)
            done = project.run(*command)
            assert done.code != 1 and "Traceback" not in done.err, (command, done)
        made = Counter((article.title or "").partition(" ")[0] for article in sandbox.panel.articles("handbook"))
        assert made["Refund"] <= 1 and made["Invoices"] <= 1, made


@pytest.mark.parametrize("part", range(4))
def test_whatever_a_newer_service_answers_commands_end_with_words_and_nothing_is_there_twice(
    part, tmp_path, monkeypatch
):
    for seed in seeds(GAMES)[part::4]:
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            play(seed, folder, monkeypatch)
        except BaseException as exc:
            exc.add_note(f"seed {seed}")
            raise
