// What a route is: the row of a table that says method, path, what a key needs, which body is read,
// and who answers. The router and the loop around a handler read nothing else.
import type { Encoding } from './accept-encoding.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * none: whatever is sent is passed over. json: JSON, in memory, with a ceiling of its own.
 * bulkJson: the same, for routes whose honest bodies may be as large as documents: lists of ids,
 * settings with their synonyms. documents: JSON, NDJSON or CSV, as a stream.
 */
export type BodyKind = 'none' | 'json' | 'bulkJson' | 'documents'

export type Rules = {
  /** The action that a key needs; null: open to everybody. */
  readonly permits: string | null
  readonly body: BodyKind
  /** Whether the query string is read; elsewhere it is passed over. */
  readonly query: boolean
}

/** The names after the colons of a path. */
export type ParameterOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParameterOf<Head> | ParameterOf<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** Which indexes the caller may see; null: all. */
export type Visibility = ((indexUid: string) => boolean) | null

/** Who asks, as far as handlers need to know. */
export type Caller = {
  readonly visible: Visibility
  /** Whether a task of this caller may create the index it names. */
  readonly mayCreateIndex: boolean
  /** Whether a further action is allowed, on the indexes that are visible. */
  readonly may: (action: string) => boolean
  /** The filter that searches of an index get besides their own: any JSON; null: none. */
  readonly filterOf: ((indexUid: string) => unknown) | null
  /** Of the API key that was sent; absent: the master key, or no keys are in force. */
  readonly keyUid?: string
  /** Whether the key would still be let in: keys end and are deleted while requests go on. */
  readonly isValid: () => boolean
}

/** Takes a body as it arrives; a promise is back pressure. */
export type BodySink = {
  write(chunk: Uint8Array): Promise<void>
}

/** A request as handlers see it. What is refused along the way is thrown as an ApiError. */
export interface RouteRequest<Name extends string = string> {
  /** Decoded parts of the path. */
  readonly params: { readonly [N in Name]: string }
  /** Without its `?`. */
  readonly query: string
  readonly caller: Caller
  /** The other end of the connection; empty where it has no address. */
  readonly address: string
  /**
   * Fires when the client has gone. In HTTP/1.1 it belongs to the connection and outlives the
   * request: a caller that listens takes the listener off again.
   */
  readonly signal: AbortSignal
  /** By lower-case name; undefined where it was not sent. */
  header(name: string): string | undefined
  /** The whole body, once its type is accepted. @throws ApiError */
  json(): Promise<Uint8Array>
  /**
   * Hands the body on, decoded and counted, to its end. @throws ApiError, and what the sink throws
   */
  pour(sink: BodySink): Promise<void>
}

export type Reply = {
  readonly status: number
  /** Bytes and texts go out as they are, anything else as JSON; undefined: nothing. */
  readonly body?: unknown
  /** `application/json` when absent. */
  readonly contentType?: string
  /**
   * In place of a body: pieces that are sent as they come, not packed, until they end or the client
   * has gone. The next one is asked for when the client has taken enough of those before.
   */
  readonly pieces?: AsyncIterable<Uint8Array | string>
  /** Further headers: name and value in turn. */
  readonly headers?: readonly string[]
  /** The body as it was packed beforehand. */
  readonly packed?: { readonly [encoding in Encoding]?: Uint8Array }
}

export type Handler<Name extends string> = (request: RouteRequest<Name>) => Reply | Promise<Reply>

export type Route = Rules & {
  /** Node sends what answers HEAD without its body. */
  readonly method: Method | 'HEAD'
  readonly path: string
  readonly handle: Handler<string>
}

/** A row of a table. `path` has to be a literal: its parameters are then known to the handler. */
export const route = <Path extends string>(
  method: Route['method'],
  path: Path,
  rules: Rules,
  handle: Handler<ParameterOf<Path>>,
): Route => ({ method, path, ...rules, handle: handle as Handler<string> })
