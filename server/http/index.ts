// Here is a request: which route, which body, which reply?
export {
  type Authorise,
  bearerToken,
  EVERYTHING,
  invalidKey,
  masterKeyOnly,
} from './authorise.ts'
export { type DocumentType, documentType } from './content-type.ts'
export { route } from './declare.ts'
export {
  type Answered,
  type ExchangeOptions,
  type HttpLog,
  type Listener,
  listener,
  type ReadBody,
} from './exchange.ts'
export { TIMEOUTS, type Timeouts } from './limits.ts'
export { loadTls } from './load-tls.ts'
export { requestUid } from './request-uid.ts'
export {
  type BodyKind,
  type BodySink,
  type BodySource,
  bodyKind,
  type Caller,
  type DocumentsBody,
  type Handler,
  type JsonBody,
  METHODS,
  type Method,
  type RawRequest,
  type Reply,
  type RequestContext,
  type Route,
  type RouteRequest,
  type Rules,
  type Visibility,
} from './route.ts'
export { type Match, type Resource, Router } from './router.ts'
export { type Address, HttpServer, type ServerMaker } from './server.ts'
export { sizeForPeople, sizeInWords } from './size-in-words.ts'
export type { TlsFiles } from './tls-files.ts'
