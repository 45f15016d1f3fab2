"""From a run to a study: scenarios, the people in them, what a run is worth, where scenarios are found."""
