"""Questions about public conversations: is the answer given to a reader, and do they say it?"""
