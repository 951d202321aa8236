"""alder beside what else learns such streams. `python bench/peers.py --help` tells how to run it."""
