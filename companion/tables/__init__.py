"""Games kept in a store: one action is one transaction. Saving, sealing, restoring, verifying."""
