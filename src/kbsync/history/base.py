"""What git history knows of the content tree: what files were before, and which values of the portal were ours.

A revision that compiles to what the portal holds proves that the value was not touched since, if the portal says that
the article was not touched after the next revision was committed. It proves nothing else: history turns what is held
into a change to send and never the other way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import closing

from msgspec import structs

from kbsync.content.compile import Compiler
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import COMPLAINTS, ENDED, GitFailed
from kbsync.history.past import Past
from kbsync.history.repository import Repository
from kbsync.history.search import Search
from kbsync.memory import Memory
from kbsync.plan.known import GitWord
from kbsync.plan.questions import Questions

SHALLOW = (
    "This clone is shallow. Fetch the whole history: `fetch-depth: 0` in GitHub Actions, `GIT_DEPTH: 0` in GitLab, "
    "`git fetch --unshallow` elsewhere."
)


def ask_git(
    compiler: Compiler,
    questions: Questions,
    *,
    environ: Mapping[str, str] = os.environ,
    program: str = "git",
    memory: Memory | None = None,
    slow: Callable[[str], None] = lambda text: None,
) -> GitWord:
    """Ask git. Whatever is wrong with the repository, it only says less.

    Args:
        compiler: of the tree as it is now.
        questions: what neither ledger nor portal answers.
        environ: what git may need of the environment; what leads it elsewhere is left out.
        program: the git to run.
        memory: keeps what was found; None: nothing is kept.
        slow: called where git takes long.
    """
    search, word = None, ""
    try:
        repository = Repository(compiler.tree.root, environ, program=program, slow=slow)
        word = SHALLOW if repository.is_shallow else ""
        with closing(Blobs(repository)) as blobs:
            past = Past(repository, compiler.site, memory)
            search = Search(compiler, past, blobs, questions)
            search.run()
            past.save()
    except GitFailed as exc:
        word = word or str(exc)
    found = search.word() if search else GitWord()
    return structs.replace(found, word=word, is_cut=word == SHALLOW, gave_up=word == COMPLAINTS[ENDED])
