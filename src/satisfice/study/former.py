"""What a study goes by that was created before: the search and the stopping of its time, under the names it has."""

from collections.abc import Mapping
from typing import Any

from satisfice.rules.pandora_of_0_1 import PandoraOf01
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES
from satisfice.stopping.transfer_of_0_1 import TransferredEvidenceOf01

PROCEDURE_OF_0_1, WITH_FIRST_ROUND, PROCEDURE = 1, 2, 3
"""By what a study goes: 3 is today's. In 1 the evidence of bounded results was a bound from two moments; in 1 and 2 the
default rule evaluated each config once at first, and where capital was transferred all results stood in one line."""

FORMER_RULES = {"pandora": PandoraOf01}
FORMER_STOPPING = {"transfer": TransferredEvidenceOf01}
"""What these names meant up to procedure 2."""

FORMER_DEFAULT = {"name": "evidence", "fields": {"reject_share": 0.15, "independent_metrics": False}}
"""How studies up to procedure 2 were stopped if nothing was said."""


def class_of_then(name: str, procedure: int, former: Mapping[str, Any]) -> Any:
    """The class that a name stood for when the study was created, None if it is today's."""
    return former.get(name) if procedure < PROCEDURE else None


def is_default_of_then(stopping: Mapping[str, Any], procedure: int) -> bool:
    """Whether a study is stopped as those of its time were if nothing was said."""
    return procedure < PROCEDURE and dict(stopping) == FORMER_DEFAULT


def is_default(stopping: Mapping[str, Any]) -> bool:
    """Whether that is how studies are stopped today if nothing is said."""
    name = STOPPING_RULES.name_of(DEFAULT_STOPPING)
    return dict(stopping) == {"name": name, "fields": DEFAULT_STOPPING._asdict()}
