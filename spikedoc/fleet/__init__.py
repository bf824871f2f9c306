"""Many runs in many places: found, diagnosed in parallel, kept in a store, summed up."""
