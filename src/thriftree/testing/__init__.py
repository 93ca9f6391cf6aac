"""What the test suites share: small random tables, brute-force oracles, and checks for every estimator."""
