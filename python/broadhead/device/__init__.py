"""The process that computes on an executor's GPU: see docs/design/device-process.md."""
