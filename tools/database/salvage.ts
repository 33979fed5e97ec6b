// Readers of segments that may be damaged, for repairs.
import type { FileSystem } from '../../engine/index.ts'
import {
  documentsLayer,
  type IndexState,
  layerNamed,
  type SegmentState,
} from '../../engine/inspect.ts'
import { decoder } from '../../format/bytes/index.ts'
import type { DocumentsReader } from '../../format/documents/index.ts'
import { Frame } from '../../format/frame/index.ts'
import type { IndexUid, SegmentNo } from '../../format/ids.ts'
import { IdSet } from '../../format/idset/index.ts'
import { segmentLabel } from '../inspect/index.ts'

/** Documents of a segment that cannot be read, or their vectors. */
export type LostDocuments = {
  readonly index: IndexUid
  readonly segment: SegmentNo
  /** `vectors` means that the documents remain without them. */
  readonly what: 'documents' | 'vectors'
  readonly documents: number
  /** External ids that could be read, at most a thousand. */
  readonly ids: readonly string[]
}

export const IDS_NAMED_MAX = 1000

/** Returns null if the bytes are damaged; a reader that trusts them may fail in any way. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    // Damaged bytes with valid checksums can make a trusting reader fail with any error.
    if (!(error instanceof Error)) throw error
    return null
  }
}

/** @throws CorruptionError, VersionError, StorageError */
export function segmentFrame(fs: FileSystem, manifest: string, segment: SegmentState): Frame {
  const label = segmentLabel(manifest, segment)
  const { location, layer } = segment
  const bytes = location.kind === 'inline' ? location.frame : fs.map(label, fs.size(label))
  return Frame.open(bytes, layerNamed(layer).kind, label)
}

/** Returns null if nothing of the segment can be read. */
export function openDocuments(
  fs: FileSystem,
  manifest: string,
  segment: SegmentState,
): DocumentsReader | null {
  return attempt(() => {
    const reader = documentsLayer.open(segmentFrame(fs, manifest, segment), {})
    // The set of ids is the least that must be readable.
    reader.idSet()
    return reader
  })
}

/** Returns the ids of the live documents of an index whose document segments are sound. */
export function storedIds(fs: FileSystem, manifest: string, index: IndexState): IdSet {
  let all = IdSet.empty
  for (const segment of index.segments.values()) {
    if (segment.layer !== documentsLayer.name) continue
    const reader = openDocuments(fs, manifest, segment)
    if (reader !== null) all = all.or(reader.idSet().andNot(segment.dead))
  }
  return all
}

/** Returns the external id of a live document, or null if it cannot be read. */
export function externalIdOf(
  fs: FileSystem,
  manifest: string,
  index: IndexState,
  id: number,
): string | null {
  for (const segment of index.segments.values()) {
    if (segment.layer !== documentsLayer.name || segment.dead.has(id)) continue
    const reader = openDocuments(fs, manifest, segment)
    if (reader?.idSet().has(id) !== true) continue
    const bytes = attempt(() => reader.externalId(id))
    if (bytes !== null) return decoder.decode(bytes)
  }
  return null
}
