"""Files in, tables of series out; each module exports READER."""
