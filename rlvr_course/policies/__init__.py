"""Policies: what answers a request, whether replayed, simulated or over an API."""
