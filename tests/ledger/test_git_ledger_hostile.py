"""What the ledger in git does not believe: trees that kbsync did not write, settings of a repository, a planted file."""

import json
import os
import random
import shlex
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kbsync.errors import ConfigError, LedgerError
from kbsync.ledger import remote as remote_module
from kbsync.ledger.git_ledger import GitLedger, open_git_ledger, ref_of
from kbsync.ledger.remote import Author, RemoteRef
from kbsync.ledger.schema import VERSION
from repo import needs_git, own_environ

from .makers import ANA, PORTAL, TARGET, a_base, a_change, a_clone, a_program, found_first, git, git_ledger

pytestmark = needs_git

REF = ref_of(TARGET)
META = {"schema": "kbsync.ledger-ref/1", "tables": VERSION, "target": PORTAL}
ITEM = {
    "path": "en/a/x.md", "kind": "article", "locale": "en", "slug": "x", "remote_id": 7, "fields": {},
    "touched_s": 0,
}  # fmt: skip


@pytest.fixture
def sound(here) -> Iterator[GitLedger]:
    """A ledger with an item, a run and an image at the remote."""
    with closing(git_ledger(here)) as ledger:
        ledger.lock(PORTAL, ANA, now=5.0)
        ledger.record(PORTAL, [a_base()])
        run = ledger.begin_run(PORTAL, command="push", now=5.0, owner=ANA)
        ledger.offer(PORTAL, run, [(1, a_change(title=(None, "X"), content=("body:1", "body:2")))])
        yield ledger


def store(remote: Path, entries: list[tuple[str, str, str, bytes]]) -> str:
    """A tree of (mode, type, id, name), whatever the names are; its id."""
    listed = b"".join(f"{mode} {kind} {oid}\t".encode() + name + b"\0" for mode, kind, oid, name in sorted(entries))
    return run(remote, "mktree", "-z", "--missing", given=listed)


def run(remote: Path, *arguments: str, given: bytes = b"") -> str:
    environ = own_environ()
    done = subprocess.run(["git", *arguments], cwd=remote, env=environ, input=given, capture_output=True, check=True)
    return done.stdout.decode().strip()


def blob(remote: Path, content: bytes) -> str:
    return run(remote, "hash-object", "-w", "--stdin", given=content)


def put(remote: Path, tree: str) -> None:
    """Make this tree the ledger."""
    run(remote, "update-ref", REF, run(remote, "commit-tree", "-m", "hostile", tree))


def a_tree(remote: Path, files: dict[str, object], *more: tuple[str, str, str, bytes]) -> None:
    """A ledger of these files, each text or JSON, and of other entries."""
    folders: dict[str, list[tuple[str, str, str, bytes]]] = {"": list(more)}
    for name, content in ({"kbsync.json": META} | files).items():
        folder, _, rest = name.rpartition("/")
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        entry = ("100644", "blob", blob(remote, raw), rest.encode("utf-8", "surrogateescape"))
        folders.setdefault(folder, []).append(entry)
    for depth in (1, 0):
        for folder in [name for name in folders if name and name.count("/") == depth]:
            above, _, name = folder.rpartition("/")
            folders.setdefault(above, []).append(("040000", "tree", store(remote, folders[folder]), name.encode()))
    put(remote, store(remote, folders[""]))


