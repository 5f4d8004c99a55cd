"""The heart: match, plan, push. What is decided is pure; only push changes the portal and the ledger."""
