"""Privacy mathematics: profiles, bounds, compositions and audits."""
