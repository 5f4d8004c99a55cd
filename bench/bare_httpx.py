"""The creates of a push without kbsync: one `httpx.Client`, a pool of threads, ready-made bodies. For `creates.py`.

python bench/bare_httpx.py COMPILED AT_ONCE      (the portal comes from the environment, as for kbsync)
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import msgspec


def main() -> None:
    compiled, at_once = Path(sys.argv[1]), int(sys.argv[2])
    articles = [given for given in msgspec.msgpack.decode(compiled.read_bytes()) if given["kind"] == "article"]
    base_url = os.environ["KBSYNC_SERVICE__BASE_URL"]
    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    with (
        httpx.Client(base_url=base_url, limits=limits, headers={"api_access_token": "any-token"}) as client,
        ThreadPoolExecutor(at_once) as pool,
    ):

        def create(given: dict[str, object]) -> object:
            answer = client.post("/api/v1/accounts/1/portals/handbook/articles", json=given)
            answer.raise_for_status()
            return answer.json()["payload"]["id"]

        for _ in pool.map(create, articles):
            pass


main()
