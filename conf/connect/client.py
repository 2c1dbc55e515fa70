"""A client of the server: pip install "pyspark-client". It needs no Broadhead.

Made by: broadhead conf --for connect
"""

from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://localhost:15002").getOrCreate()
spark.range(1000).groupBy("id").count().explain()
