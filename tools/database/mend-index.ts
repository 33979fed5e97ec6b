// Repairs one index: keeps the readable documents of damaged segments, and the vectors, then
// rebuilds text, columns and counts. Three edits; after each of them the database can be opened.

import type { FileSystem } from '../../engine/index.ts'
import {
  derivedLayers,
  documentsLayer,
  documentsWriter,
  type IndexState,
  type Manifest,
  NO_VECTOR_MAKER,
  runRebuild,
  SegmentCache,
  SegmentSink,
  type SegmentState,
  segmentName,
  viewRef,
} from '../../engine/inspect.ts'
import { decoder } from '../../format/bytes/index.ts'
import { RecordFields } from '../../format/documents/index.ts'
import type { FieldId, IndexNo } from '../../format/ids.ts'
import type { Change } from '../../format/manifest/index.ts'
import { segmentLabel } from '../inspect/index.ts'
import type { Progress } from '../terminal/index.ts'
import { mendVectors } from './mend-vectors.ts'
import type { Quarantine } from './quarantine.ts'
import { attempt, IDS_NAMED_MAX, type LostDocuments, openDocuments } from './salvage.ts'

export type MendParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly quarantine: Quarantine
  readonly openCount: (documents: number) => Progress
}

const BLOCK_BYTES_MAX = 16 << 20
const CHUNK_BYTES_MAX = 32 << 20

/** `damaged`: the labels of the damaged segments. @throws StorageError */
export async function mendIndex(
  parts: MendParts,
  number: IndexNo,
  damaged: ReadonlySet<string>,
): Promise<readonly LostDocuments[]> {
  const { manifest, quarantine } = parts
  const index = manifest.state.indexes.get(number)!
  const lost: LostDocuments[] = []
  const changes: Change[] = []
  for (const segment of index.segments.values()) {
    const label = segmentLabel(manifest.file.path, segment)
    if (!damaged.has(label)) continue
    const { location } = segment
    if (location.kind === 'file') quarantine.copy(label)
    else quarantine.keep(segmentName(segment.segment, segment.layer), location.frame)
    if (segment.layer === documentsLayer.name) {
      const saved = salvage(parts, index, segment)
      changes.push({ kind: 'segment-removed', index: number, segment: segment.segment })
      if (saved.entry !== null)
        changes.push({ kind: 'segment-added', index: number, ...saved.entry })
      if (saved.lost !== null) lost.push(saved.lost)
    }
  }
  if (changes.length > 0) await manifest.commit(changes)
  lost.push(...(await mendVectors(parts, number, damaged)))
  await rebuild(parts, number)
  return lost
}

/** Writes the readable documents of a damaged segment to a new one. */
function salvage({ fs, manifest }: MendParts, index: IndexState, segment: SegmentState) {
  const sink = new SegmentSink(fs, manifest.takeSegment(), documentsLayer.name)
  const writer = documentsWriter(sink.write)
  const reader = openDocuments(fs, manifest.file.path, segment)
  const ids: string[] = []
  const kept: number[] = []
  let lost = 0
  const live = reader?.idSet().andNot(segment.dead).toArray() ?? []
  for (const id of live) {
    const externalId = attempt(() => reader?.externalId(id) ?? null)
    const record = attempt(() => reader?.record(id) ?? null)
    if (externalId !== null && record !== null) {
      writer.add(id, externalId, record)
      kept.push(id)
      continue
    }
    lost++
    if (externalId !== null && ids.length < IDS_NAMED_MAX) {
      ids.push(decoder.decode(externalId))
    }
  }
  if (reader === null) lost = segment.documents - segment.dead.size
  let entry = null
  if (kept.length > 0) {
    writer.finish()
    entry = sink.finish({ documents: kept.length, idMin: kept[0]!, idMax: kept.at(-1)! })
  } else sink.abandon()
  const { uid } = index
  const place = { index: uid, segment: segment.segment, what: 'documents' as const }
  const loss = { ...place, documents: lost, ids }
  return { entry, lost: lost === 0 ? null : loss }
}

async function rebuild({ fs, manifest, openCount }: MendParts, number: IndexNo): Promise<void> {
  const { state } = manifest
  const index = state.indexes.get(number)!
  const view = viewRef(index, state.sequence)
  const progress = openCount(documentsOf(index))
  const cache = new SegmentCache(fs, BLOCK_BYTES_MAX)
  const environment = {
    fs,
    cache,
    builders: null,
    dropped: () => undefined,
    vectorMaker: () => NO_VECTOR_MAKER,
    memoryBytesMax: Number.POSITIVE_INFINITY,
    takeSegments: (count: number) => manifest.takeSegment(count),
    progress: (done: number) => progress.at(done, index.uid),
    now: () => 0,
  }
  const layers = derivedLayers()
  const request = {
    kind: 'rebuild',
    job: 1,
    view,
    settings: index.settings,
    layers,
    chunkBytesMax: CHUNK_BYTES_MAX,
  } as const
  const { segments, fieldsAdded } = runRebuild(request, environment)
  progress.end()
  const changes: Change[] = []
  for (const { segment, layer } of index.segments.values()) {
    if (layers.includes(layer)) changes.push({ kind: 'segment-removed', index: number, segment })
  }
  if (fieldsAdded.length > 0)
    changes.push({ kind: 'fields-added', index: number, names: fieldsAdded })
  for (const segment of segments) changes.push({ kind: 'segment-added', index: number, ...segment })
  const counts = countChanges(fs, manifest.file.path, index)
  if (counts.length > 0) changes.push({ kind: 'field-counts', index: number, counts })
  await manifest.commit(changes)
}

const documentsOf = ({ segments }: IndexState): number =>
  [...segments.values()].reduce(
    (sum, { layer, documents }) => sum + (layer === documentsLayer.name ? documents : 0),
    0,
  )

/** Returns the corrections of the counts of fields. */
function countChanges(fs: FileSystem, manifest: string, index: IndexState): [FieldId, number][] {
  const counts = new Map<FieldId, number>()
  const fields = new RecordFields()
  for (const segment of index.segments.values()) {
    if (segment.layer !== documentsLayer.name) continue
    const cursor = openDocuments(fs, manifest, segment)?.cursor()
    while (cursor?.nextLive(segment.dead) === true) {
      fields.read(cursor.record)
      for (let i = 0; i < fields.count; i++) {
        const field = fields.ids[i]!
        counts.set(field, (counts.get(field) ?? 0) + 1)
      }
    }
  }
  const changes: [FieldId, number][] = []
  index.fields.forEach((_, field) => {
    const difference = (counts.get(field) ?? 0) - index.fieldCounts[field]!
    if (difference !== 0) changes.push([field, difference])
  })
  return changes
}
