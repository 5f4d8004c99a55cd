"""What people ask before and after a push; nothing here changes anything.

status, diff, why      a plan, counted, taken apart, or explained (`app/planning/comparison.py`); the runs of an article
check                  token, account, portal, locales, one by one
verify, address        what readers see, and where
redirects              addresses that no longer work
comment                a plan or a push in a pull request
api                    one request, worded by a person
file_plans, portal_diff   what the preview shows beside an article
"""
