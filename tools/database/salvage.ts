// What a repair reads of segments that may be damaged.
import {
  documentsLayer,
  type FileSystem,
  type IndexState,
  layerNamed,
  type SegmentState,
} from '../../engine/index.ts'
import type { DocumentsReader } from '../../format/documents/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { IdSet } from '../../format/idset/index.ts'
import { segmentLabel } from '../inspect/index.ts'

/** Documents of a segment that cannot be read, or their vectors. */
export type LostDocuments = {
  readonly index: string
  readonly segment: number
  /** Vectors: the documents are there without them. */
  readonly what: 'documents' | 'vectors'
  readonly documents: number
  /** External ids of those whose id could be read, a thousand at most. */
  readonly ids: readonly string[]
}

export const IDS_NAMED_MAX = 1000

/** null where the bytes are damaged: a reader that trusts them may fail in any way. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    // Damaged bytes under checksums that hold may lead a reader that trusts them anywhere.
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

/** null: nothing of the segment can be read. */
export function openDocuments(
  fs: FileSystem,
  manifest: string,
  segment: SegmentState,
): DocumentsReader | null {
  return attempt(() => {
    const reader = documentsLayer.open(segmentFrame(fs, manifest, segment), {})
    // Which ids it has is the least that must be known.
    reader.idSet()
    return reader
  })
}

/** Ids of the live documents of an index whose segments of documents are sound. */
export function storedIds(fs: FileSystem, manifest: string, index: IndexState): IdSet {
  let all = IdSet.empty
  for (const segment of index.segments.values()) {
    if (segment.layer !== documentsLayer.name) continue
    const reader = openDocuments(fs, manifest, segment)
    if (reader !== null) all = all.or(reader.idSet().andNot(segment.dead))
  }
  return all
}

/** The external id of a live document; null: it cannot be read. */
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
    if (bytes !== null) return new TextDecoder().decode(bytes)
  }
  return null
}
