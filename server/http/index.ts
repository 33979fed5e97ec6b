// Here is a request: which route, which body, which reply?
export {
  type Authorise,
  bearerToken,
  EVERYTHING,
  invalidKey,
  masterKeyOnly,
} from './authorise.ts'
export { type DocumentType, documentType } from './content-type.ts'
export {
  type Answered,
  type ExchangeOptions,
  type HttpLog,
  type Listener,
  listener,
} from './exchange.ts'
export { TIMEOUTS, type Timeouts } from './limits.ts'
export { loadTls } from './load-tls.ts'
export {
  type BodyKind,
  type BodySink,
  type Caller,
  type Handler,
  METHODS,
  type Method,
  type Reply,
  type Route,
  type RouteRequest,
  type Rules,
  route,
  type Visibility,
} from './route.ts'
export { type Match, type Resource, Router } from './router.ts'
export { type Address, HttpServer, type ServerMaker } from './server.ts'
export { sizeForPeople, sizeInWords } from './size-in-words.ts'
export type { TlsFiles } from './tls-files.ts'
