"""Worst-case trees: the functions F of paper 001 and trees that stop early."""
