// The common form in which every version of a dump is read: the parts of the newest version.
import type { IndexUid } from '../../../format/ids.ts'
import type { ApiKey } from '../../admin/keys/index.ts'
import type { Webhook } from '../../admin/webhooks/index.ts'
import type { ChatWorkspace } from '../../ai/chats/index.ts'
import type { Features } from '../../model/index.ts'
import type { Network } from '../../network/records/index.ts'
import type { SearchRule } from '../../read/search-rules/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { ImportedBatch } from '../../write/tasks/index.ts'
import type { DumpFiles } from './lines.ts'
import type { TaskLine } from './task-lines.ts'

export type DumpVersion = 'V1' | 'V2' | 'V3' | 'V4' | 'V5' | 'V6'

export type ReadIndex = {
  readonly uid: IndexUid
  readonly primaryKey: string | null
  /** Microseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  /** @throws DumpError, EngineFault */
  readonly settings: () => IndexSettings
  /** The file of its documents, one per line, relative to the dump, or null without documents. */
  readonly documents: string | null
}

export type ReadTask = {
  readonly task: TaskLine
  /** The file of a waiting import's documents, relative to the dump, or null without documents. */
  readonly body: string | null
}

/** An unpacked dump. Each part is checked when it is read. @throws DumpError */
export interface DumpReader {
  readonly files: DumpFiles
  readonly version: DumpVersion
  readonly release: string | null
  /** Microseconds since 1970. */
  readonly date: number | null
  readonly instanceUid: string | null
  /** Newest first, as in the file; empty if the version has no keys. */
  keys(): AsyncIterable<ApiKey>
  chats(): readonly (readonly [uid: string, workspace: ChatWorkspace])[]
  /** By ascending uid. */
  tasks(): AsyncIterable<ReadTask>
  batches(): AsyncIterable<ImportedBatch>
  indexes(): readonly ReadIndex[]
  features(): Partial<Features>
  network(): Network | null
  webhooks(): readonly Webhook[]
  rules(): AsyncIterable<SearchRule>
}
