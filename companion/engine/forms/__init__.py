"""What is asked of a player and how his answer is read; calculations that list their reasons."""
