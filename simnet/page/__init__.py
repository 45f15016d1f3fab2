"""A page that shows one run: who sends what to whom, and what coalitions learn."""
