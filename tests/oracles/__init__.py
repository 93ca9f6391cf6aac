"""Slow definitions and brute force that the library is held against; nothing of the library is in them."""
