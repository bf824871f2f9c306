"""Report in, text out; each module exports RENDERER."""
