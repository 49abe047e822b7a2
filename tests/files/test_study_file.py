"""Study files: what they say, and the sentences about what they cannot mean."""

import pytest

from satisfice.errors import InvalidInstance, SatisficeError, UnknownName
from satisfice.files.study_file import load_study_file

GRID = """
thresholds = ["latency_ms <= 100", "loss <= 0.01 : bernoulli"]
error_rate = 0.01
goal = "all"
jobs = 8

[grid]
codec = ["opus", "aac", "lc3"]
txpower = [4, 8]

[plan]
budget = 2000
"""
CONFIGS = """
thresholds = ["loss <= 0.01 : bernoulli"]
[configs.small]
size = 1
[configs.large]
"""


@pytest.fixture
def said(tmp_path):
    def load(content, **options):
        (tmp_path / "radio.toml").write_text(content)
        return load_study_file(tmp_path / "radio.toml", **options)

    return load


def test_a_grid_has_all_combinations(said):
    study = said(GRID, also=("jobs",))
    assert study.grid == {"codec": ["opus", "aac", "lc3"], "txpower": [4, 8]}
    assert (study.name, study.error_rate, study.goal) == ("radio", 0.01, "all")
    assert study.thresholds == ("latency_ms <= 100", "loss <= 0.01 : bernoulli")
    assert study.plan == {"budget": 2000}
    assert study.others == {"jobs": 8}


def test_configurations_by_name(said):
    study = said(CONFIGS)
    assert study.configs == {"small": {"size": 1}, "large": {}}
    assert (study.error_rate, study.goal, study.plan, study.others) == (0.05, "any", {}, {})


@pytest.mark.parametrize(
    ("old", "new", "kind", "says"),
    [
        ("jobs = 8", "", None, None),
        ("jobs = 8", "jbos = 8", UnknownName, "Did you mean 'jobs'?"),
        ("goal", "gaol", UnknownName, "Did you mean 'goal'?"),
        ("[4, 8]", "4", InvalidInstance, "expected a list of values for 'txpower', got 4"),
        ("[4, 8]", "[]", InvalidInstance, "with one value at least"),
        ("[grid]", "[grit]", UnknownName, "Did you mean 'grid'?"),
        ("thresholds =", "name =", InvalidInstance, "'thresholds' is missing"),
        ('["latency_ms <= 100", "loss <= 0.01 : bernoulli"]', '"a >= 1"', InvalidInstance, "as a list of strings"),
        ("[plan]", "[configs.one]", InvalidInstance, "either [grid] or [configs.NAME], got both"),
        ('codec = ["opus", "aac", "lc3"]\ntxpower = [4, 8]\n', "", InvalidInstance, "got neither"),
        ("[plan]\nbudget = 2000", "[[plan]]\nbudget = 2000", InvalidInstance, "Expected [plan] to be a table"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(old, new, kind, says, said):
    assert old in GRID
    if kind is None:
        assert len(said(GRID.replace(old, new)).grid) == 2
        return
    with pytest.raises(kind) as error:
        said(GRID.replace(old, new), also=("jobs",))
    assert says in str(error.value)
    assert "radio.toml: " in str(error.value)


def test_a_configuration_is_a_table(said):
    with pytest.raises(SatisficeError, match=r"Expected \[small\] to be a table"):
        said('thresholds = ["a >= 1"]\n[configs]\nsmall = 1\n')


def test_no_file(tmp_path):
    with pytest.raises(InvalidInstance, match="There is no study file"):
        load_study_file(tmp_path / "nowhere.toml")


def test_a_file_that_never_ends():
    """It was read until there was no memory left."""
    with pytest.raises(InvalidInstance, match="/dev/zero cannot be read: it has more than 67 MB"):
        load_study_file("/dev/zero")
