"""Episodes: how they are captured, merged, chained, searched and shown."""
