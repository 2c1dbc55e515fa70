-- split by regular expressions that are literals.

table lines
SELECT * FROM VALUES ('oneAtwoBthreeC', 'a,b,,c'), ('', ''), (',', 'a.b'), ('AB', ',a,'), ('äAö,ü', '日,本'), ('a  b', '1, 2 ,3'), (NULL, NULL), ('x|y', 'a|b') AS t(s, p)

query
SELECT split(s, '[ABC]'), split(s, ','), split(p, ','), split(p, '\\.'), split(p, ' *, *'), split(s, ' +', 0), split(p, '\\|', -1) FROM lines

query
SELECT size(split(s, '[A-C]')), split('a,b', ',') FROM lines

query
SELECT split(s, 'a'), split(p, 'b') FROM strings

query fallback(split)
SELECT split(s, ',', 2) FROM lines

query
SELECT split(s, ','), split(s, '[a-c]') FROM empty
