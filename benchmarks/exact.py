"""What an exact metric costs beside knowing it beforehand: `python -m benchmarks.exact`, some minutes.

A thousand configurations, of which 900 miss an exact limit, and one noisy metric. A filter beforehand would leave a
hundred. What is compared are the evaluations of those hundred; each of the others takes one, once it is opened.
"""

import argparse

import numpy as np

from satisfice import Search, problem_of
from satisfice.arrays import Floats

LEFT, ALL = 100, 1000
GOOD = {"1 of 100 passes": 1, "5 of 100 pass": 5, "half pass": 50}
NOISES = (" : normal(1)", "")


def means(good: int) -> Floats:
    """Margins of half a standard deviation for those that pass, .1 to 1 the other way for the rest."""
    rng = np.random.default_rng(good)
    return np.concatenate([np.full(good, 0.5), -rng.uniform(0.1, 1.0, LEFT - good)])


def taken(noise: str, margins: Floats, count: int, seed: int) -> int:
    """Evaluations, but for those of configurations that miss the exact limit, which take one each."""
    limits = [f"x >= 0 ~ 0.1{noise}"] if count == LEFT else ["size <= 800 : exact", f"x >= 0 ~ 0.1{noise}"]
    search = Search(problem_of(limits), [str(place) for place in range(count)], seed=seed)
    rng, found = np.random.default_rng([seed, count]), 0
    order = rng.permutation(count)
    while (arm := search.ask()) is not None:
        place = int(order[int(arm)])
        small = place < LEFT
        search.tell(arm, {"size": 700.0 if small else 900.0, "x": rng.normal(margins[place] if small else 0.0)})
        found += small
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    repetitions = parser.parse_args().repetitions
    for noise in NOISES:
        for name, good in GOOD.items():
            margins = means(good)
            known, exact = (
                np.array([taken(noise, margins, count, seed) for seed in range(repetitions)]) for count in (LEFT, ALL)
            )
            ratio = exact.mean() / known.mean()
            error = ratio * np.hypot(*(each.std() / each.mean() / repetitions**0.5 for each in (known, exact)))
            taken_by = f"{known.mean():.0f} filtered, {exact.mean():.0f} exact"
            print(f"x >= 0 ~ 0.1{noise}, {name}: {taken_by}: {ratio:.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
