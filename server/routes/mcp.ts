// The Model Context Protocol over HTTP: agents search with the rights of an API key.
import { jsonBody } from '../bodies/index.ts'
import { bearerToken, route } from '../http/index.ts'
import type { RequestContext, Route } from '../http/messages/index.ts'
import { McpServer } from '../mcp/index.ts'
import { checkFeature, questionStrategy, type RouteOptions } from './context/index.ts'

const MESSAGE = { permits: null, body: jsonBody('mcpMessage'), query: null } as const

/** `routes`: those that tools call. */
export function mcpRoutes(options: RouteOptions, routes: readonly Route[]): readonly Route[] {
  const { engine, authorise, readBody, masterKey, release } = options
  const memberDefaults = (uid: string) => questionStrategy(options, uid)
  const { version } = release
  const server = new McpServer({ routes, authorise, readBody, version, memberDefaults })
  // Each tool needs the rights of its own route; the route itself needs any key.
  const precheck = (request: Pick<RequestContext, 'header'>): null => {
    if (masterKey !== null) bearerToken(request.header('authorization'))
    checkFeature(engine.administration.features, 'mcpRoute', 'Using the /mcp route')
    return null
  }
  return [
    route('POST', '/mcp', { ...MESSAGE, precheck }, ({ body, context }) =>
      server.answer(body, context),
    ),
  ]
}
