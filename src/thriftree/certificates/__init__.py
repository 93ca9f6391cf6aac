"""How far a tree can be from the best: lower bounds that hold for every tree of a class."""

from thriftree.certificates.certificate import Certificate
from thriftree.certificates.certify import certify

__all__ = ["Certificate", "certify"]
