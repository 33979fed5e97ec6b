// The batch of an export: reads the indexes through the search threads and sends them to another
// server. It changes nothing in the database and commits nothing; the queue records its outcome.
import type { IndexUid } from '../../../format/ids.ts'
import { type ExportedIndex, Remote, runExport } from '../../backup/export/index.ts'
import { EngineFault, OutgoingFault, type Send } from '../../model/index.ts'
import type { Transfer } from '../../network/records/index.ts'
import { retryWhileBusy } from '../../read/pool/index.ts'
import { decodeSettings } from '../../settings/index.ts'
import { indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../../write/batching/index.ts'
import { type BatchRun, contentOf, type TaskEnvironment, uncommitted } from '../kind/index.ts'

export type ExportContent = {
  readonly kind: 'export'
  readonly url: string
  readonly apiKey: string | null
  /** As text, such as `24 MiB`. */
  readonly payloadSize: string | null
  /** Keyed by index pattern. */
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
    if (!(error instanceof EngineFault)) throw error
    const { code, message } = error
    return uncommitted(allFailed(plan, { code, message }))
  }
}

const refuse: Send = () =>
  Promise.reject(new OutgoingFault('rejected', 'no other server may be called'))

/** The parts of the environment that an export uses. */
type ExportParts = Pick<TaskEnvironment, 'manifest' | 'views' | 'searching' | 'features'>

/**
 * Opens the newest view of an index for sending; with `transfer`, only its documents. The caller
 * releases it. Null if the index does not exist.
 */
export function exportedIndex(
  { manifest, views, searching, features }: ExportParts,
  uid: IndexUid,
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
      const range = { filter, after, bytesMax, fragments }
      const chunk = transfer === undefined ? range : { ...range, transfer }
      const job = { kind: 'export', chunk, features: features() } as const
      return retryWhileBusy(() => searching.run(view, job, signal))
    },
    release: lease.release,
  }
}
