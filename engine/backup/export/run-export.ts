// An export: sends settings and documents of indexes to another server, in chunks. The documents
// come from a search thread and are packed off the main thread; the next chunk is read while one is
// being sent. An export does not change the database.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { NEWLINE } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { JsonBytes } from '../../model/index.ts'
import { exportSettings, type IndexSettings } from '../../settings/index.ts'
import { hasSharedRanks, searchableAttributes } from '../../settings/values/index.ts'
import { type FragmentOrders, fragmentOrders } from './fragment-order.ts'
import { CHUNK_BYTES_DEFAULT, CHUNK_TIMEOUT_MS } from './limits.ts'
import type { Remote } from './remote.ts'
import { sizeOfText } from './size-text.ts'

const pack = promisify(gzip)
/** Packing saves bandwidth on a slow line; level 1 is the quickest. */
const LEVEL = 1

type ExportPattern = { readonly filter: unknown; readonly overrideSettings: boolean }

/** An index at the moment when its export began. */
export type ExportedIndex = {
  readonly uid: IndexUid
  readonly primaryKey: string | null
  readonly settings: IndexSettings
  /**
   * Returns documents behind id `after` (-1: from the beginning), up to a number of bytes.
   * `fragments`: the order of vectors of fragments, or null for the stored order.
   */
  readonly chunk: (
    filter: unknown,
    after: number,
    bytesMax: number,
    fragments: FragmentOrders | null,
  ) => Promise<JsonBytes>
  readonly release: () => void
}

type ExportRequest = {
  readonly payloadSize: string | null
  readonly indexes: { readonly [pattern: string]: ExportPattern }
}

export type ExportOptions = {
  readonly remote: Remote
  readonly request: ExportRequest
  /** All indexes, in the order in which they are sent. */
  readonly uids: readonly IndexUid[]
  /** Returns null if the index was deleted meanwhile. */
  readonly open: (uid: IndexUid) => ExportedIndex | null
  readonly chunkBytesMax?: number
  readonly progress: (
    steps: readonly { currentStep: string; finished: number; total: number }[],
  ) => void
}

/** By uid of the index: the result of the pattern that it matched. */
export type Exported = {
  readonly [indexUid: string]: ExportPattern & { readonly matchedDocuments: number }
}

/** @throws EngineFault, Canceled, StorageError */
export async function runExport(options: ExportOptions): Promise<Exported> {
  const { request, uids, open, progress } = options
  const chosen = uids.flatMap((uid) => {
    const pattern = patternOf(request.indexes, uid)
    return pattern === null ? [] : [{ uid, pattern }]
  })
  const exported: { [indexUid: string]: Exported[string] } = {}
  for (const [finished, { uid, pattern }] of chosen.entries()) {
    const step = { currentStep: `Exporting index \`${uid}\``, finished, total: chosen.length }
    progress([step])
    const index = open(uid)
    if (index === null) continue
    try {
      const matchedDocuments = await exportIndex(options, index, pattern, (sent, total) => {
        progress([step, { currentStep: 'exporting the documents', finished: sent, total }])
      })
      exported[uid] = { ...pattern, matchedDocuments }
    } finally {
      index.release()
    }
  }
  return exported
}

/** Returns the first matching pattern in the order of their names. */
function patternOf(patterns: ExportRequest['indexes'], uid: IndexUid): ExportPattern | null {
  const name = Object.keys(patterns)
    .sort()
    .find((one) => (one.endsWith('*') ? uid.startsWith(one.slice(0, -1)) : one === uid))
  return name === undefined ? null : patterns[name]!
}

async function exportIndex(
  { remote, request, chunkBytesMax = CHUNK_BYTES_DEFAULT }: ExportOptions,
  index: ExportedIndex,
  { filter, overrideSettings }: ExportPattern,
  onSent: (sent: number, total: number) => void,
): Promise<number> {
  const bytesMax = sizeOfText(request.payloadSize ?? '') ?? chunkBytesMax
  const { uid, primaryKey } = index
  const path = `/indexes/${uid}`
  let fragments: FragmentOrders | null = null
  const read = (after: number): Promise<Chunk> =>
    index.chunk(filter, after, bytesMax, fragments).then(chunkOf)
  // An invalid filter is found before anything is sent.
  let chunk = await read(-1)
  const { total } = chunk
  const exists = await remote.has(path)
  const receiver = { exists, getsSettings: !exists || overrideSettings }
  fragments = await fragmentOrders(remote, path, index.settings, receiver)
  if (fragments !== null) chunk = await read(-1)
  if (!exists) {
    await remote.send('POST', '/indexes', { uid, primaryKey })
    await sendSettings(remote, path, index.settings)
  } else if (overrideSettings) {
    if (primaryKey !== null) await remote.send('PATCH', path, { primaryKey })
    await sendSettings(remote, path, index.settings)
  }
  let sent = 0
  while (chunk.documents > 0) {
    onSent(sent, total)
    const next = chunk.last === null ? null : read(chunk.last)
    // Prevents an unhandled rejection: the failure is handled where `next` is awaited.
    next?.catch(ignoreRejection)
    const packed = await pack(chunk.ndjson, { level: LEVEL })
    await remote.sendPacked(`${path}/documents`, packed, CHUNK_TIMEOUT_MS)
    sent += chunk.documents
    if (next === null) break
    chunk = await next
  }
  onSent(sent, total)
  return total
}

const sendSettings = (remote: Remote, path: string, settings: IndexSettings): Promise<void> =>
  remote.send('PATCH', `${path}/settings`, exportSettings(settings), (code) =>
    code === searchableAttributes.code && hasSharedRanks(settings.searchableAttributes)
      ? SHARED_RANKS
      : null,
  )

/** Meilisearch and older releases refuse lists in the list. */
const SHARED_RANKS =
  'The receiver cannot store attributes that share a rank: write `searchableAttributes` of this ' +
  'index without inner lists, or export into an index that has settings, with `overrideSettings` ' +
  'off.'

const ignoreRejection = (): void => undefined

type Chunk = {
  /** Matching documents in all chunks. */
  readonly total: number
  readonly documents: number
  /** The document id behind which to continue, or null after the last document. */
  readonly last: number | null
  readonly ndjson: Uint8Array
}

/** The first line of an answer describes the others. */
function chunkOf(answer: JsonBytes): Chunk {
  const end = answer.indexOf(NEWLINE)
  const head = JSON.parse(Buffer.from(answer.subarray(0, end)).toString()) as Omit<Chunk, 'ndjson'>
  return { ...head, ndjson: answer.subarray(end + 1) }
}
