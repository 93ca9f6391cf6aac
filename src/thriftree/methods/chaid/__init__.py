"""CHAID: what its p-values are multiplied by. The rest of the method is in the core (cpp/choose/chaid_*)."""
