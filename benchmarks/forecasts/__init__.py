"""How well forecasts are calibrated: whole studies, and what was said of each before it ended."""
