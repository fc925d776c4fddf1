"""Everything that is asked of a language model, or of the rules that stand in for one."""
