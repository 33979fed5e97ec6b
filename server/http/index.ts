// The HTTP server: sockets, routing, bodies, answers.
export { type Authorise, bearerToken, EVERYTHING, invalidKey } from './authorise.ts'

export { connectionsMax } from './connection-limit.ts'
export { route } from './declare.ts'
export type { ReadBody } from './exchange.ts'

export type { Answered, HttpLog } from './log.ts'
export { requestUid } from './request-uid.ts'
export { Router } from './router.ts'
export { type Address, HttpServer, type ServerMaker } from './server.ts'
export { readTarget } from './target.ts'
export { type TlsServerMaker, tlsServerMaker } from './tls.ts'
