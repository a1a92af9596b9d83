"""What the people at a table settle among themselves: consent, seats, notes, a judge, how dice and cards are used."""
