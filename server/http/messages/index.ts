// Requests and answers: routes, bodies that arrive, bodies that are sent.
export { sendContent, sendEmpty, sendError, sendReply } from './answer.ts'
export { pourBody, readJson, type Terms } from './body.ts'
export { BodyAccount, BodyShare } from './body-account.ts'
export { type DocumentType, documentType, requireJson } from './content-type.ts'
export { ALLOW_ORIGIN, preflight, VARY } from './cors.ts'
export { Deliveries } from './deliveries.ts'
export {
  BODY_ACCOUNT_BYTES,
  CONNECTIONS_MAX,
  CONNECTIONS_MIN,
  DECODER_ROOM_BYTES,
  DESCRIPTORS_ASSUMED,
  DESCRIPTORS_PER_CONNECTION,
  DESCRIPTORS_PER_PROCESSOR,
  DESCRIPTORS_RESERVED,
  HEADER_BYTES_MAX,
  PATH_PARTS_MAX,
  PIPELINED_MAX,
  PROBE_MS,
  PROBES_MAX,
  RESETS_MAX,
  RESETS_PER_SECOND_MAX,
  TIMEOUTS,
  type Timeouts,
} from './limits.ts'
export {
  type Answer,
  type BodyOf,
  type BodyRule,
  type BodySink,
  type BodySource,
  bodyKind,
  type Caller,
  type DocumentsBody,
  type Handler,
  type JsonBody,
  type ParameterOf,
  type Precheck,
  type QueryOf,
  type RawRequest,
  type Reply,
  type RequestContext,
  type Route,
  type RouteRequest,
  type Rules,
  type WholeBody,
} from './route.ts'
export { sizeForPeople } from './size-in-words.ts'
export { Watch } from './watch.ts'