def refused(here: Path) -> LedgerError:
    """It is not taken: the error, and nothing of it is here."""
    with pytest.raises(LedgerError) as caught:
        git_ledger(here)
    with closing(git_ledger(here, fetch=False)) as ledger:
        assert ledger.is_empty(PORTAL)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"kbsync.json": b"{"}, "damaged"),
        ({"kbsync.json": b"[]"}, "damaged"),
        ({"kbsync.json": META | {"schema": 7}}, "newer kbsync"),
        ({"kbsync.json": META | {"schema": "kbsync.ledger-ref/2"}}, "newer kbsync"),
        ({"kbsync.json": META | {"schema": "kbsync.git-ledger/1", "tables": 11}}, "first release"),
        ({"kbsync.json": META | {"tables": VERSION + 1}}, "newer kbsync"),
        ({"kbsync.json": META | {"tables": "x"}}, "damaged"),
        ({"kbsync.json": META | {"target": "https://b.example|1|other"}}, "another portal"),
        ({"kbsync.json": {}}, "damaged"),
        ({"items/en/a.jsonl": b"not json"}, "damaged"),
        ({"items/en/a.jsonl": b"\xff\xfe"}, "damaged"),
        ({"items/en/a.jsonl": [1]}, "damaged"),
        ({"items/en/a.jsonl": ITEM | {"slug": {"a": 1}}}, "damaged"),
        ({"items/en/a.jsonl": ITEM | {"kind": "user"}}, "damaged"),
        ({"items/en/a.jsonl": ITEM | {"touched_s": 2**80}}, "damaged"),
        ({"items/en/a.jsonl": ITEM | {"fields": "text"}}, "damaged"),
        ({"items/en/a.jsonl": ITEM | {"remote_id": None}}, "damaged"),
        ({"items/en/a.jsonl": ITEM, "items/en/b.jsonl": ITEM}, "damaged"),
        ({"items/en/\udcff.jsonl": b""}, "kbsync does not write"),
        ({"items/en/\xe9.jsonl": ITEM}, "kbsync does not write"),
        ({"items/en/a.jsonl": b'{"fields": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"}, "damaged"),
        ({"runs/000001.json": {"id": "one"}}, "damaged"),
        ({"runs/000001.json": {"id": 1, "command": "push", "started_at": -1}}, "damaged"),
        (
            {"runs/000001.json": {"id": 1, "command": "push", "started_at": 1, "source_commit": "HEAD\n--all"}},
            "damaged",
        ),
        ({"journal/x.jsonl": {"id": 1}}, "damaged"),
        ({"journal/000001.jsonl": {"id": 1, "change": {"fields": 7}}}, "damaged"),
        ({"images/aa.jsonl": {"key": "aa"}}, "damaged"),
        ({"lease.json": {"run": 1}}, "damaged"),
        ({"lease.json": {"run": "x", "user": "", "host": "", "pid": 1, "started_at": 0, "beat_at": 0}}, "damaged"),
        ({"notes.txt": b"hello"}, "damaged"),
        ({"items.bak/en/a.jsonl": b""}, "damaged"),
    ],
)
def test_a_tree_that_kbsync_did_not_write_is_refused_with_a_way_out_and_nothing_of_it_is_taken(
    remote, here, files, words
):
    a_tree(remote, files)
    assert words in refused(here).message


def test_lines_of_a_ledger_that_were_damaged_at_random_are_taken_or_refused_and_never_crash(sound, remote, tmp_path):
    names = [name for name in git(remote, "ls-tree", "-r", "--name-only", REF).splitlines() if name != "README"]
    good = {name: run(remote, "show", f"{REF}:{name}").encode() + b"\n" for name in names}
    rng = random.Random(20261122)
    taken = 0
    for number in range(60):
        name = rng.choice(names)
        raw = bytearray(good[name])
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(raw))
            other = rng.choice((b"", b"0", b"null", b"{", b'"', b"\xff", b"[]", b"-1e9"))
            raw[at : at + rng.choice((0, 1, 1, 9))] = other
        a_tree(remote, good | {name: bytes(raw)})
        clone = a_clone(remote, tmp_path / f"clone-{number}")
        try:
            with closing(git_ledger(clone)) as ledger:
                ledger.pending(PORTAL)
                taken += 1
        except LedgerError as exc:
            assert REF in exc.message, exc.message
    assert taken < 60


