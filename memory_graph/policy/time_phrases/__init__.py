"""Time phrases: which past time does a message speak of?"""

from memory_graph.policy.time_phrases.finder import find_time_phrase
from memory_graph.policy.time_phrases.values import Granularity, Hemisphere, TimeRange

__all__ = ["Granularity", "Hemisphere", "TimeRange", "find_time_phrase"]
