"""Tables: frames and files of every kind, and their columns as small integer codes."""