def test_names_that_leave_the_tree_or_speak_to_git_reach_neither_disk_nor_branches(remote, here, tmp_path):
    head = run(here, "commit-tree", "-m", "main", run(here, "mktree", given=b""))
    run(here, "update-ref", "refs/heads/main", head)
    evil = blob(remote, b"evil")
    names = [b"..", b".git", b"x\nreset HEAD\n\n", b"--output=x", b'"', b"\xff\xfe", b"bodies\nD kbsync.json"]
    for name in names:
        a_tree(remote, {}, ("100644", "blob", evil, name))
        refused(here)
    bodies = store(remote, [("100644", "blob", evil, name) for name in names if name not in {b"..", b".git"}])
    a_tree(remote, {}, ("040000", "tree", bodies, b"bodies"))
    with closing(git_ledger(here)) as ledger:
        ledger.record(PORTAL, [a_base()])
        ledger.send("Decisions")
    assert git(remote, "ls-tree", "-r", "--name-only", REF).splitlines() == [
        "README", "items/en/-.jsonl", "kbsync.json"]  # fmt: skip
    assert run(here, "rev-parse", "refs/heads/main") == head
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "remote.git"]
    assert sorted(path.name for path in here.iterdir()) == [".git", ".kbsync"]


@pytest.mark.parametrize(("mode", "kind"), [("120000", "blob"), ("160000", "commit")])
def test_links_and_submodules_are_no_files_of_a_ledger(remote, here, mode, kind):
    oid = blob(remote, b"/etc/passwd") if kind == "blob" else "1" * 40
    a_tree(remote, {}, (mode, kind, oid, b"README"))
    assert "`README` is not a file" in refused(here).message


def test_a_blob_that_is_missing_is_named(sound, here, remote):
    oid = git(here, "rev-parse", f"{REF}:kbsync.json")
    (here / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(LedgerError, match=f"its object {oid} is missing"):
        open_git_ledger(RemoteRef(here, "origin", REF), TARGET, here / "new", fetch=True)


def test_a_tree_of_trees_with_more_files_than_there_is_room_for_is_not_listed_to_the_end(remote, here):
    tree = store(remote, [("100644", "blob", blob(remote, b""), f"f{n}".encode()) for n in range(10)])
    for _ in range(8):
        tree = store(remote, [("040000", "tree", tree, f"d{n}".encode()) for n in range(10)])
    a_tree(remote, {}, ("040000", "tree", tree, b"items"))
    assert "more than 50,000 files" in refused(here).message


def test_one_large_file_that_is_named_often_counts_as_often(remote, here):
    large = blob(remote, b" " * 1_000_000)
    many = store(remote, [("100644", "blob", large, f"{n}.jsonl".encode()) for n in range(400)])
    a_tree(remote, {}, ("040000", "tree", store(remote, [("040000", "tree", many, b"en")]), b"items"))
    assert "larger than 300 MB" in refused(here).message


def test_a_path_is_one_word_of_fast_import_whatever_is_in_it(here, remote):
    ref = RemoteRef(here, "origin", REF)
    names = ["items/a b", 'items/"q"', "items/new\nline", "items/\udcff", "items/\\back"]
    commit = ref.commit("", dict.fromkeys(names, b"x"), "m", Author("a", "a@b"))
    assert set(ref.files_of(commit)) == set(names)
    without = ref.commit(commit, dict.fromkeys(names[1:], None), "m", Author("a", "a@b"))
    assert ref.files_of(without).keys() == {names[0]}


# --- the repository's own settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    [
        "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand", "credential.helper",
        "credential.https://a.example.helper", "remote.origin.uploadpack", "remote.origin.receivepack",
        "remote.origin.vcs", "remote.origin.proxy", "protocol.ext.allow", "url.ext::sh.insteadOf",
        "url.https://evil.example/.pushInsteadOf", "http.proxy", "http.https://a.example.proxy",
        "http.curloptResolve", "http.sslVerify", "http.cookieFile", "fetch.bundleURI",
    ],
)  # fmt: skip
def test_a_setting_of_the_repository_that_runs_programs_or_leads_elsewhere_is_refused(here, tmp_path, key):
    touched = tmp_path / "touched"
    included = here / "more.config"
    git(here, "config", "--file", str(included), key, f"touch {shlex.quote(str(touched))}; false")
    git(here, "config", "include.path", str(included))
    with pytest.raises(ConfigError, match="own git configuration sets") as refused:
        RemoteRef(here, "origin", REF)
    assert not touched.exists()
    assert refused.value.hint is not None
    unset = refused.value.hint.rsplit("`", 2)[1]
    subprocess.run(shlex.split(unset), cwd=here, check=True)
    RemoteRef(here, "origin", REF)


