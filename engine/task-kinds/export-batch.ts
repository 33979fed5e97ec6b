// The batch of an export: joins the indexes, the search threads that read them, and the server they
// go to. It changes nothing here, so it commits nothing; the queue notes how it ended.

import { type ExportedIndex, Remote, runExport } from '../backup/export/index.ts'
import { Canceled, EngineFault, OutgoingFault, type Send, type Transfer } from '../model/index.ts'
import { retryWhileBusy } from '../read/search/index.ts'
import { decodeSettings } from '../settings/index.ts'
import { indexOfUid } from '../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../write/tasks/index.ts'
import { uncommitted } from './commit.ts'
import type { TaskEnvironment } from './task-kind.ts'
import { type BatchRun, contentOf } from './task-kind.ts'

export type ExportContent = {
  readonly kind: 'export'
  readonly url: string
  readonly apiKey: string | null
  /** As text, `24 MiB`. */
  readonly payloadSize: string | null
  /** By index pattern. */
  readonly indexes: {
    readonly [pattern: string]: { readonly filter: unknown; readonly overrideSettings: boolean }
  }
}

/** @throws StorageError */
export const runExportBatch: BatchRun = async (environment, plan, control) => {
  const { manifest, send = refuse, now, exportBytesMax: chunkBytesMax } = environment
  const content = contentOf<ExportContent>(plan)
  const { url, apiKey } = content
  const { signal } = control
  try {
    const remote = new Remote({ send, url, apiKey, signal, now: () => now() / 1000 })
    const indexes = await runExport({
      remote,
      request: content,
      uids: [...manifest.state.indexes.values()].map(({ uid }) => uid).sort(),
      open: (uid) => exportedIndex(environment, uid, signal),
      progress: control.progress,
      ...(chunkBytesMax === undefined ? {} : { chunkBytesMax }),
    })
    return uncommitted(allSucceeded(plan, { indexes }))
  } catch (error) {
    if (error instanceof Canceled) return { kind: 'aborted' }
    if (!(error instanceof EngineFault)) throw error
    const { code, message } = error
    return uncommitted(allFailed(plan, { code, message }))
  }
}

const refuse: Send = () =>
  Promise.reject(new OutgoingFault('rejected', 'no other server may be called'))

/** The newest view of an index, kept until it is released; null: no index has that name. */
type ExportParts = Pick<TaskEnvironment, 'manifest' | 'views' | 'searching' | 'features'>

/** An index to be sent elsewhere; with a transfer, its documents alone. null: it does not exist. */
export function exportedIndex(
  { manifest, views, searching, features }: ExportParts,
  uid: string,
  signal: AbortSignal,
  transfer?: Transfer,
): ExportedIndex | null {
  const known = indexOfUid(manifest.state, uid)
  const lease = known === undefined ? null : views.lease(known.index)
  if (known === undefined || lease === null) return null
  const view = { ref: lease.ref, release: () => undefined }
  return {
    uid,
    primaryKey: known.primaryKey,
    settings: decodeSettings(known.settings),
    chunk: (filter, after, bytesMax, fragments) => {
      const asked = { filter, after, bytesMax, fragments }
      const chunk = transfer === undefined ? asked : { ...asked, transfer }
      const job = { kind: 'export', chunk, features: features() } as const
      return retryWhileBusy(() => searching.run(view, job, signal))
    },
    release: lease.release,
  }
}
