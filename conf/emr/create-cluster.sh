#!/usr/bin/env bash
# Starts a cluster. Copy the jar and the other scripts of this folder to s3://BUCKET/broadhead/ before.
# Made by: broadhead conf --for emr
set -euo pipefail

aws emr create-cluster \
  --name broadhead \
  --release-label emr-spark-8.0.0 \
  --applications Name=Spark \
  --configurations file://configurations.json \
  --bootstrap-actions Path=s3://BUCKET/broadhead/bootstrap.sh \
  --instance-groups \
    InstanceGroupType=MASTER,InstanceCount=1,InstanceType=m6i.2xlarge \
    InstanceGroupType=CORE,InstanceCount=2,InstanceType=g5.4xlarge \
  --ebs-root-volume-size 100 \
  --use-default-roles
