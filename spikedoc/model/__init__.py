"""The nouns that flow through spikedoc; numpy and the standard library only."""
