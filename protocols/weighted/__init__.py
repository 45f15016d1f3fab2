"""Weighted aggregation: groups with privacy budgets of their own, one estimate."""
