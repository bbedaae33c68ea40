"""Results as tidy pandas frames with fixed columns; import this late, pandas is slow to load."""

from planoracle.analysis.frames.columns import SCHEMAS, SIZES, Column, Schema
from planoracle.analysis.frames.files import read_csv, read_parquet, write_csv, write_parquet
from planoracle.analysis.frames.problems import METHODS, compare_methods, instances, schedules
from planoracle.analysis.frames.schema import Collected, check, concat, describe, empty
from planoracle.analysis.frames.submissions import decisions, grades, metrics, passes, summaries, violations
