// Changes of an index by a batch, for the edit that commits it. Pure functions of the state that
// they are applied to and of the build results.
import { KiB } from '../../../format/bytes/index.ts'
import type { FieldId, IndexNo, SegmentNo } from '../../../format/ids.ts'
import { type IdSet, idSetOfData } from '../../../format/idset/index.ts'
import type { Change, Layer } from '../../../format/manifest/index.ts'
import { type IndexState, sizesOf } from '../../store/catalog/index.ts'
import { PROFILES } from '../../store/layers/index.ts'
import type { BatchResult } from '../batching/index.ts'
import type { DocumentsResult, NewSegment } from '../indexer/index.ts'
import type { VectorCounts } from '../vectors/index.ts'

export type Rebuilt = {
  readonly segments: readonly NewSegment[]
  readonly fieldsAdded: readonly string[]
  /** By how much the number of documents changes for each field. */
  readonly fieldCounts: readonly (readonly [field: FieldId, difference: number])[]
  /** Total counts if the vectors layer was rebuilt, else null. */
  readonly vectorCounts: VectorCounts | null
}

/**
 * Returns the changes of a batch of documents. `known`: the present index, if it exists; `follow`:
 * returns the segment that now contains the documents of a segment.
 */
export function documentChanges(
  known: IndexState | undefined,
  index: IndexNo,
  result: DocumentsResult,
  follow: (segment: SegmentNo) => SegmentNo,
): Change[] {
  const { primaryKey, fieldsAdded, fieldCounts, vectorCounts, segments, replaced } = result
  const changes: Change[] = []
  if (primaryKey !== null && primaryKey !== (known?.primaryKey ?? null)) {
    changes.push({ kind: 'primary-key-set', index, primaryKey })
  }
  if (fieldsAdded.length > 0) changes.push({ kind: 'fields-added', index, names: fieldsAdded })
  if (fieldCounts.length > 0) changes.push({ kind: 'field-counts', index, counts: fieldCounts })
  changes.push(...vectorChanges(index, vectorCounts))
  for (const segment of replaced) changes.push({ kind: 'segment-removed', index, segment })
  for (const segment of segments) changes.push({ kind: 'segment-added', index, ...segment })
  if (known !== undefined) changes.push(...tombstoneChanges(known, result, follow))
  return changes
}

const vectorChanges = (index: IndexNo, { vectors, documents }: VectorCounts): Change[] =>
  vectors === 0 && documents === 0 ? [] : [{ kind: 'vector-counts', index, vectors, documents }]

/** Returns tombstones for the present segments: some may have been merged since the batch began. */
function tombstoneChanges(
  { index, segments }: IndexState,
  { tombstones, replaced }: DocumentsResult,
  follow: (segment: SegmentNo) => SegmentNo,
): Change[] {
  const deadBySegment = new Map<SegmentNo, IdSet>()
  for (const { segment, ids } of tombstones) {
    // The replacement already omits these documents.
    if (replaced.includes(segment)) continue
    const now = follow(segment)
    const set = idSetOfData(ids)
    deadBySegment.set(now, deadBySegment.get(now)?.or(set) ?? set)
  }
  const changes: Change[] = []
  for (const [segment, ids] of [...deadBySegment].sort(([a], [b]) => a - b)) {
    const current = segments.get(segment)
    if (current === undefined) continue
    if (current.dead.size + ids.size === current.documents) {
      changes.push({ kind: 'segment-removed', index, segment })
      continue
    }
    const generation = current.generation + 1
    changes.push({ kind: 'tombstones-added', index, segment, form: 'delta', generation, ids })
  }
  return changes
}

/** Returns changes that remove every document; field names stay. */
export function clearChanges(state: IndexState): Change[] {
  const { index, segments, fieldCounts, vectorCounts } = state
  const changes: Change[] = []
  for (const segment of segments.keys()) changes.push({ kind: 'segment-removed', index, segment })
  const counts: [FieldId, number][] = []
  fieldCounts.forEach((count, field) => {
    if (count > 0) counts.push([field, -count])
  })
  if (counts.length > 0) changes.push({ kind: 'field-counts', index, counts })
  const { vectors, documents } = vectorCounts
  changes.push(...vectorChanges(index, { vectors: -vectors, documents: -documents }))
  return changes
}

/** Returns changes that remove all segments of these layers. */
export function layersRemoved({ index, segments }: IndexState, layers: readonly Layer[]): Change[] {
  const changes: Change[] = []
  for (const { segment, layer } of segments.values()) {
    if (layers.includes(layer)) changes.push({ kind: 'segment-removed', index, segment })
  }
  return changes
}

/** Returns the changes of a rebuild. `known`: the present index. */
export function rebuiltChanges(known: IndexState, rebuilt: Rebuilt): Change[] {
  const { index } = known
  const { segments, fieldsAdded, fieldCounts, vectorCounts } = rebuilt
  const changes: Change[] = []
  if (vectorCounts !== null) {
    const vectors = vectorCounts.vectors - known.vectorCounts.vectors
    const documents = vectorCounts.documents - known.vectorCounts.documents
    changes.push(...vectorChanges(index, { vectors, documents }))
  }
  if (fieldsAdded.length > 0) changes.push({ kind: 'fields-added', index, names: fieldsAdded })
  if (fieldCounts.length > 0) changes.push({ kind: 'field-counts', index, counts: fieldCounts })
  for (const segment of segments) changes.push({ kind: 'segment-added', index, ...segment })
  return changes
}

const PAGE_BYTES = 16 * KiB

/** Rounds up to whole pages, so that smaller changes are not reported. */
const inPages = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES

/**
 * Returns the layers that an edit makes larger or smaller, with their new size and the difference,
 * as batches show them. `known`: the index before the edit, if it exists.
 */
export function sizeChanges(
  known: IndexState | undefined,
  changes: readonly Change[],
): NonNullable<BatchResult['internalDatabaseSizes']> {
  const before = sizesOf(known)
  const after = { ...before }
  for (const change of changes) {
    if (change.kind === 'segment-added') after[change.layer]! += change.bytes
    if (change.kind !== 'segment-removed') continue
    const segment = known?.segments.get(change.segment)
    if (segment !== undefined) after[segment.layer]! -= segment.bytes
  }
  const sizes: { [part: string]: readonly [number, number] } = {}
  for (const { name } of PROFILES) {
    const bytes = inPages(after[name]!)
    const difference = bytes - inPages(before[name]!)
    if (difference !== 0) sizes[name] = [bytes, difference]
  }
  return sizes
}

/**
 * Returns the statistics of parts handed to the commit. The index thread never waits for it, so no
 * attempt blocks.
 */
export const congestionOf = (
  parts: number,
): NonNullable<BatchResult['writeChannelCongestion']> => ({
  attempts: parts,
  blocking_attempts: 0,
  blocking_ratio: 0,
})
