"""Runs a property of Hypothesis on a few examples that have little in common.

Hypothesis takes its first examples independently of each other, and then varies those that it has.
That suits cheap examples. Of a hundred that each run queries, eighty would repeat almost the same.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import seed, settings

EXAMPLES = 9
"""Examples of a round: the simplest, and others before Hypothesis limits or varies them."""


def run_rounds(check: Callable[[], None], rounds: int, random_seed: str) -> None:
    """Runs a test decorated with `given`, each round with a seed of its own.

    Raises what the test raises for the smallest example that fails, with that example and the seed.
    """
    check = settings(max_examples=EXAMPLES)(check)
    for number in range(rounds):
        try:
            seed(f"{random_seed} {number}")(check)()
        except BaseException as error:
            error.add_note(f"Tables and examples are those of --hypothesis-seed {random_seed}")
            raise