SSH = '"/usr/bin/ssh" -i "$RUNNER_TEMP/0a-1b" -o StrictHostKeyChecking=yes -o CheckHostIP=no'
OF_CHECKOUT = [
    ("transfer.bundleURI", "true"),
    ("http.https://github.com/.extraheader", "AUTHORIZATION: basic x"),
    ("http.https://gitlab.example.com.sslCAInfo", "/ca.pem"),
    ("http.https://gitlab.example.com.sslCert", "/cert.pem"),
    ("http.https://gitlab.example.com.sslKey", "/key.pem"),
    ("http.http://bitbucket.org/acme/docs.proxy", "http://localhost:29418/"),
    ("safe.directory", "*"),
    ("credential.interactive", "never"),
    ("core.sshCommand", f'{SSH} -o "UserKnownHostsFile=$RUNNER_TEMP/0a-1b_known_hosts"'),
    ("url.https://github.com/.insteadOf", "git@github.com:"),
    ("url.https://github.com/.insteadOf", "org-1@github.com:"),
    ("url.https://gitlab-ci-token:x@git.example.com:8443.insteadOf", "https://git.example.com:8443"),
    ("url.https://gitlab-ci-token:x@git.example.com/.insteadOf", "ssh://git@git.example.com/"),
    (
        "credential.https://git.example.com.helper",
        '!f(){ if [ "$1" = "get" ] ; then echo "password=${CI_JOB_TOKEN}" ; fi ; } ; f',
    ),
]
"""Sources: actions/checkout, src/git-auth-helper.ts; GitLab Runner, shells/abstract.go."""


def test_what_ci_services_put_into_the_configuration_of_a_clone_is_fine(here):
    for key, value in OF_CHECKOUT:
        git(here, "config", "--add", key, value)
    RemoteRef(here, "origin", REF, os.environ | {"CI": "true"})


OUTSIDE = [pair for pair in OF_CHECKOUT if pair[0].startswith(("core", "url")) or pair[0].endswith("proxy")]
IN_CI = {"CI": "true", "GITHUB_ACTIONS": "true"}


@pytest.mark.parametrize(
    ("environ", "key", "value"),
    [
        *[({}, *pair) for pair in [*OUTSIDE, OF_CHECKOUT[-1]]],
        (IN_CI, "core.sshCommand", "touch x"),
        (IN_CI, "core.sshCommand", f'{SSH} -o ProxyCommand=x -o "UserKnownHostsFile=$RUNNER_TEMP/0a"'),
        (IN_CI, "core.sshCommand", '"./ssh" -i "$RUNNER_TEMP/0a" -o "UserKnownHostsFile=$RUNNER_TEMP/0a"'),
        (IN_CI, "credential.https://git.example.com.helper", "!touch x"),
        (IN_CI, "url.https://github.com@evil.example/.insteadOf", "https://github.com/"),
        (IN_CI, "url.https://evil.example/.insteadOf", "git@github.com:"),
        (IN_CI, "url.ext::sh.insteadOf", "https://github.com/"),
        (IN_CI, "remote.origin.uploadpack", "touch x"),
        (IN_CI, "http.https://github.com.proxy", "http://localhost:29418/"),
        (IN_CI, "http.http://bitbucket.org/acme/docs.proxy", "http://evil.example:29418/"),
        (IN_CI, "http.http://bitbucket.org/acme/docs.proxy", "http://localhost:29418@evil.example/"),
    ],
)
def test_outside_of_ci_the_same_and_in_ci_what_no_checkout_writes_is_refused(here, environ, key, value):
    git(here, "config", key, value)
    with pytest.raises(ConfigError, match="own git configuration sets"):
        RemoteRef(here, "origin", REF, os.environ | environ)


