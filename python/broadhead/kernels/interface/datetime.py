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
    """Dates (date32) and timestamps (int64 microseconds) of the proleptic Gregorian calendar.

    Dates count days since 1970-01-01. A local timestamp has the digits of a clock, counted as if
    its zone were UTC. One value a row, null where an argument is null.
    """

    def field(self, dates: Array, field: Field) -> Array:
        """A field of each date, int32; null for null. Spark's `year`, `month` and so on.

        `day_of_week`: 1 is Sunday. `week` and `week_year`: by ISO 8601, where weeks start on Monday
        and belong to the year of their Thursday.
        """

    def truncate(self, dates: Array, unit: Unit) -> Array:
        """The first date of the unit that has each date; null for null. Weeks start on Monday.

        Spark's `trunc`, and `date_trunc` for units from a day on.
        """

    def add_days(self, dates: Data, days: Data) -> Array:
        """Each date moved by int32 days; null where either is null. Spark's `date_add`.

        The number of days wraps around on overflow, as in Spark.
        """

    def civil(self, dates: Array) -> tuple[Array, Array, Array]:
        """Year, month (1 to 12) and day of the month (from 1) of each date, three Arrays of int32.

        Null for null. Years before 1 are 0 and negative.
        """

    def from_civil(self, years: Array, months: Array, days: Array) -> Checked:
        """The date of an int32 year, month and day, and a mask of the rows that have none.

        It fails for months outside 1 to 12, days that the month does not have, and dates outside of
        date32. A failed row is null; a row with a null argument is null and has not failed. The
        mask is None if no row failed. Spark's `make_date`.
        """

    def add_months(self, dates: Array, months: Data) -> Array:
        """Each date moved by int32 months; null where either is null. Spark's `add_months`.

        The last day of the month if it does not have the day: 31 January and one month give 28 or
        29 February. The number of days wraps around on overflow.
        """

    def difference(self, end: Data, start: Data) -> Array:
        """Days from `start` to `end`, int32; null where either is null.

        Negative if `end` is earlier. Wraps around on overflow. Spark's `datediff`.
        """

    def to_date(self, timestamps: Array) -> Array:
        """The date of local microseconds, rounded down; null for null."""

    def from_date(self, dates: Array) -> Checked:
        """Local microseconds of the midnight of each date, and a mask of the failed rows.

        A date fails if its microseconds do not fit in int64, from about year 294247 on. A failed
        row is null; the mask is None if no row failed. Nulls do not fail.
        """

    def utc_to_local(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """UTC microseconds as local microseconds of a zone; null for null.

        Parameters
        ----------
        timestamps
            int64 microseconds since 1970-01-01 00:00:00 UTC.
        transitions
            int64 UTC microseconds, ascending, at which the offset changes.
        offsets
            int64 microseconds east of UTC, one more than `transitions`: `offsets[i]` holds before
            `transitions[i]`, the last one after all. As in `plan.nodes.Zone`, in other units.
        """

    def local_to_utc(self, timestamps: Array, transitions: Array, offsets: Array) -> Array:
        """Local microseconds of a zone as UTC microseconds; null for null.

        `transitions` and `offsets` are those of `utc_to_local`. As Java's ZonedDateTime.ofLocal,
        and so in Spark: where the clock goes back, the earlier offset is used; a time that the
        clock skips moves forward by the length of the gap.
        """

    def date_to_string(self, dates: Array) -> Array:
        """Each date as `yyyy-mm-dd`, like Java's LocalDate.toString; null for null. Spark's CAST.

        Years beyond 9999 have a plus sign, years before 0 a minus sign, and at least four digits.
        """

    def timestamp_to_string(self, timestamps: Array) -> Array:
        """Local microseconds as `yyyy-mm-dd hh:mm:ss[.ffffff]`; null for null. Spark's CAST.

        The fraction has no zeros at its end, and is left out if it is zero. Years as in
        `date_to_string`.
        """
