// The options of this server's part of a network.
import type { Engine, Send } from '../../engine/index.ts'
import type { CallTimes } from './calls/index.ts'

export type ServiceOptions = {
  readonly engine: Engine
  readonly send: Send
  readonly writes: CallTimes & { readonly backoffMs: number }
  readonly searchMs: number
  /** Bytes of unconfirmed tasks that may be kept for one remote. */
  readonly backlogBytesMax: number
  /** Whether a second owner of a shard is called if the first one is slow. */
  readonly hedges: boolean
  /** True if API keys are not required. */
  readonly isOpen: boolean
  /** Whether an API key may change the network. */
  readonly isMemberKey: (key: string) => boolean
  readonly report: (message: string, error: unknown) => void
}
