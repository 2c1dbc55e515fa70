"""Tips, fares and flows of taxi trips: plain PySpark, pandas, scikit-learn and NetworkX.

Functions import scikit-learn and NetworkX themselves: only the workers that call them need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import DoubleType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ZONES = "zone int, name string, borough string, x_km double, y_km double"
FARES = (
    "zone int, name string, borough string, trips long, "
    "start double, per_km double, per_minute double, explained double"
)
RANKS = "hour int, zone int, rank double, community int"
FEWEST_TRIPS = 10
"""Zones with fewer trips get no model of their fares."""


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def minutes_between(start: pd.Series, end: pd.Series) -> pd.Series:
    """The minutes from one time to another."""
    return (end - start).dt.total_seconds() / 60


@pandas_udf(DoubleType())  # type: ignore[untyped-decorator]
def tip_share(tip: pd.Series, fare: pd.Series) -> pd.Series:
    """The tip as a share of the fare, at most all of it."""
    return (tip / fare).clip(upper=1.0)


def fit_fares(key: tuple[int, str, str], trips: pd.DataFrame) -> pd.DataFrame:
    """The price of starting, of a kilometre and of a minute in one zone."""
    from sklearn.linear_model import LinearRegression

    if len(trips) < FEWEST_TRIPS:
        return pd.DataFrame()
    inputs, fares = trips[["distance_km", "minutes"]].to_numpy(), trips["fare"].to_numpy()
    model = LinearRegression().fit(inputs, fares)
    per_km, per_minute = model.coef_
    explained = model.score(inputs, fares)
    row = (*key, len(trips), model.intercept_, per_km, per_minute, explained)
    names = [column.split()[0] for column in FARES.split(", ")]
    return pd.DataFrame([row], columns=names)


def rank_zones(flows: pd.DataFrame) -> pd.DataFrame:
    """The PageRank and the community of each zone in the flows of one hour."""
    import networkx

    # In a fixed order, so that equal flows give equal ranks.
    edges = flows.sort_values(["pickup_zone", "dropoff_zone"])
    graph = networkx.from_pandas_edgelist(
        edges, "pickup_zone", "dropoff_zone", edge_attr="trips", create_using=networkx.DiGraph
    )
    ranks = networkx.pagerank(graph, weight="trips")
    found = networkx.community.louvain_communities(graph, weight="trips", seed=1)
    communities = {
        zone: number for number, zones in enumerate(sorted(found, key=min)) for zone in zones
    }
    return pd.DataFrame(
        {
            "hour": int(flows["hour"].iloc[0]),
            "zone": list(ranks),
            "rank": list(ranks.values()),
            "community": [communities[zone] for zone in ranks],
        }
    )


def read_zones(spark: SparkSession, folder: str) -> DataFrame:
    """The zones of the city."""
    return spark.read.csv(f"{folder}/zones.csv", schema=ZONES, header=True)


def read_trips(spark: SparkSession, folder: str) -> DataFrame:
    """The trips without wrong records, with their hour, minutes and the zone of the pickup."""
    trips = spark.read.parquet(f"{folder}/trips").where("fare > 0 AND distance_km > 0")
    pickups = read_zones(spark, folder).withColumnRenamed("zone", "pickup_zone")
    return (
        trips.join(pickups, "pickup_zone")
        .withColumn("hour", F.hour("pickup_at"))
        .withColumn("minutes", minutes_between("pickup_at", "dropoff_at"))
    )


def tips_by_hour(trips: DataFrame) -> DataFrame:
    """The share of the fare that passengers with cards add as a tip, by hour and borough."""
    cards = trips.where("payment = 'card'").withColumn("tip_share", tip_share("tip", "fare"))
    found = cards.groupBy("borough", "hour").agg(
        F.count("*").alias("trips"), F.avg("tip_share").alias("tip_share")
    )
    return found.orderBy("borough", "hour")


def fares_by_zone(trips: DataFrame) -> DataFrame:
    """A linear model of the fares of each zone's pickups, from distance and duration."""
    groups = trips.groupBy("pickup_zone", "name", "borough")
    return groups.applyInPandas(fit_fares, FARES)


def zones_by_hour(trips: DataFrame) -> DataFrame:
    """How central each zone is in the flows of each hour, and which zones belong together."""
    flows = trips.groupBy("hour", "pickup_zone", "dropoff_zone").agg(F.count("*").alias("trips"))
    return flows.groupBy("hour").applyInPandas(rank_zones, RANKS)
