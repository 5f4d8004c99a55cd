"""How edits of the panel come into the files, and how somebody decides about them.

pull.pull
  make_plan            as a push would (`app/planning`)
  pull_scope           what this pull is about, and what would be lost
  pull_making          each file's new text: `pulled_edits` of one that is there, `pulled_bodies` of one that is not
  pulled_images        images that the panel uploaded
  Transaction          all files at once, or none (`app/file_transaction.py`)
  pull_record          what this clone pulled, for the next plan's hints (`app/pull_record.py`)
resolve                item by item: your file, the portal, or both merged (`take.py`)
"""
