"""Running suites: scoring, comparing and reporting."""
