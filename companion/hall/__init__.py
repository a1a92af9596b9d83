"""The organiser's desk: the hall's tables, rounds, results and time."""
