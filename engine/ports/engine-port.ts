// The engine as its callers see it. Requests are typed and already well-formed (engine/model); what
// only the index can know (does the field exist, is it filterable) is checked inside and comes back
// as an EngineFault.
import type { FollowStatus } from '../model/index.ts'
import type { AdministrationPort } from './administration.ts'
import type { DocumentsPort } from './documents.ts'
import type { SearchPort } from './search.ts'
import type { TasksPort } from './tasks.ts'

export interface Engine extends AdministrationPort, DocumentsPort, TasksPort, SearchPort {
  /** How well this engine follows another database; null: it takes writes. */
  readonly follows: FollowStatus | null
  /**
   * Finishes what must not be left half done, closes the files. Running batches start again next
   * time.
   */
  close(): Promise<void>
}
