// Which release of the protocol between instances a request speaks. An instance refuses another one
// before it looks at the request, with a status that passes: what is refused while a network is
// upgraded is sent again.
import { ApiError } from '../errors/index.ts'
import type { RequestContext, Route } from '../http/index.ts'
import { PROTOCOL, PROTOCOL_VERSION } from './headers.ts'

/** Requests without the header are those of clients. @throws ApiError network_protocol_mismatch */
function checkProtocol(context: Pick<RequestContext, 'header'>): void {
  const given = context.header(PROTOCOL)
  if (given === undefined || given === String(PROTOCOL_VERSION)) return
  throw new ApiError(
    'network_protocol_mismatch',
    `The request speaks protocol \`${given.slice(0, 20)}\` of the network, and this instance ` +
      `protocol \`${PROTOCOL_VERSION}\`.\n  - Hint: run the same release on all instances.`,
  )
}

/** The same routes for requests of this protocol. */
export const withProtocol = (routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => ({
    ...route,
    handle: (request) => {
      checkProtocol(request)
      return route.handle(request)
    },
  }))
