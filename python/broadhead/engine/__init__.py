"""Running of fragments."""
