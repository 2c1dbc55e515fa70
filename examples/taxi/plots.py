"""Plots of the result tables, as figures of matplotlib that need no display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

if TYPE_CHECKING:
    import pandas as pd

RUSH_HOURS = (8, 18)


def plot_tips(tips: pd.DataFrame) -> Figure:
    """The tip share by hour: a line for each borough."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    for borough, rows in tips.groupby("borough"):
        axes.plot(rows["hour"], 100 * rows["tip_share"], marker=".", label=borough)
    axes.set(xlabel="hour of the pickup", ylabel="tip, % of the fare", xticks=range(0, 24, 3))
    axes.legend(fontsize="small")
    return figure


def plot_fares(fares: pd.DataFrame) -> Figure:
    """What starting a trip costs in each zone, by the models: a bar for each zone."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    for borough, rows in fares.groupby("borough"):
        axes.bar(rows["zone"], rows["start"], label=borough)
    axes.set(xlabel="zone of the pickup", ylabel="price before the first kilometre")
    axes.legend(fontsize="small")
    return figure


def plot_zones(ranks: pd.DataFrame, zones: pd.DataFrame) -> Figure:
    """Maps of the rush hours: the larger a zone, the more central; a colour for a community."""
    figure = Figure(figsize=(7, 3), layout="constrained")
    maps = figure.subplots(1, len(RUSH_HOURS), sharex=True, sharey=True)
    placed = ranks.merge(zones, on="zone")
    for axes, hour in zip(maps, RUSH_HOURS, strict=True):
        rows = placed[placed["hour"] == hour]
        areas = 4000 * rows["rank"]
        axes.scatter(
            rows["x_km"], rows["y_km"], areas, rows["community"], cmap="tab10", edgecolors="white"
        )
        axes.set(title=f"{hour} to {hour + 1} o'clock", xlabel="km", aspect="equal")
    return figure
