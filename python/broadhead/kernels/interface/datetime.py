"""Kernels for dates and timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked, Data

Unit = Literal["day", "week", "month", "quarter", "year"]
Field = Literal[
    "year", "quarter", "month", "day", "day_of_week", "day_of_year", "week", "week_year"
]


class Datetime(Protocol):
    """Proleptic Gregorian dates (date32) and timestamps (int64 microseconds)."""

    def field(self, dates: Array, field: Field) -> Array:
        """The field of a date, int32.

        day_of_week: 1 is Sunday. week and week_year: by ISO 8601, where weeks start on Monday and
        belong to the year of their Thursday.
        """

    def truncate(self, dates: Array, unit: Unit) -> Array:
        """The first date of the unit (weeks start on Monday)."""

    def add_days(self, dates: Data, days: Data) -> Array:
        """Date plus int32 days, wrapping around."""

    def civil(self, dates: Array) -> tuple[Array, Array, Array]:
        """Year, month and day of the month, int32."""

    def from_civil(self, years: Array, months: Array, days: Array) -> Checked:
        """The date of an int32 year, month and day of the month.

        Fails if there is no such day, and if it does not fit.
        """

    def add_months(self, dates: Array, months: Data) -> Array:
        """Date plus int32 months; the last day of the month if it has no such day.

        Wraps around.
        """

    def difference(self, end: Data, start: Data) -> Array:
        """Days from start to end, int32, wrapping around."""

    def to_date(self, timestamps: Array) -> Array:
        """The day of local microseconds, rounded down."""

    def from_date(self, dates: Array) -> Checked:
        """Local microseconds of midnight, int64; fails if they do not fit."""

    def utc_to_local(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """UTC microseconds to local microseconds.

        `transitions` (int64 UTC microseconds, ascending) and `offsets` (int64 microseconds, one
        more) as in `plan.nodes.Zone`.
        """

    def local_to_utc(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """Local microseconds to UTC, like Java's ZonedDateTime.ofLocal.

        In an overlap the earlier offset (before the transition) is used; in a gap the time moves
        forward by the gap's length.
        """

    def date_to_string(self, dates: Array) -> Array:
        """`yyyy-mm-dd`, like Java's LocalDate.toString.

        Years beyond 9999 have a plus sign, years before 0 a minus sign.
        """

    def timestamp_to_string(self, timestamps: Array) -> Array:
        """Local microseconds as `yyyy-mm-dd hh:mm:ss[.ffffff]`.

        The fraction has no trailing zeros.
        """
