"""A module that a library must not import is as good as not installed, for as long as that is imported."""

import sys

import pytest

from kbsync.imports import without


def test_within_the_block_the_module_cannot_be_imported_and_after_it_it_can():
    sys.modules.pop("colorsys", None)
    with without("colorsys"):
        with without("colorsys"), pytest.raises(ImportError):
            import colorsys
        with pytest.raises(ImportError):
            import colorsys
    import colorsys

    assert sys.modules["colorsys"] is colorsys


def test_what_is_loaded_already_stays():
    import colorsys

    with without("colorsys"):
        import colorsys as again
    assert again is colorsys
    assert sys.modules["colorsys"] is colorsys
