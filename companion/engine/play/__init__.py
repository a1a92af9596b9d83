"""What can be done: actions, duties and their order, phases, a game's rules; and one action carried out."""
