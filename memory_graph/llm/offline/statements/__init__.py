"""How a plain English statement is read: clause, subject, predicate, value, sentence."""
