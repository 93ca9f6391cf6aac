"""The learners as scikit-learn estimators, one family a file, on one base; thriftree.registry lists them."""
