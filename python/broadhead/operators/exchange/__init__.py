"""Both ends of shuffles and broadcasts."""
