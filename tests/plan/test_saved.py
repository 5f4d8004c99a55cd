"""A compiled tree is named by all that it says, however much of it is encoded at once."""

from __future__ import annotations

from hashlib import blake2b

import msgspec
import pytest

from kbsync.plan.saved import AT_ONCE, tree_digest

from .items import TARGET, an_article


@pytest.mark.parametrize("articles", [0, 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 7])
def test_the_name_of_a_tree_is_that_of_its_json(articles):
    tree = [an_article(slug=f"s-{number}", path=f"en/{number:05}.md").desired() for number in range(articles)]
    whole = msgspec.json.encode((TARGET, tree), order="deterministic")
    assert tree_digest(TARGET, reversed(tree)) == blake2b(whole, digest_size=16).hexdigest()
