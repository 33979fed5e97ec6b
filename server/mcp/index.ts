// The Model Context Protocol: agents list, describe and search indexes by tools, with the rights of
// an API key.
export { McpServer } from './mcp-server.ts'
