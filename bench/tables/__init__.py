"""What bench/tables.py is made of: where the tables come from, and what is compared on them."""
