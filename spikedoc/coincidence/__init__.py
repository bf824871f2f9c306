"""Spikes of several runs at one place of the data, weighed against chance."""
