// What a route is: the row of a table that says method, path, what a key needs, what is read of the
// query string and the body, and who answers. The router, the loop around a handler and the
// description of the API read nothing else.
import type { JsonSchema, QueryReader } from '../parse/index.ts'
import type { Packing } from '../unpack/index.ts'
import type { Encoding } from './accept-encoding.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/**
 * none: whatever is sent is passed over. json: JSON, in memory, with a ceiling of its own.
 * bulkJson: the same, for routes whose honest bodies may be as large as documents: lists of ids,
 * settings with their synonyms. documents: JSON, NDJSON or CSV, as a stream.
 */
export type BodyKind = 'none' | 'json' | 'bulkJson' | 'documents'

type Params<Name extends string> = { readonly [N in Name]: string }

/** JSON that a route reads: which reader makes a value of it, and what it must be. */
export type JsonBody<T = unknown, Name extends string = string> = {
  readonly kind: 'json' | 'bulkJson'
  /** The name of the reader, which can be told to a thread. */
  readonly reader: string
  /** Reads a body on the spot. @throws ApiError */
  readonly read: (body: Uint8Array, ...details: readonly never[]) => T
  /** What the reader needs to know besides the body. */
  readonly details: (params: Params<Name>) => readonly unknown[]
  readonly schema: () => JsonSchema
}

/** What a route does with a body: JSON is declared, the rest is as in `BodyKind`. */
export type BodyRule<Name extends string = never> = 'none' | 'documents' | JsonBody<unknown, Name>

/** What a handler gets of a body. */
export type BodyOf<Rule> = Rule extends { readonly read: (...args: never[]) => infer T }
  ? T
  : Rule extends 'documents'
    ? DocumentsBody
    : null

/** What a handler gets of a query string. */
export type QueryOf<Rule> = Rule extends QueryReader<infer T> ? T : null

/** What a route declares. */
export type Rules<Body = BodyRule, Query = QueryReader<unknown> | null> = {
  /** The action that a key needs; null: open to everybody. */
  readonly permits: string | null
  readonly body: Body
  /** null: the query string is passed over. */
  readonly query: Query
  /** Faults of the body are told before those of the query string. */
  readonly isBodyFirst?: boolean
}

/** The names after the colons of a path. */
export type ParameterOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParameterOf<Head> | ParameterOf<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** Which indexes the caller may see; null: all. */
type Visibility = ((indexUid: string) => boolean) | null

/** Who asks, as far as handlers need to know. */
export type Caller = {
  readonly visible: Visibility
  /** Whether a task of this caller may create the index it names. */
  readonly mayCreateIndex: boolean
  /** Whether a further action is allowed, on the indexes that are visible. */
  readonly may: (action: string) => boolean
  /** The filter that searches of an index get besides their own: any JSON; null: none. */
  readonly filterOf: ((indexUid: string) => unknown) | null
  /**
   * What a request for an index that is not visible is told; absent: that the key is invalid.
   */
  readonly refusal?: (indexUid: string) => Error
  /** Of the API key that was sent; absent: the master key, or no keys are in force. */
  readonly keyUid?: string
  /** Whether the key would still be let in: keys end and are deleted while requests go on. */
  readonly isValid: () => boolean
}

/** Takes a body as it arrives; a promise is back pressure. */
export type BodySink = {
  write(chunk: Uint8Array): Promise<void>
}

/** A body of documents, which is read as it comes. */
export type DocumentsBody = {
  /**
   * Hands the body on, decoded and counted, to its end. @throws ApiError, and what the sink throws
   */
  pour(sink: BodySink): Promise<void>
}

/** What calls need to know of the request in whose course they are made. */
export interface RequestContext {
  /** Names the request: a UUID of version 7. */
  readonly uid: string
  /** The other end of the connection; empty where it has no address. */
  readonly address: string
  /**
   * Fires when the client has gone. In HTTP/1.1 it belongs to the connection and outlives the
   * request: a caller that listens takes the listener off again.
   */
  readonly signal: AbortSignal
  /** By lower-case name; undefined where it was not sent. */
  header(name: string): string | undefined
}

/** Where a JSON body comes from. */
export interface BodySource extends Pick<RequestContext, 'signal' | 'header'> {
  /** The whole body, once its type is accepted. @throws ApiError */
  json(): Promise<WholeBody>
}

/** A body that has arrived. */
export type WholeBody = {
  readonly bytes: Uint8Array
  /** null: it is not packed. */
  readonly packing: Packing | null
  /**
   * Takes memory for so many bytes that came out of a packed body, in place of that for the packed
   * one; it is given back when the request has been answered. undefined: there was room.
   * @throws ApiError too_many_request_bodies
   */
  hold(bytes: number): Promise<void> | undefined
}

/** A request before its query and its body are read. What is refused is thrown as an ApiError. */
export interface RawRequest extends RequestContext, DocumentsBody {
  /** Decoded parts of the path. */
  readonly params: Params<string>
  /** Without its `?`. */
  readonly query: string
  readonly caller: Caller
  /** The body as the declared reader sees it. @throws ApiError */
  read<T>(body: JsonBody<T>): Promise<T>
}

/** A request as handlers see it: everything that was declared has been read. */
export type RouteRequest<Name extends string = string, Body = unknown, Query = unknown> = {
  /** Decoded parts of the path. */
  readonly params: Params<Name>
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly context: RequestContext
}

export type Reply = {
  readonly status: number
  /** Bytes and texts go out as they are, anything else as JSON; undefined: nothing. */
  readonly body?: unknown
  /** In place of a body: its bytes, one after the other. */
  readonly parts?: readonly Uint8Array[]
  /** `application/json` when absent. */
  readonly contentType?: string
  /**
   * In place of a body: pieces that are sent as they come, not packed, until they end or the client
   * has gone. The next one is asked for when the client has taken enough of those before.
   */
  readonly pieces?: AsyncIterable<Uint8Array | string>
  /**
   * What may stand between two pieces and says nothing: it is sent to find out whether a client
   * that has closed its half of the connection still reads. Absent: one that has gone is noticed
   * with the next piece.
   */
  readonly filler?: string
  /** Further headers: name and value in turn. */
  readonly headers?: readonly string[]
  /** The body as it was packed beforehand. */
  readonly packed?: { readonly [encoding in Encoding]?: Uint8Array }
}

export type Answer = Reply | Promise<Reply>

export type Handler<Name extends string, Body, Query> = (
  request: RouteRequest<Name, Body, Query>,
) => Answer

/** Looks at a request before its query and body are read: throws, or replies; null: they are. */
export type Precheck<Name extends string> = (
  request: Pick<RouteRequest<Name>, 'params' | 'caller'>,
) => Reply | null

export type Route = Rules & {
  /** Node sends what answers HEAD without its body. */
  readonly method: Method | 'HEAD'
  readonly path: string
  readonly handle: (request: RawRequest) => Answer
}

export const bodyKind = ({ body }: Pick<Route, 'body'>): BodyKind =>
  typeof body === 'string' ? body : body.kind
