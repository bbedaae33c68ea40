"""Results as tidy pandas frames with fixed columns; import this late, pandas is slow to load."""

from planoracle.analysis.frames.columns import SCHEMAS, FrameColumn, Schema
from planoracle.analysis.frames.schema import FrameWithErrors, empty, grades
