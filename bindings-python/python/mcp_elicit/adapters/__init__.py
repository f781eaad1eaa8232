"""Adapters to servers that exist: one module for each, which imports what it adapts to.

`mcp_elicit.adapters.mcp`: tools of the official SDK's `MCPServer` (`mcp` 2.x).
"""
