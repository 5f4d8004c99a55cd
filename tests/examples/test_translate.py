"""The example of a program that translates, against a chat service on loopback."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from .jobs import ROOT

PROGRAM = ROOT / "examples/python/translate.py"
GIVEN = {
    "source_locale": "en",
    "target_locale": "fr",
    "original": "---\ntitle: Fees\n---\nText.\n",
    "diff": "-Text.\n",
    "translation": "---\ntitle: Frais\n---\nTexte.\n",
    "glossary": [{"term": "fee", "translations": ["frais"], "note": ""}],
}


def test_the_example_asks_for_a_translation_and_prints_it():
    asked: list[dict] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            answer = json.dumps({"choices": [{"message": {"content": "the file"}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/"
        done = subprocess.run(
            [sys.executable, str(PROGRAM)],
            input=json.dumps(GIVEN),
            env=os.environ | {"TRANSLATE_URL": address, "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=True,
        )
        thread.join()
    assert done.stdout == "the file\n"
    system, user = (message["content"] for message in asked[0]["messages"])
    assert user == GIVEN["translation"]
    assert "from en to fr" in system and '"frais"' in system and "-Text." in system and GIVEN["original"] in system
