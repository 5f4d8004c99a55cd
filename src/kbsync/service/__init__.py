"""The HTTP side: what can be asked (profiles), how it is asked (transport), and what an answer means (wire)."""
