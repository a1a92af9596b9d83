"""What happened, and the state it folds to; who may know which part of it."""
