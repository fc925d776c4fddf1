"""Read what people say: its words, sentences, names, times and facts, in 16 languages."""
