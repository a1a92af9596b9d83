"""The files of scenarios/, read and checked: what a game is made of before anybody plays it."""
