"""Live studies: durable ask and tell, safe for any order of results and any number of workers."""

from satisfice.study.configs import grid
from satisfice.study.create import create_study, list_studies, load_study
from satisfice.study.ledger import Counts
from satisfice.study.progress import RunProgress
from satisfice.study.pull import Failure, Outstanding, Pull
from satisfice.study.spec import Spec
from satisfice.study.study import Study
from satisfice.study.subject import Subject
from satisfice.study.verify import Verification, verify
from satisfice.study.view import StudyView
from satisfice.study.work import work

__all__ = [
    "Counts",
    "Failure",
    "Outstanding",
    "Pull",
    "RunProgress",
    "Spec",
    "Study",
    "StudyView",
    "Subject",
    "Verification",
    "create_study",
    "grid",
    "list_studies",
    "load_study",
    "verify",
    "work",
]
