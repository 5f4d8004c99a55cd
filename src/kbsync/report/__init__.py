"""Plans, outcomes and findings as text, JSON, Markdown or GitHub annotations. Pure: values in, a string out."""
