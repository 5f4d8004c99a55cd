"""Long texts of few signs; `python bench/fuzz.py --kind long` is the long run, with a clock."""

import subprocess
import sys

import pytest
import quadratic
from adversarial import WAYS, made, unstable

from rings import some

pytestmark = pytest.mark.slow


def test_no_text_that_took_the_square_of_its_length_takes_more_than_a_bounded_time_of_the_cpu():
    done = subprocess.run([sys.executable, quadratic.__file__], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout.split("\n")[-2]) == (0, "", "all")


@pytest.mark.parametrize("first", some(range(0, 400, 50)))
def test_texts_of_few_signs_raise_nothing_and_are_fixed_at_once(first: int):
    wrong = []
    for number in range(first, first + 50):
        text = made(number, most=4_000)
        for way in WAYS.values():
            way(text)
        wrong += [(number, words) for words in unstable(text)]
    assert wrong == []
