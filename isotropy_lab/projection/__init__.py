"""How faithful a picture of the data is."""
