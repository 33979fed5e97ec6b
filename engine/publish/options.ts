// Where and how often the state of a database is published.
import type { Transport } from '../backup/objstore/index.ts'
import type { StoreOptions } from '../task-kinds/index.ts'

export type PublishOptions = {
  readonly store: StoreOptions
  /** In place of the store's own one: snapshots bear a longer silence than what is published. */
  readonly transport?: Transport
  readonly intervalMs: number
  /** What followers name to clients whose writes they refuse: an address or a name, no secret. */
  readonly writer?: string
  /** Writes what an operator wants to know into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
}
