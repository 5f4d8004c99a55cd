"""A job that publishes a help center every night and says what a person has to decide: `python nightly.py FOLDER`.

Everything that `kbsync` does on the command line is a method of `Project`. Nothing here prints unless you say where.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kbsync import PlanOptions, Project, Session


def publish(folder: Path) -> int:
    """Lint, plan and push one project; the exit code that `kbsync push` would have."""
    session = Session(config=folder / "kbsync.toml", note=lambda text: print(text, file=sys.stderr))
    project = Project.open(session=session)
    errors = [finding for finding in project.lint().findings if finding.level == "error"]
    if errors:
        print(f"{len(errors)} errors; the first is in {errors[0].path}, line {errors[0].line}: {errors[0].message}")
        return 3
    options = PlanOptions(publish=True)
    plan = project.plan(options).plan
    for held in plan.held:
        print(f"needs a decision: {held.path or held.slug}: {held.hint}")
    if not plan.sent:
        print("Nothing to push.")
        return 4 if plan.held else 0
    pushed = project.push(options, wait=True)
    done = sum(outcome.outcome == "done" for outcome in pushed.outcomes)
    print(f"{done} of {len(pushed.outcomes)} changes are on the portal.")
    return pushed.exit_code


if __name__ == "__main__":
    sys.exit(publish(Path(sys.argv[1])))
