// Checks the protocol version of requests between instances. Another version is refused before the
// request is read, with a temporary error, so that it is repeated while a network is upgraded.
import { ApiError } from '../errors/index.ts'
import type { RequestContext, Route } from '../http/index.ts'
import { PROTOCOL, PROTOCOL_VERSION } from './headers.ts'

/** Requests without the header come from clients. @throws ApiError network_protocol_mismatch */
function checkProtocol(context: Pick<RequestContext, 'header'>): void {
  const given = context.header(PROTOCOL)
  if (given === undefined || given === String(PROTOCOL_VERSION)) return
  throw new ApiError(
    'network_protocol_mismatch',
    `The request speaks protocol \`${given.slice(0, 20)}\` of the network, and this instance ` +
      `protocol \`${PROTOCOL_VERSION}\`.\n  - Hint: run the same release on all instances.`,
  )
}

/** Returns the routes with a check of the protocol version. */
export const withProtocol = (routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => ({
    ...route,
    handle: (request) => {
      checkProtocol(request)
      return route.handle(request)
    },
  }))
