"""How a plan is carried out.

cached.push            nothing moved: done, and the ledger is not touched
push.push
  read, held_lock      the files; the portal's one lock (`app/lease.py`)
  make_plan            under the lock (`app/planning`)
  is_as_seen           what readers see is looked at once more
  check_removals, check_committed
  carry_out            images first, then each request: into the journal, sent, recorded (`kbsync/push`)
join                   several runners, one run
undo                   the run's changes, reversed, except what was edited since
delete                 one article and its file
"""
