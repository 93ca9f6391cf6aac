"""Tables that lie in parts: in this process, in files, or on the workers of a cluster."""
