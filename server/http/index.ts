// The HTTP server: sockets, routing, bodies, answers.
export {
  type Authorise,
  bearerToken,
  EVERYTHING,
  invalidKey,
  masterKeyOnly,
} from './authorise.ts'
export { type DocumentType, documentType } from './content-type.ts'
export { route } from './declare.ts'
export type {
  Answered,
  HttpLog,
  ReadBody,
} from './exchange.ts'

export { loadTls, type TlsServerMaker } from './load-tls.ts'
export { requestUid } from './request-uid.ts'
export type {
  BodySink,
  BodySource,
  Caller,
  DocumentsBody,
  JsonBody,
  RawRequest,
  Reply,
  RequestContext,
  Route,
  RouteRequest,
  WholeBody,
} from './route.ts'
export { Router } from './router.ts'
export { type Address, HttpServer, type ServerMaker } from './server.ts'
export { sizeForPeople } from './size-in-words.ts'
export { readTarget } from './target.ts'
