"""Neural trees: a network in front of a soft tree. torch is imported when one is learned."""
