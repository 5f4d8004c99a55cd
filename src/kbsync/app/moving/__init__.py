"""How files get other names, and how new ones are made.

move.plan_move         what follows a new name: links, images, keys, translations (`content/relocation.py`)
move_writing           a journal, then each file; an interrupted move is finished
new                    articles, categories and translations
"""
