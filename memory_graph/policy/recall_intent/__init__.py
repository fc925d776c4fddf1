"""Does a message ask the agent to look back?"""

from memory_graph.policy.recall_intent.detection import (
    RecallGrade,
    RecallIntent,
    RecallReason,
    detect_recall_intent,
)

__all__ = ["RecallGrade", "RecallIntent", "RecallReason", "detect_recall_intent"]
