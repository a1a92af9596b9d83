"""The map's pages: picture, typed positions, the owner's ground."""
