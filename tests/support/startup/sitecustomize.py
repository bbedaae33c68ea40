"""Code of a test for all Python processes that a command starts, see `support.batches.everywhere`."""

import os

exec(os.environ["PLANORACLE_TEST_CODE"])  # of the test itself
