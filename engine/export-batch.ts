// The batch of an export: joins the indexes, the search threads that read them, and the server they
// go to. It changes nothing here, so it commits nothing; the queue notes how it ended.

import { indexOfUid, type Manifest } from './catalog/index.ts'
import { EngineFault } from './errors.ts'
import {
  ExportCanceled,
  type ExportedIndex,
  OutgoingFault,
  Remote,
  runExport,
  type Send,
} from './export/index.ts'
import type { Features } from './model/index.ts'
import { patiently } from './patience.ts'
import { SearchCanceled, type Searching } from './search/index.ts'
import { decodeSettings } from './settings/index.ts'
import {
  allFailed,
  allSucceeded,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  type Micros,
} from './tasks/index.ts'
import type { Views } from './views.ts'

export type ExportParts = {
  readonly manifest: Manifest
  readonly views: Views
  readonly searching: Searching
  readonly features: () => Features
  readonly now: () => Micros
  /** Absent: no other server can be called. */
  readonly send: Send | undefined
  /** Bytes of a chunk where the request names none. */
  readonly chunkBytesMax: number | undefined
}

/** @throws StorageError */
export async function exportBatch(
  parts: ExportParts,
  plan: BatchPlan,
  control: BatchControl,
): Promise<BatchEnd> {
  const { content } = plan.tasks[0]!
  if (content.kind !== 'export') throw new RangeError('an export exports')
  const { manifest, send = nobody, now, chunkBytesMax } = parts
  const { url, apiKey } = content
  const { signal } = control
  try {
    const remote = new Remote({ send, url, apiKey, signal, now: () => now() / 1000 })
    const indexes = await runExport({
      remote,
      request: content,
      uids: [...manifest.state.indexes.values()].map(({ uid }) => uid).sort(),
      open: (uid) => opened(parts, uid, signal),
      progress: control.progress,
      ...(chunkBytesMax === undefined ? {} : { chunkBytesMax }),
    })
    return { kind: 'uncommitted', result: allSucceeded(plan, { indexes }) }
  } catch (error) {
    const isCanceled = error instanceof ExportCanceled || error instanceof SearchCanceled
    if (isCanceled) return { kind: 'aborted' }
    if (!(error instanceof EngineFault)) throw error
    const { code, message } = error
    return { kind: 'uncommitted', result: allFailed(plan, { code, message }) }
  }
}

const nobody: Send = () =>
  Promise.reject(new OutgoingFault('rejected', 'no other server may be called'))

/** The newest view of an index, kept until it is released; null: there is none of that name. */
function opened(
  { manifest, views, searching, features }: ExportParts,
  uid: string,
  signal: AbortSignal,
): ExportedIndex | null {
  const known = indexOfUid(manifest.state, uid)
  const lease = known === undefined ? null : views.lease(known.index)
  if (known === undefined || lease === null) return null
  const view = { ref: lease.ref, release: () => undefined }
  return {
    uid,
    primaryKey: known.primaryKey,
    settings: decodeSettings(known.settings),
    chunk: (filter, after, bytesMax) => {
      const chunk = { filter, after, bytesMax }
      const job = { kind: 'export', chunk, features: features() } as const
      return patiently(() => searching.run(view, job, signal))
    },
    release: lease.release,
  }
}
