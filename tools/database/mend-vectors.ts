// Repairs the vectors of one index: keeps the readable ones of damaged segments, except those of
// lost documents. Lost vectors cannot be rebuilt from the documents: their documents have none
// until vectors are imported or generated again.
import type { FileSystem } from '../../engine/index.ts'
import {
  type IndexState,
  type Manifest,
  SegmentSink,
  type SegmentState,
} from '../../engine/inspect.ts'
import type { IndexNo } from '../../format/ids.ts'
import type { IdSet } from '../../format/idset/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import { entriesAt, VectorsBuilder, VectorsReader } from '../../format/vectors/index.ts'
import { segmentLabel } from '../inspect/index.ts'
import {
  attempt,
  externalIdOf,
  IDS_NAMED_MAX,
  type LostDocuments,
  segmentFrame,
  storedIds,
} from './salvage.ts'

type Parts = { readonly fs: FileSystem; readonly manifest: Manifest }

/** Totals of all segments after the repair. */
type Counts = { vectors: number; documents: number }

/**
 * Makes one edit, unless all vectors are sound. `damaged`: the labels of the damaged segments. The
 * documents must be repaired before. @throws StorageError
 */
export async function mendVectors(
  { fs, manifest }: Parts,
  number: IndexNo,
  damaged: ReadonlySet<string>,
): Promise<readonly LostDocuments[]> {
  const index = manifest.state.indexes.get(number)!
  const stored = storedIds(fs, manifest.file.path, index)
  const lost: LostDocuments[] = []
  const changes: Change[] = []
  const counts: Counts = { vectors: 0, documents: 0 }
  for (const segment of index.segments.values()) {
    if (segment.layer !== 'vectors') continue
    const isDamaged = damaged.has(segmentLabel(manifest.file.path, segment))
    const saved = salvage({ fs, manifest }, index, segment, stored, counts)
    if (!isDamaged && saved.isWhole) {
      saved.sink.abandon()
      continue
    }
    changes.push({ kind: 'segment-removed', index: number, segment: segment.segment })
    const written = saved.vectors.finish(saved.sink.write)
    if (written === null) saved.sink.abandon()
    else changes.push({ kind: 'segment-added', index: number, ...saved.sink.finish(written) })
    if (saved.lost !== null) lost.push(saved.lost)
  }
  const vectors = counts.vectors - index.vectorCounts.vectors
  const documents = counts.documents - index.vectorCounts.documents
  if (vectors !== 0 || documents !== 0) {
    changes.push({ kind: 'vector-counts', index: number, vectors, documents })
  }
  if (changes.length > 0) await manifest.commit(changes)
  return lost
}

/**
 * Returns the readable vectors of a segment. `isWhole`: all are readable, and their documents are
 * stored.
 */
function salvage(
  { fs, manifest }: Parts,
  index: IndexState,
  segment: SegmentState,
  stored: IdSet,
  counts: Counts,
) {
  const { path } = manifest.file
  const sink = new SegmentSink(fs, manifest.takeSegment(), segment.layer)
  const vectors = new VectorsBuilder()
  const reader = attempt(() => VectorsReader.open(segmentFrame(fs, path, segment)))
  const live = reader?.ids.andNot(segment.dead) ?? null
  const kept = live?.and(stored) ?? null
  const gone: number[] = []
  for (const id of kept?.toArray() ?? []) {
    const entries = attempt(() => entriesAt(reader!, reader!.placeOf(id)))
    if (entries === null) {
      gone.push(id)
      continue
    }
    vectors.add(id, entries)
    const rows = entries.reduce((sum, entry) => sum + entry.rows, 0)
    counts.vectors += rows
    if (rows > 0) counts.documents++
  }
  const documents = kept === null ? segment.documents - segment.dead.size : gone.length
  const ids = gone.slice(0, IDS_NAMED_MAX).flatMap((id) => externalIdOf(fs, path, index, id) ?? [])
  const place = { index: index.uid, segment: segment.segment, what: 'vectors' as const }
  const lost: LostDocuments | null = documents === 0 ? null : { ...place, documents, ids }
  return { sink, vectors, lost, isWhole: lost === null && kept?.size === live?.size }
}
