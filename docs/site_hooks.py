"""What mkdocs adds to the site: llms.txt, which lists all pages for language models, and the pages in Markdown."""

import re
import shutil
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent


def on_post_build(config: Any) -> None:
    """Write llms.txt (https://llmstxt.org) from the navigation, and put the Markdown that it names beside the pages."""
    site = Path(config["site_dir"])
    for page in DOCS.rglob("*.md"):
        target = site / page.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
    site.joinpath("llms.txt").write_text(llms_text(config), encoding="utf-8")


def llms_text(config: Any) -> str:
    """The name, what it is for, and one line for each page of each part of the navigation."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    loose = [entry for entry in config["nav"] if isinstance(next(iter(entry.values())), str)]
    parts = {"Start": loose}
    parts |= {name: pages for entry in config["nav"] for name, pages in entry.items() if not isinstance(pages, str)}
    for part, pages in parts.items():
        lines += ["", f"## {part}", ""]
        lines += [f"- [{title}]({path}){_about(path)}" for page in pages for title, path in page.items()]
    return "\n".join(lines) + "\n"


def _about(path: str) -> str:
    """The first sentence of a page, as plain text, after a colon."""
    for paragraph in DOCS.joinpath(path).read_text(encoding="utf-8").split("\n\n"):
        text = " ".join(paragraph.split())
        if text and text[0] not in "#!<`|":
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).strip("*")
            return ": " + re.split(r"(?<=[.:?])\s", text)[0].rstrip(":")
    return ""
