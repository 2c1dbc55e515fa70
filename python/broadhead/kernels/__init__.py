"""The two low-level libraries under the engine, behind one interface."""
