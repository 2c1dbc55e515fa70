"""Users' Python functions as expressions: their bytecode is interpreted with symbols for rows."""
