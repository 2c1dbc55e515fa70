"""Writes the taxi trips of a made-up city: Parquet files of trips, and a CSV file of zones.

The same options always give the same files. `python generate_trips.py --trips 10_000_000` writes
a larger month.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FIRST_DAY = np.datetime64("2026-03-02", "us")
"""A Monday."""
WEEKS = 4
MOST_ROWS_IN_FILE = 2_000_000
PAYMENTS = np.array(["card", "cash", "no charge"])

TRIPS_BY_HOUR = np.array(
    [
        # Monday to Friday
        (3, 2, 1, 1, 1, 3, 7, 13, 16, 12, 9, 9, 10, 10, 10, 11, 13, 16, 17, 14, 11, 10, 8, 5),
        # Saturday and Sunday
        (12, 11, 9, 6, 3, 2, 2, 3, 5, 7, 9, 11, 12, 12, 12, 12, 12, 12, 13, 14, 13, 13, 14, 14),
    ],
    dtype=float,
)
SPEED_BY_HOUR = np.array(
    [
        (31, 32, 33, 34, 34, 31, 26, 20, 16, 18, 20, 20),
        (19, 19, 19, 18, 16, 14, 15, 19, 22, 25, 27, 29),
    ]
).ravel()
"""Kilometres per hour."""
TIP_BY_HOUR = 0.15 + 0.05 * np.cos((np.arange(24) - 21) * np.pi / 12)
"""The usual tip as a share of the fare: the most at nine in the evening."""


@dataclass(frozen=True)
class Borough:
    """Neighbouring zones: who works and lives there, and what their trips cost and bring more."""

    name: str
    zones: int
    x_km: float
    y_km: float
    radius_km: float
    work: float
    home: float
    surcharge: float
    tip: float


BOROUGHS = (
    Borough("Centre", 16, 0, 0, 1.5, work=5, home=1.5, surcharge=2.5, tip=1.0),
    Borough("Harbour", 12, 4, -3, 1.5, work=2, home=1, surcharge=1, tip=0.85),
    Borough("North", 14, 1, 7, 2.5, work=0.8, home=2.5, surcharge=0, tip=0.95),
    Borough("West", 14, -7, 0, 2.5, work=0.7, home=2.5, surcharge=0, tip=1.05),
    Borough("Airport", 2, 12, 5, 0.5, work=4, home=4, surcharge=6, tip=1.2),
)


class City:
    """The zones, and the probabilities of trips between them at each time of the day."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        each = np.repeat(np.arange(len(BOROUGHS)), [borough.zones for borough in BOROUGHS])
        self.boroughs = [BOROUGHS[number] for number in each]
        self.count = len(self.boroughs)
        centres = np.array([(borough.x_km, borough.y_km) for borough in self.boroughs])
        radii = np.array([borough.radius_km for borough in self.boroughs])
        self.places = centres + radii[:, None] * rng.uniform(-1, 1, (self.count, 2))
        self.surcharge = np.array([borough.surcharge for borough in self.boroughs])
        self.tip = np.array([borough.tip for borough in self.boroughs])
        self.distance_km = np.linalg.norm(self.places[:, None] - self.places, axis=2)
        popular = rng.lognormal(0, 0.4, self.count)
        work = popular * [borough.work for borough in self.boroughs]
        home = popular * [borough.home for borough in self.boroughs]
        # From home to work in the morning, back in the evening, anywhere in between.
        self._pickups = _cumulative(np.array([home, work + home, work]))
        attraction = np.array([work, work + home, home])[:, None, :]
        flows = attraction * np.exp(-self.distance_km / 5)
        self._dropoffs = _cumulative(flows.reshape(-1, self.count))

    def trips_at(self, hour: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Zones of pickup and dropoff, from 0, of trips that start in these hours."""
        time_of_day = np.select([(hour >= 5) & (hour < 11), (hour >= 11) & (hour < 16)], [0, 1], 2)
        pickup = _choose(self._pickups, time_of_day, rng)
        return pickup, _choose(self._dropoffs, time_of_day * self.count + pickup, rng)


def _cumulative(weights: np.ndarray) -> np.ndarray:
    """The weights of each row added up, as shares of their sum."""
    sums = weights.cumsum(axis=1)
    shares: np.ndarray = sums / sums[:, -1:]
    return shares


def _choose(cumulative: np.ndarray, row: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A column for each wanted row, by that row's weights."""
    rows, columns = cumulative.shape
    sorted_shares = (cumulative + np.arange(rows)[:, None]).ravel()
    found = np.searchsorted(sorted_shares, row + rng.random(len(row)), side="right")
    chosen: np.ndarray = np.minimum(found - row * columns, columns - 1)
    return chosen


def _start_times(trips: int, rng: np.random.Generator) -> np.ndarray:
    """Microseconds of the pickups after midnight of the first day."""
    weekend = np.arange(7 * WEEKS) % 7 >= 5
    by_hour = TRIPS_BY_HOUR[weekend.astype(int)].reshape(1, -1)
    hours = _choose(_cumulative(by_hour), np.zeros(trips, dtype=int), rng)
    return (hours * 3600 + rng.integers(0, 3600, trips)) * 1_000_000


def trips_table(city: City, trips: int, rng: np.random.Generator) -> pa.Table:
    """So many trips, a few of them with the errors that such records have."""
    started = _start_times(trips, rng)
    hour = started // 3_600_000_000 % 24
    pickup, dropoff = city.trips_at(hour, rng)
    straight_km = np.maximum(city.distance_km[pickup, dropoff], 0.6)
    distance = np.round(straight_km * rng.lognormal(0.25, 0.12, trips), 2)
    minutes = 1.5 + 60 * distance / SPEED_BY_HOUR[hour] * rng.lognormal(0, 0.2, trips)
    seconds = np.round(minutes * 60).astype(int)
    fare = 3 + city.surcharge[pickup] + 1.6 * distance + 0.45 * seconds / 60
    fare = np.round(np.maximum(fare + rng.normal(0, 0.6, trips), 3), 2)
    payment = rng.choice(3, trips, p=[0.74, 0.24, 0.02])
    usual = TIP_BY_HOUR[hour] * city.tip[pickup]
    share = np.maximum(rng.normal(usual, 0.05), 0) * (rng.random(trips) > 0.08)
    # The drivers do not record tips in cash.
    tip = np.where(payment == 0, np.round(fare * share, 2), 0.0)
    refund = rng.random(trips) < 0.004
    distance[rng.random(trips) < 0.003] = 0.0
    passengers = rng.choice(6, trips, p=[0.7, 0.15, 0.06, 0.04, 0.03, 0.02]) + 1
    return pa.table(
        {
            "pickup_at": pa.array(FIRST_DAY + started),
            "dropoff_at": pa.array(FIRST_DAY + started + seconds * 1_000_000),
            "pickup_zone": pa.array(pickup + 1, pa.int32()),
            "dropoff_zone": pa.array(dropoff + 1, pa.int32()),
            "passengers": pa.array(passengers, pa.int32(), mask=rng.random(trips) < 0.02),
            "distance_km": distance,
            "fare": np.where(refund, -fare, fare),
            "tip": np.where(refund, 0.0, tip),
            "payment": PAYMENTS[payment],
        }
    )


def write_city(folder: str | Path, *, trips: int = 100_000, files: int = 4, seed: int = 23) -> None:
    """Write `zones.csv` and the Parquet files of `trips` into a folder; more files for many trips.

    Raises FileExistsError if the folder has trips already.
    """
    city = City(seed)
    target = Path(folder) / "trips"
    target.mkdir(parents=True)
    with (Path(folder) / "zones.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("zone", "name", "borough", "x_km", "y_km"))
        numbers: dict[str, int] = {}
        for zone, (borough, place) in enumerate(zip(city.boroughs, city.places, strict=True), 1):
            number = numbers[borough.name] = numbers.get(borough.name, 0) + 1
            x_km, y_km = place.round(2).tolist()
            writer.writerow((zone, f"{borough.name} {number}", borough.name, x_km, y_km))
    count = max(files, -(-trips // MOST_ROWS_IN_FILE))
    for number in range(count):
        rows = trips // count + (number < trips % count)
        table = trips_table(city, rows, np.random.default_rng([seed, number]))
        pq.write_table(table, target / f"trips-{number:04}.parquet")


def main() -> None:
    """Write the files that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="data", help="a new folder (data)")
    parser.add_argument("--trips", type=int, default=100_000, help="how many (100,000)")
    parser.add_argument("--files", type=int, default=4, help="Parquet files, at least (4)")
    parser.add_argument("--seed", type=int, default=23, help="another city")
    given = parser.parse_args()
    write_city(given.folder, trips=given.trips, files=given.files, seed=given.seed)


if __name__ == "__main__":
    main()
