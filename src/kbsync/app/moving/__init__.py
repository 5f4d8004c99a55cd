"""How files get other names, and how new ones are made.

move.plan_move         what follows a new name: links, images, keys, translations (`content/relocation.py`)
move_writing           all files in one transaction (`app/file_transaction.py`); git learns of it
new                    articles, categories and translations
"""
