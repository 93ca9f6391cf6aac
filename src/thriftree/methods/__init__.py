"""What one method of learning has of its own, a folder each: choosers, growers, statistics."""
