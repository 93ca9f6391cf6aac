"""Small, cheap, trustworthy decision trees."""
