"""The store on PostgreSQL, for installations that outgrow one machine. Imported only when one is asked for."""
