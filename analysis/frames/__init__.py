"""Results as tidy pandas frames with fixed columns; import this late, pandas is slow to load."""

from planoracle.analysis.frames.columns import SCHEMAS, SIZES, FrameColumn, Schema
from planoracle.analysis.frames.grade_frames import decisions, grades, violations
from planoracle.analysis.frames.problem_frames import METHODS, compare_methods, instances, schedules
from planoracle.analysis.frames.schema import FrameWithErrors, check, describe, empty
