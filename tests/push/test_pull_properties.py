"""Properties of pull and push together: what went out comes back as it was, and what came in is nothing to send."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbsync import Project
from kbsync.app.pulling.pull_scope import PullOptions

CONFIG = '[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n[pace]\nrequests_per_minute = 60000\n'

WORDS = st.sampled_from(
    ["Refunds", "A *new* plan", "C: drive", "#1", "'quoted'", "né à Paris", "日本", "- dash", "1.0", "yes"]
)
PARTS = st.sampled_from(
    [
        "Some words.",
        "See [that](../x/xa.md#when) and `[this](b.md)`.",
        "## When\n\nNow.",
        "- one\n- two\n\n  still two",
        "```\n<a>  \n\tcode\n```",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "Line with two spaces  \nand a break.",
    ]
)
BODIES = st.lists(PARTS, min_size=1, max_size=4).map("\n\n".join)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "description": st.sampled_from(["short", '"quoted # text"', ">-\n  folded\n  text"]),
        "tags": st.sampled_from(["[a, b]", "\n  - a # first\n  - 'b'"]),
        "status": st.sampled_from(["draft"]),
        "position": st.sampled_from(["10", "20"]),
    },
)


@st.composite
def articles(draw: st.DrawFn, name: str, locale: str) -> str:
    """The text of a file: its keys in some order, with a comment, and LF or CRLF."""
    slug = {} if draw(st.booleans()) else {"slug": f"{name}-{locale}-{draw(st.integers(1, 3))}"}
    title = {"title": "'" + draw(WORDS).replace("'", "''") + "'"}
    keys = draw(st.permutations(list((title | slug | draw(KEYS)).items())))
    lines = "".join(f"{key}: {value}\n" for key, value in keys)
    text = f"---\n# kept\n{lines}---\n{draw(BODIES)}\n"
    return text if draw(st.booleans()) else text.replace("\n", "\r\n")


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """Two locales, up to two categories, and an article that others can link to."""
    files: dict[str, str] = {}
    for locale in ("en", "fr"):
        for folder in draw(st.sampled_from([("x",), ("x", "y")])):
            files[f"{locale}/{folder}/_category.md"] = f"---\nname: {draw(WORDS)!r}\n---\n"
            for name in ("a", *draw(st.sampled_from([(), ("b",)]))):
                files[f"{locale}/{folder}/{folder}{name}.md"] = draw(articles(f"{folder}{name}", locale))
    return files


def files_of(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees())
def test_pull_after_push_is_the_identity_and_push_after_pull_has_nothing_to_do(tree: dict[str, str]):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "content"
        (root.parent / "kbsync.toml").write_text(CONFIG)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
        written = files_of(root)
        project = Project.open(folder)
        pushed = project.push()
        assert {outcome.outcome for outcome in pushed.outcomes} == {"done"}
        assert project.pull(PullOptions()).files == () and files_of(root) == written
        shutil.rmtree(root)
        for file in (root.parent / ".kbsync").glob("ledger*"):
            file.unlink()
        assert len(project.pull(PullOptions()).files) == len(tree)
        written = files_of(root)
        plan = project.plan().plan
        assert (plan.sent, plan.held) == ((), ())
        assert project.pull(PullOptions()).files == () and files_of(root) == written
