"""Explanations: what is said where a decision was made before there is an interval."""

import numpy as np

import satisfice as sf
from satisfice.cli.session import notes


def test_one_side_may_be_certain_before_there_is_an_interval():
    """A limit has one side: 36 results are enough for it, where an interval takes 42."""
    rng = np.random.default_rng(1)
    with sf.create_study(["one"], ["x <= 10"], error_rate=0.05) as study:
        while (pull := study.ask()) is not None:
            study.tell(pull, {"x": float(rng.normal(0.0, 0.1))})
            if study.view().outcome is sf.Outcome.UNDECIDED:
                assert study.view().explain("one").text.endswith("no interval yet)")
        said = study.view().explain("one")
    assert said.text.startswith(f"accepted after {said.status.pulls} evaluations: every metric passes")
    assert said.status.pulls == 36
    assert said.text.endswith("an interval, which has two sides, takes more)")


def test_a_skewness_that_is_waited_for_is_said_once():
    rng = np.random.default_rng(2)
    with sf.create_study(["one"], ["x <= 1.05"], error_rate=1e-6) as study:
        for _ in range(150):
            study.tell(study.ask(), {"x": float(rng.exponential() ** 2 / 2)})
        view = study.view()
        assert [one for one in view.checks if one.kind == "skew"]  # --json has both
        assert sum("is skewed" in sentence for sentence in [*notes(view), str(view.verdict)]) == 1
