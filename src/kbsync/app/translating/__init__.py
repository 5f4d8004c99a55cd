"""How translations are kept up to date.

translate.find_owed    stale and missing ones (`app/translation_state.py`)
hand_off               a folder for translators; `filter_program` runs a program instead
take_back              the folder again; nothing of it is believed, nothing that changed is overwritten
translated             which version of the original a translation renders
"""
