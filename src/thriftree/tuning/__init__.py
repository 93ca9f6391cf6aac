"""Fit, measure, choose: trees grown with many settings, measured on rows that did not grow them."""