def test_a_users_own_configuration_may_name_programs(here, tmp_path):
    own = tmp_path / "own.config"
    git(here, "config", "--file", str(own), "credential.helper", "store")
    RemoteRef(here, "origin", REF, os.environ | {"GIT_CONFIG_GLOBAL": str(own)})
    git(here, "config", "core.sshCommand", "ssh -i key")
    RemoteRef(here, "origin", REF, os.environ | {"GIT_SSH_COMMAND": "ssh -i mine"})


@pytest.mark.parametrize("address", ["evil.git", "./evil.git", "../evil.git", "~/evil.git"])
@pytest.mark.parametrize("key", ["url", "pushurl"])
def test_a_remote_beside_the_folder_could_run_its_hooks_and_is_refused(here, address, key):
    git(here, "config", f"remote.origin.{key}", address)
    with pytest.raises(ConfigError, match="a relative path"):
        RemoteRef(here, "origin", REF)


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "-x/y", "--all/x", "refs/kbsync/..", "refs/a:b", "refs/*/x", "", "HEAD"]
)
def test_what_is_no_name_of_a_ref_is_refused(here, ref):
    with pytest.raises(ConfigError, match="is not a valid name of a ref"):
        RemoteRef(here, "origin", ref)


def test_an_address_that_runs_a_program_is_not_used(here, tmp_path):
    touched = tmp_path / "touched"
    git(here, "remote", "set-url", "origin", f"ext::sh -c touch% {touched}")
    with pytest.raises(LedgerError):
        git_ledger(here)
    assert not touched.exists()


def test_hooks_of_the_repository_do_not_run_and_what_people_set_beside_them_is_no_reason_to_refuse_it(
    here, remote, tmp_path
):
    touched = tmp_path / "touched"
    for name in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc", "post-rewrite"):
        a_program(here / ".git/hooks" / name, f"echo {name} >> {shlex.quote(str(touched))}\nexit 1")
    git(here, "config", "core.hooksPath", str(here / ".git/hooks"))
    git(here, "config", "core.fsmonitor", f"touch {shlex.quote(str(touched))}")
    for key in ("remote.pushDefault", "remote.lfsDefault", "remote.origin.puttyKeyFile", "remote.origin.annex-ignore"):
        git(here, "config", key, "x")
    git(here, "config", "credential.validate", "true")
    git(here, "config", "fetch.unpackLimit", "1")
    git(here, "config", "core.notesRef", "refs/notes/x")
    with closing(git_ledger(here)) as ledger:
        ledger.record(PORTAL, [a_base()])
        ledger.send("Decisions")
    assert not touched.exists()
    assert git(remote, "rev-parse", REF)


def test_git_gets_no_secret_of_ours(here, tmp_path):
    heard = tmp_path / "heard"
    script = f'env >> {shlex.quote(str(heard))}\necho "$@" >> {shlex.quote(str(heard))}\nexit 1'
    program = a_program(tmp_path / "bin/git", script)
    with pytest.raises(ConfigError):
        RemoteRef(here, "origin", REF, found_first(program) | {"KBSYNC_TOKEN": "very-secret"})
    assert "very-secret" not in heard.read_text()


# --- the file of this machine ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {"commit_id": "HEAD"}, {"commit_id": "--help"}, {"pushing": "1\nreset refs/heads/main"},
        {"written": "'x'"}, {"told_s": "'x'"}, {"lease": "'nobody'"}, {"lost": "7"},
    ],
)  # fmt: skip
def test_a_planted_file_that_would_speak_to_git_is_refused(here, sound, values):
    path = sound.file.path
    with closing(sqlite3.connect(path)) as connection:
        for name, value in values.items():
            connection.execute(f"UPDATE origin SET {name} = ?", (value.strip("'"),))
        connection.commit()
    with pytest.raises(LedgerError, match="cannot be used"):
        git_ledger(here)


def test_limits_are_far_from_what_a_large_help_center_has():
    assert remote_module.MAX_FILES >= 50_000 and remote_module.MAX_BYTES >= 100_000_000
