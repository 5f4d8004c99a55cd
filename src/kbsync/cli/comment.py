"""`kbsync comment`: show a plan or a push in the pull request."""

from __future__ import annotations

import os
from pathlib import Path

import click

from kbsync.app.asking.comment import Posted, place_of, post, read_file, token_of
from kbsync.cli.calling import with_options
from kbsync.cli.job_summary import write_summary
from kbsync.cli.screen import Options, say
from kbsync.errors import ExitCode
from kbsync.report.markdown import comment_markdown
from kbsync.service.forges import GitHub

DONE = {
    "created": "Posted the comment.",
    "updated": "Updated the comment.",
    "unchanged": "The comment is up to date.",
    "silent": "Everything is up to date: no comment is needed.",
}


@click.command("comment")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--repository", default="", metavar="NAME", help="OWNER/NAME, or the project on GitLab.  [default: the job's]"
)
@click.option("--number", type=click.IntRange(min=1), help="The pull or merge request.  [default: the job's]")
@click.option("--dry-run", is_flag=True, help="Print the comment instead of posting it.")
@with_options
def command(options: Options, /, *, file: Path, repository: str, number: int | None, dry_run: bool) -> int:
    """Post a plan or a push as a comment in the pull request, or update that comment.

    FILE is what `kbsync plan --format json` or `kbsync push --format json` printed, or a plan from `kbsync plan --out`.
    Works in pull request jobs of GitHub (GITHUB_TOKEN) and GitLab (KBSYNC_GITLAB_TOKEN).
    """
    report = read_file(file)
    if dry_run:
        click.echo(comment_markdown(report, budget=GitHub().most_bytes), nl=False)
        return ExitCode.DONE
    place = place_of(os.environ, repository=repository, number=number)
    write_summary(comment_markdown(report, budget=GitHub().most_bytes))
    _print(post(report, place, token_of(place.forge, os.environ)), options)
    return ExitCode.DONE


def _print(posted: Posted, options: Options) -> None:
    """A comment that could not be posted is a warning: what was planned or pushed does not depend on it."""
    if posted.what == "refused":
        say(f"kbsync: Warning: the comment was not posted. {posted.message}", err=True)
        say(f"  {posted.hint}", err=True)
    else:
        options.note(DONE[posted.what])
