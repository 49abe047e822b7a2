"""How many evaluations a study has, by what became of them."""

from typing import NamedTuple


class Counts(NamedTuple):
    """How many evaluations were asked for and what became of them.

    `told` are recorded results, worst results of failed evaluations included; `folded` of them are in the evidence,
    `held` wait for one that was asked earlier, and `late` were not needed for the verdict. `failed` counts failures,
    `reissued` pulls that were given out again, `lost` those whose worker was lost, and `released` those that were given
    back without results before the verdict.
    """

    asked: int
    told: int
    folded: int
    held: int
    late: int
    failed: int
    reissued: int
    outstanding: int
    lost: int = 0
    released: int = 0
