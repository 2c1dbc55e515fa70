"""Analyses taxi trips and writes tables and plots; `generate_trips.py` makes the trips.

    broadhead run taxi.py --data data --output results

The same file runs with plain Python and with spark-submit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import SparkSession

import analysis
import plots


def main() -> None:
    """Run the three analyses and write a table (CSV) and a plot (PNG) of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data", help="folder with zones.csv and trips (data)")
    parser.add_argument("--output", default="results", help="folder for the results (results)")
    given = parser.parse_args()
    output = Path(given.output)
    output.mkdir(parents=True, exist_ok=True)

    spark = SparkSession.builder.appName("taxi").getOrCreate()
    # The workers import the functions from it.
    spark.sparkContext.addPyFile(analysis.__file__)
    zones = analysis.read_zones(spark, given.data).toPandas()
    trips = analysis.read_trips(spark, given.data)
    # Sorted here: Spark samples the rows that it sorts, which calls their functions once more.
    tables = {
        "tips_by_hour": analysis.tips_by_hour(trips).toPandas(),
        "fares_by_zone": analysis.fares_by_zone(trips).toPandas().sort_values("zone"),
        "zones_by_hour": analysis.zones_by_hour(trips).toPandas().sort_values(["hour", "zone"]),
    }
    for name, table in tables.items():
        table.to_csv(output / f"{name}.csv", index=False)
        print(f"{name}: {len(table)} rows", table.head().to_string(index=False), sep="\n")
    plots.plot_tips(tables["tips_by_hour"]).savefig(output / "tips_by_hour.png")
    plots.plot_fares(tables["fares_by_zone"]).savefig(output / "fares_by_zone.png")
    plots.plot_zones(tables["zones_by_hour"], zones).savefig(output / "zones_by_hour.png")


if __name__ == "__main__":
    main()
