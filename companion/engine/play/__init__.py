"""What can be done: actions, the fields they ask for, the sheets they work out, and what every table can do."""
