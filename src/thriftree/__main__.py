"""`python -m thriftree`: the command line."""

import sys

from thriftree.cli import main

if __name__ == "__main__":
    sys.exit(main())
