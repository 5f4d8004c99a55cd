"""The content tree: walk, front matter, compile, and the scan cache that spares what did not change."""
