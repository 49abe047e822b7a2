"""What the page of a study costs: its size, how soon it shows something, how it scrolls, what many browsers take."""
