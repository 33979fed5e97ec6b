// Reports about requests and about the server's work.
import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../errors/index.ts'
import type { Route } from './messages/index.ts'

/** A request that was answered. */
export type Answered = {
  readonly request: IncomingMessage
  /** The route, or null if no route has the path or the method. */
  readonly route: Route | null
  readonly status: number
  readonly error: ApiError | null
  /** When the headers had arrived, on the clock of `performance.now()`. */
  readonly beganAt: number
  readonly millis: number
  /** The part of `millis` that was spent waiting for the body. */
  readonly idleMs: number
  /** The value read from the JSON body, if `logsBody` is true for the route. */
  readonly body: unknown
}

/** Receives reports about the server's work. */
export type HttpLog = {
  /** A request failed through a defect or a failure of the server. */
  failed(route: Route, error: ApiError): void
  answered(answered: Answered): void
}
