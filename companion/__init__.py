"""A table companion for five hex-and-counter wargames about Kharkov."""

__version__ = "0.1.0"
