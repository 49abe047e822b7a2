"""A study as one self-contained HTML file."""

from satisfice.html_report.page import write_report

__all__ = ["write_report"]
