// Where and how often the state of a database is published.
import type { Transport } from '../backup/objstore/index.ts'
import type { StoreOptions } from '../task-kinds/index.ts'

export type PublishOptions = {
  readonly store: StoreOptions
  /**
   * Replaces the store's own transport, because snapshots tolerate longer silence than publishing.
   */
  readonly transport?: Transport
  readonly intervalMs: number
  /**
   * Followers name it to clients whose writes they refuse: an address or a name, without secrets.
   */
  readonly writer?: string
  /** Writes messages for the operator into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
}
