"""Tools of MCP servers as actions: what a project's ``.mcp.json`` names, allowed by a person, started in the sandbox."""
