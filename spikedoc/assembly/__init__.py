"""The parts of a diagnosis put together as a Report."""
