// The definition of a route, a row of the route table: method, path, the required action, the parts
// of the query string and the body that it reads, and the handler. The router, the code around a
// handler and the API description use nothing else.
import type { IndexUid } from '../../../format/ids.ts'
import type { JsonSchema, QueryReader } from '../../parse/schema/index.ts'
import type { Packing } from '../../unpack/index.ts'
import type { Encoding } from './accept-encoding.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/**
 * none: the body is ignored. json: JSON in memory, with a separate limit. bulkJson: the same for
 * routes whose legitimate bodies may be as large as documents: lists of ids, settings with their
 * synonyms. documents: JSON, NDJSON or CSV, as a stream.
 */
export type BodyKind = 'none' | 'json' | 'bulkJson' | 'documents'

type Params<Name extends string> = { readonly [N in Name]: string }

/** JSON that a route reads: the reader that parses it, and its schema. */
export type JsonBody<T = unknown, Name extends string = string> = {
  readonly kind: 'json' | 'bulkJson'
  /** The name of the reader, which can be passed to a thread. */
  readonly reader: string
  /** Reads a body on the current thread. @throws ApiError */
  readonly read: (body: Uint8Array, ...details: readonly never[]) => T
  /** Returns the reader's arguments besides the body. */
  readonly details: (params: Params<Name>) => readonly unknown[]
  readonly schema: () => JsonSchema
}

/** How a route uses a body: JSON is declared, the others are as in `BodyKind`. */
export type BodyRule<Name extends string = never> = 'none' | 'documents' | JsonBody<unknown, Name>

/** The type of the body that a handler receives. */
export type BodyOf<Rule> = Rule extends { readonly read: (...args: never[]) => infer T }
  ? T
  : Rule extends 'documents'
    ? DocumentsBody
    : null

/** The type of the query string that a handler receives. */
export type QueryOf<Rule> = Rule extends QueryReader<infer T> ? T : null

/** The inputs that a route declares. */
export type Rules<Body = BodyRule, Query = QueryReader<unknown> | null> = {
  /** The action that a key needs, or null if the route is public. */
  readonly permits: string | null
  readonly body: Body
  /** Reader of the query string, or null to ignore it. */
  readonly query: Query
  /** Reports faults of the body before those of the query string. */
  readonly isBodyFirst?: boolean
}

/** The names after the colons of a path. */
export type ParameterOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParameterOf<Head> | ParameterOf<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** Tests whether the caller may see an index; null means all. */
type Visibility = ((indexUid: IndexUid) => boolean) | null

/** The caller, reduced to what handlers need. */
export type Caller = {
  readonly visible: Visibility
  /** True if a task of this caller may create the index that it names. */
  readonly mayCreateIndex: boolean
  /** Returns whether a further action is allowed, on the visible indexes. */
  readonly may: (action: string) => boolean
  /**
   * Returns the filter that is added to searches of an index, as a JSON value. Null if searches of
   * this caller are not filtered.
   */
  readonly filterOf: ((indexUid: IndexUid) => unknown) | null
  /** Returns the error for an index that is not visible; by default that the key is invalid. */
  readonly refusal?: (indexUid: IndexUid) => Error
  /** Uid of the API key that was sent; absent with the master key or without authorisation. */
  readonly keyUid?: string
  /** Returns whether the key is still valid: keys expire and are deleted while requests run. */
  readonly isValid: () => boolean
}

/** Consumes a body as it arrives; a promise is back pressure. */
export type BodySink = {
  write(chunk: Uint8Array): Promise<void>
}

/** A body of documents, which is read as it arrives. */
export type DocumentsBody = {
  /**
   * Passes the whole decoded and counted body to the sink. @throws ApiError, and errors of the sink
   */
  pour(sink: BodySink): Promise<void>
}

/** The parts of the request that calls made on its behalf need. */
export interface RequestContext {
  /** Id of the request: a UUID of version 7. */
  readonly uid: string
  /** Address of the other end of the connection; empty if it has none. */
  readonly address: string
  /**
   * Fires when the client disconnects. In HTTP/1.1 it belongs to the connection and outlives the
   * request, so listeners must be removed.
   */
  readonly signal: AbortSignal
  /** Returns a header by its lower-case name, or undefined if it was not sent. */
  header(name: string): string | undefined
}

/** The source of a JSON body. */
export interface BodySource extends Pick<RequestContext, 'signal' | 'header'> {
  /** Checks the content type and reads the whole body. @throws ApiError */
  json(): Promise<WholeBody>
}

/** A body that has arrived. */
export type WholeBody = {
  readonly bytes: Uint8Array
  /** The compression of `bytes`, or null if they are plain. */
  readonly packing: Packing | null
  /**
   * Holds memory for this many decompressed bytes, in place of that for the compressed ones, until
   * the request has been answered. Returns undefined if there was room.
   * @throws ApiError too_many_request_bodies
   */
  hold(bytes: number): Promise<void> | undefined
}

/** A request before its query and its body are read. Refusals are thrown as ApiError. */
export interface RawRequest extends RequestContext, DocumentsBody {
  /** Decoded parameters of the path. */
  readonly params: Params<string>
  /** The query string without its `?`. */
  readonly query: string
  readonly caller: Caller
  /** Reads the body with the declared reader. @throws ApiError */
  read<T>(body: JsonBody<T>): Promise<T>
}

/** A request as handlers see it: all declared inputs have been read. */
export type RouteRequest<Name extends string = string, Body = unknown, Query = unknown> = {
  /** Decoded parameters of the path. */
  readonly params: Params<Name>
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly context: RequestContext
}

export type Reply = {
  readonly status: number
  /** Bytes and strings are sent unchanged, other values as JSON; undefined sends nothing. */
  readonly body?: unknown
  /** Instead of a body: its bytes in parts, in order. */
  readonly parts?: readonly Uint8Array[]
  /** Default: `application/json`. */
  readonly contentType?: string
  /**
   * Instead of a body: pieces that are sent as they come, uncompressed, until they end or the
   * client disconnects. The next one is requested when the client has read enough of the previous
   * ones.
   */
  readonly pieces?: AsyncIterable<Uint8Array | string>
  /**
   * A meaningless text that may be sent between two pieces, to find out whether a client that has
   * closed its half of the connection still reads. Without it, a client that left is noticed with
   * the next piece.
   */
  readonly filler?: string
  /** Disconnects the client while pieces are sent, whether or not it has read them. */
  readonly disconnect?: AbortSignal
  /** Further headers: names and values, alternately. */
  readonly headers?: readonly string[]
  /** The body, compressed beforehand. */
  readonly packed?: { readonly [encoding in Encoding]?: Uint8Array }
}

export type Answer = Reply | Promise<Reply>

export type Handler<Name extends string, Body, Query> = (
  request: RouteRequest<Name, Body, Query>,
) => Answer

/**
 * Checks a request before its query and body are read: throws, or replies, or returns null to
 * continue.
 */
export type Precheck<Name extends string> = (
  request: Pick<RouteRequest<Name>, 'params' | 'caller'> & Pick<RequestContext, 'header'>,
) => Reply | null

export type Route = Rules & {
  /** Node sends the answer to HEAD without its body. */
  readonly method: Method | 'HEAD'
  readonly path: string
  readonly handle: (request: RawRequest) => Answer
}

export const bodyKind = ({ body }: Pick<Route, 'body'>): BodyKind =>
  typeof body === 'string' ? body : body.kind
