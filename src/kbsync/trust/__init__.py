"""What kbsync asks before it does what a stranger's kbsync.toml says: whose file it is, where it reaches, who agreed."""
