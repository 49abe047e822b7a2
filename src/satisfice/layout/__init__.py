"""How values are laid out on a page or a screen: tables as text and as Markdown, a scale for intervals, colours.

Pure, and below everything else, so that whatever has something to show can use it.
"""
