"""The organiser's hall: what is true of many tables together. One record, the desk; a module for each of its parts."""
