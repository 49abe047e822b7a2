"""Help: whole, grouped, with an example, and as wide as a terminal."""

import pytest
import typer.main
from typer.testing import CliRunner

from satisfice.cli.app import app
from satisfice.cli.help import EXAMPLES, _words

PROGRAM = typer.main.get_command(app)
NAMES = list(PROGRAM.commands)


def helped(*words):
    done = CliRunner().invoke(app, [*words], prog_name="satisfice", terminal_width=80, env={"COLUMNS": "80"})
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_an_example_that_its_options_take(name):
    assert name in EXAMPLES, "give it an example in satisfice.cli.help"
    for line in EXAMPLES[name]:
        words = [word.strip("'") for piece in _words(line) for word in (piece.split(" ", 1))]
        assert words[:2] == ["satisfice", name]
        command = PROGRAM.commands[name]
        with command.make_context(name, words[2:], resilient_parsing=False):
            pass


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_and_is_not_cut(name):
    text = helped(name, "-h")
    assert text == helped(name, "--help")
    assert max(map(len, text.splitlines())) <= 80
    for line in text.splitlines():  # what is cut ends so
        assert not line.endswith("...")
    assert EXAMPLES[name][0].split(" ")[1] in text.split("Example")[1]


def test_the_list_of_commands_has_whole_sentences():
    text = helped("-h")
    assert "..." not in text.replace("[ARGS]...", "")
    for name in NAMES:
        assert f"\n  {name} " in text


def test_options_of_a_run_are_grouped():
    text = helped("run", "-h")
    headings = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        *("Arguments:", "What is asked:", "How the program is run:", "How much of it:", "What failures mean:"),
        *("For those who know the method:", "Where it is kept:", "What is shown:", "Other options:", "Examples:"),
    ]
