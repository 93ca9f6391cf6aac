"""A clock that tests wind."""

from thriftree.learning.limits import Limits


class Clock(Limits):
    """Limits whose time passes at so many looks at the clock."""

    def __init__(self, looks):
        super().__init__(1, None, None)
        self.looks = looks

    @property
    def seconds_left(self):
        left = self.looks
        self.looks = max(0, left - 1)
        return float(left)
