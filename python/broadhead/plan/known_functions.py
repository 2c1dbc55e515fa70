"""The functions whose meaning the plan's own rules know: logic, comparisons, ranks.

The registries refer to these names, and rules read them from here. All that is asked of any
function is a property of its entry in a registry instead.
"""

AND = "And"
OR = "Or"
NOT = "Not"
IF = "If"
COALESCE = "Coalesce"
IS_NOT_NULL = "IsNotNull"

EQUAL_TO = "EqualTo"
EQUAL_NULL_SAFE = "EqualNullSafe"
LESS_THAN = "LessThan"
LESS_THAN_OR_EQUAL = "LessThanOrEqual"
GREATER_THAN = "GreaterThan"
GREATER_THAN_OR_EQUAL = "GreaterThanOrEqual"
IN = "In"
IN_SET = "InSet"

CAST = "Cast"
HASH = "Murmur3Hash"
COLLATION_KEY = "CollationKey"
"""Spark's function of one string; here also for nested values that contain strings."""

ROW_NUMBER = "RowNumber"
RANK = "Rank"
DENSE_RANK = "DenseRank"
