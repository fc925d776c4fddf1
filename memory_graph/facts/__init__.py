"""Facts: how they are read, admitted, changed and stored."""
