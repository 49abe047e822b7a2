"""The state of a study as arrays, and back: exactly, for snapshots and for undoing a step."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satisfice.study.events import canonical
from satisfice.study.open_pull import OpenPull
from satisfice.study.policy import policy_of_content
from satisfice.study.pull import Measured
from satisfice.study.state import StudyState

State = dict[str, NDArray[Any]]


def arrays_of(state: StudyState) -> State:
    """Everything, exactly, as arrays that stay as they are."""
    rest = {
        "position": state.position,
        "head": state.head,
        "open": [pull if state.spec.groups else pull[:-1] for pull in state.open.values()],
        "held": [
            [line, [[place, one.values, one.baseline] for place, one in some.items()]]
            for line, some in state.held.items()
        ],
        "counts": [state.told, state.failed, state.reissued, state.lost, state.released, state.in_a_row],
        "flags": [state.answered, state.worked, state.over, state.measured],
        "stopped": state.stopped,
        "clocks": [state.latest_at, state.skew],
        "policies": [one.as_content() for one in state.policies[1:]],
        "repeats": state.repeats.content(),
    }
    arrays = {f"search.{name}": np.array(array) for name, array in state.search.state().items()}
    arrays |= {"waiting": state.waiting.copy(), **state.ledger.state()}
    arrays["rest"] = np.frombuffer(canonical(rest).encode(), dtype=np.uint8)
    return arrays


def restore(state: StudyState, arrays: State) -> None:
    """Make a state what the one was that these arrays are of."""
    rest = json.loads(arrays["rest"].tobytes().decode())
    state.search.restore(
        {name.removeprefix("search."): array for name, array in arrays.items() if name.startswith("search.")}
    )
    state.waiting = arrays["waiting"].copy()
    state.ledger.restore(arrays)
    state.position, state.head = rest["position"], rest["head"]
    state.open = {fields[0]: OpenPull(*fields) for fields in rest["open"]}
    state.free = {number for number, pull in state.open.items() if pull.worker is None}
    state.held = {
        line: {place: Measured(tuple(values), tuple(beside)) for place, values, beside in some}
        for line, some in rest["held"]
    }
    state.show_held()
    state.told, state.failed, state.reissued, state.lost, state.released, state.in_a_row = rest["counts"]
    state.answered, state.worked, state.over, state.measured = rest["flags"]
    state.stopped = rest["stopped"]
    state.latest_at, state.skew = rest["clocks"]
    state.repeats.restore(rest["repeats"])
    state.policies = (state.spec.policy, *(policy_of_content(one) for one in rest["policies"]))
