// Where, how often and by whom the state of a database is published.
import type { Transport, WriterLease } from '../../backup/objstore/index.ts'
import type { StoreOptions } from '../../task-kinds/kind/index.ts'

export type PublishOptions = {
  readonly store: StoreOptions
  /**
   * Replaces the store's own transport, because snapshots tolerate longer silence than publishing.
   */
  readonly transport?: Transport
  readonly intervalMs: number
  /**
   * interval: a write is acknowledged when it is durable here, and published at the next interval.
   * sync: it is published at once, and acknowledged after that. By default interval.
   */
  readonly mode?: 'interval' | 'sync'
  /** The lease that this process holds; absent if the place has none. */
  readonly lease?: WriterLease
  /** The instance whose place this one takes; absent for none. */
  readonly replaces?: string
  /**
   * Followers name it to clients whose writes they refuse: an address or a name, without secrets.
   */
  readonly writer?: string
  /** Writes messages for the operator into the log. */
  readonly say: (level: 'info' | 'warn' | 'error', message: string) => void
  readonly report?: (message: string, error: unknown) => void
}
