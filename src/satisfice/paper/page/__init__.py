"""The page that a reproduction writes: what comes out as printed, what does not, and why."""

from satisfice.paper.page.page import PageContent, figure_path, page

__all__ = ["PageContent", "figure_path", "page"]
