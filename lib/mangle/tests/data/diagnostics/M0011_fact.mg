tool(saw).
