"""Before kbsync does what a stranger's kbsync.toml says: whose file it is, where it reaches, who agreed to that."""
