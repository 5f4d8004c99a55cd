"""Carrying out a plan: the only part that changes the portal and the ledger."""
