"""Runs of one experiment that differ in a setting: which are steady, and what value to take."""
