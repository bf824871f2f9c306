"""Detections in context, labelled."""
