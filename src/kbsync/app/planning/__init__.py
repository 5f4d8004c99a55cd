"""How a plan comes about: what a push would do. Every journey may ask for one.

cached.plan            nothing moved since the last plan, which had nothing to do: that plan (`plan_cache.py`)
  read_sound           the files, read, checked and compiled (`app/reading.py`)
  read_ledger          what both sides agreed on (`app/sides.py`)
  plan.make_plan
    observe            what the portal holds now, by its newest rows (`app/sides.py`)
    settle_pending     what became of requests whose answer was lost (`plan/recover.py`)
    deciding.decide    build the plan, ask what is open, until nothing is
offline                the same against the record alone
saved_plans            a plan in a file, planned again before it is carried out
comparison             a plan with all that it was made from, for `app/asking`
"""
