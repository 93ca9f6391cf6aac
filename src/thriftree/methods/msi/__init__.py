"""MSI: minimum surfeit and inaccuracy."""
