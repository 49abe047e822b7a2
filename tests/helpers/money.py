"""A study whose evaluations cost money, for the tests of what is counted and of what is limited."""

import satisfice as sf
from satisfice.study.state import StudyState
from tests.helpers.parts import results_of

COSTS = {"slow": 0.5, "lossy": 2.0, "good": 10.0}


def with_usd(pull: sf.Pull) -> dict[str, float]:
    return results_of(pull) | {"usd": COSTS[pull.name.split()[0]] * (1 + pull.arm_number % 3)}


def spend(study: sf.Study, most: int = 10**6) -> int:
    """Ask and tell as long as anything is given out."""
    made = 0
    while made < most and (pull := study.ask()) is not None:
        study.tell(pull, with_usd(pull) if study.spec.reported else results_of(pull))
        made += 1
    return made


def same_from_the_log(study: sf.Study) -> bool:
    """Whether the state of a study is what its events lead to."""
    state = StudyState(study.spec)
    for event in study.events():
        state.apply(event)
    view = study.view()
    return state.ledger.so_far(state.policy.max_cost, view.cost.is_spent) == view.cost
