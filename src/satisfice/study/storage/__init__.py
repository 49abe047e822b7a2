"""Where studies are kept; here is what one needs to write another storage: docs/how-to/add-a-storage.md."""

from satisfice.study.errors import no_such_study, study_exists
from satisfice.study.events import Event, stored
from satisfice.study.storage.protocol import Decide, StudySummary, summary_of

__all__ = ["Decide", "Event", "StudySummary", "no_such_study", "stored", "study_exists", "summary_of"]
