"""The chart book's pages."""
