"""How files are checked and fixed. Asks no other machine.

lint_cache.lint        the findings of a tree that did not change are known
  read_content         read and checked (`app/reading.py`)
  dead_links           where the targets of dead links went, as git knows; `dead_anchors` the headings
lint.lint_selected     those of some files
fix.all_fixes          edits of rules, of front matter, of links; in memory until nothing is left, then written
baseline               what is known already is left out
"""
