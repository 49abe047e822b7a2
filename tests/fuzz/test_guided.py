"""What coverage-guided fuzzing begins with; it goes on from there by hand, with Atheris."""

import subprocess
import sys

import pytest

from tests.fuzz.guided import NEEDED, targets, watched

pytestmark = pytest.mark.filterwarnings("ignore::satisfice.errors.UnusedMetrics")


@pytest.mark.parametrize("name", targets())
def test_each_target_takes_its_examples(name):
    check, examples = targets()[name]
    assert len(examples) > 3
    for text in examples:
        watched(check)(text.encode("utf-8", errors="surrogateescape"))


def test_what_is_found_is_shown(capsys):
    with pytest.raises(ZeroDivisionError):
        watched(lambda text: 1 / 0)(b"a \xff")
    assert capsys.readouterr().err == "Found: 'a \\udcff'\n"


def test_without_atheris_a_sentence_says_what_to_install():
    code = "import sys; sys.modules['atheris'] = None; from tests.fuzz.guided import main; main()"
    run = subprocess.run([sys.executable, "-c", code, "results"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr.strip()) == (1, NEEDED)
