// Where and how often the state of a database is published.
import type { StoreOptions } from '../task-kinds/index.ts'

export type PublishOptions = {
  readonly store: StoreOptions
  readonly intervalMs: number
  /** What followers name to clients whose writes they refuse: an address or a name, no secret. */
  readonly writer?: string
  /** Writes what an operator wants to know into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
}
