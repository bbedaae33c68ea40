"""Startup code of worker processes, which run with ``-P``; see `support.batches.in_workers`."""

import os
import sys

if sys.flags.safe_path:
    exec(os.environ["PLANORACLE_TEST_CODE"])
