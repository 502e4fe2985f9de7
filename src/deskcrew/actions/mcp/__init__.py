"""Tools of MCP servers as actions: named in a project's ``.mcp.json``, allowed by a person, started in the sandbox."""
