"""DPDS in which a committee adds up the shares; users may drop out."""
