"""The five papers: their claims, and what our runs measured of them."""
