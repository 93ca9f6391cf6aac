"""What a test suite of trees can use: small random tables and trees, and checks for every estimator."""
