"""Studies in a browser: a page that follows them live, and the same page as one file."""
