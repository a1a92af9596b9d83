"""What people do by hand at every table, whatever the game, and what they settle among themselves."""
