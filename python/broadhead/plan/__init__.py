"""The plan of a fragment: nodes, expressions, decoding, rewrites."""
