"""How texts of many values are best encoded, as a section of the page."""
