"""The owner's books: charts, lists, rosters and maps copied in once, and shared as files."""
