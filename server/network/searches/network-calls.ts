// The calls that reads over the network consist of.
import type { AnswerShare, AnswerState, Engine, Remote, Send } from '../../../engine/index.ts'
import type { Availability, Latencies } from '../calls/index.ts'
import type { SearchPlan } from './search-plan.ts'

export type SearchesParts = {
  readonly engine: Engine
  readonly send: Send
  readonly availability: Availability
  readonly connectMs: number
  readonly searchMs: number
  /** Whether a second owner of a shard is called if the first one is slow. */
  readonly hedges: boolean
  readonly now: () => number
}

export type RemoteSearch = {
  readonly path: string
  readonly body: object | null
  readonly headers: { readonly [name: string]: string }
  readonly ms: number
  readonly signal: AbortSignal | null
  readonly take: (bytes: number) => boolean
  readonly state: AnswerState | undefined
}

export interface NetworkCalls {
  readonly parts: SearchesParts
  readonly latencies: Latencies
  /** Returns the plan for the searches of one request. */
  plan(): SearchPlan
  /** Returns the share of one request in the memory for answers. */
  room(): AnswerShare
  /** Calls another instance, with POST if there is a body. @throws ApiError */
  call(remote: Remote, call: RemoteSearch): Promise<Uint8Array>
}
