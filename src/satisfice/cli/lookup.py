"""Which study is meant: by storage and name, and which of its configurations."""

import os

from satisfice.catalogue import is_own_storage, look_here_too
from satisfice.command.template import written_value
from satisfice.errors import unknown_name
from satisfice.study import Study, StudyView, load_study

STORAGE = "sqlite:///satisfice.db"
"""Where studies are kept when nobody says where."""


def storage_of(given: str | None) -> str:
    """The storage that is named, that of the environment, or a file in the current folder."""
    found = given or os.environ.get("SATISFICE_STORAGE") or STORAGE
    if is_own_storage(found):
        look_here_too()
    return found


def opened(storage: str | None, name: str | None, trust_code: bool) -> Study:
    """A study that is there already."""
    return load_study(storage_of(storage), name, trust_code=trust_code)


def config_of(view: StudyView, text: str) -> str:
    """The name of a configuration, from its name or from parameters: codec=opus,txpower=4, in any order."""
    if text in view.configs:
        return text
    wanted = dict(part.strip().partition("=")[::2] for part in text.replace(" ", ",").split(",") if part.strip())
    for name, parameters in view.configs.items():
        if parameters and {key: written_value(value) for key, value in parameters.items()} == wanted:
            return name
    raise unknown_name("configuration", text, view.configs)


def study_at(address: str, trust_code: bool) -> Study:
    """A study by the address of its storage, URL#NAME where that has several, or by its name in the usual storage."""
    if "://" not in address:
        return opened(None, address, trust_code)
    place, _, name = address.partition("#")
    return opened(place, name or None, trust_code)
