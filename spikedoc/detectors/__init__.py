"""Run in, detections out; each module exports DETECTOR."""
