// Where and how often the state of a database is published.
import type { StoreOptions } from '../task-kinds/index.ts'

export type PublishOptions = {
  readonly store: StoreOptions
  readonly intervalMs: number
  /** Writes what an operator wants to know into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
}
