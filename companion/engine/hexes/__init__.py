"""Printed hex numbers, the ground under them, zones of control and paths. Knows no game."""
