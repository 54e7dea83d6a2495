"""How much word lists have in common."""
