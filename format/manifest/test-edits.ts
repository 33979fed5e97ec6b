// Test support: an edit with every kind of change, and arbitrary edits for property tests.
import fc from 'fast-check'
import { asBatchUid, asIndexNo, asIndexUid, asSegmentNo, FIELDS_MAX } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import type { Change, Edit } from './changes.ts'
import { NUMBERED_LAYERS } from './layer-name.ts'

const at = 1_700_000_000_000_000

/** Every kind of change, in an order that the catalog accepts. */
export const SAMPLE_CHANGES: readonly Change[] = [
  {
    kind: 'index-created',
    index: asIndexNo(1),
    uid: asIndexUid('movies'),
    primaryKey: null,
    at,
    settings: '{}',
  },
  {
    kind: 'index-created',
    index: asIndexNo(2),
    uid: asIndexUid('books'),
    primaryKey: 'isbn',
    at,
    settings: '{"a":1}',
  },
  { kind: 'index-renamed', index: asIndexNo(2), uid: asIndexUid('livres') },
  { kind: 'primary-key-set', index: asIndexNo(1), primaryKey: 'id' },
  { kind: 'index-touched', index: asIndexNo(1), at: at + 1 },
  { kind: 'settings-set', index: asIndexNo(1), settings: '{"sortableAttributes":["year"]}' },
  { kind: 'fields-added', index: asIndexNo(1), names: ['id', 'title', 'größe', '\ufeffmarked'] },
  {
    kind: 'field-counts',
    index: asIndexNo(1),
    counts: [
      [0, 3],
      [1, 2],
      [3, 1],
    ],
  },
  { kind: 'vector-counts', index: asIndexNo(1), vectors: 5, documents: 3 },
  { kind: 'vector-counts', index: asIndexNo(1), vectors: -1, documents: 0 },
  {
    kind: 'segment-added',
    index: asIndexNo(1),
    segment: asSegmentNo(5),
    layer: 'documents',
    documents: 3,
    idMin: 0,
    idMax: 2,
    bytes: 70000,
    location: { kind: 'file', checksum: 0xfeedbeef },
  },
  {
    kind: 'segment-added',
    index: asIndexNo(1),
    segment: asSegmentNo(6),
    layer: 'text',
    documents: 3,
    idMin: 0,
    idMax: 2,
    bytes: 4,
    location: { kind: 'inline', frame: Uint8Array.of(1, 2, 3, 4) },
  },
  {
    kind: 'tombstones-added',
    index: asIndexNo(1),
    segment: asSegmentNo(5),
    form: 'delta',
    generation: 1,
    ids: IdSet.of([1]),
  },
  { kind: 'segment-removed', index: asIndexNo(1), segment: asSegmentNo(6) },
  { kind: 'tasks-finished', batch: asBatchUid(4), record: Uint8Array.of(0, 1, 2, 255) },
  { kind: 'value-set', space: 'keys', key: 'k1', value: Uint8Array.of(0, 255) },
  { kind: 'value-set', space: 'keys', key: 'k2', value: null },
  { kind: 'index-removed', index: asIndexNo(2) },
  { kind: 'numbers', nextIndex: asIndexNo(3), nextSegment: asSegmentNo(7) },
]

const u32 = fc.nat(0xffffffff)
const safe = fc.oneof(fc.nat(200), fc.maxSafeNat())
const index = u32.map(asIndexNo)
const segment = safe.map(asSegmentNo)
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', '__proto__'),
)
const uid = text.map(asIndexUid)
const bytes = fc.uint8Array({ maxLength: 40 })
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const ids = fc
  .uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 30 })
  .map((members) => IdSet.of(members))
const location = fc.oneof(
  u32.map((checksum) => ({ kind: 'file' as const, checksum, bytes: 77 })),
  bytes.map((frame) => ({ kind: 'inline' as const, frame, bytes: frame.length })),
)
const counts = fc
  .uniqueArray(fc.nat(FIELDS_MAX - 1), { maxLength: 5 })
  .map((fields) => fields.sort((a, b) => a - b).map((field) => [field, field - 300] as const))
const ofKind = <K extends Change['kind']>(kind: K) => fc.constant(kind)
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: ofKind('index-created'),
    index,
    uid,
    primaryKey: orNull(text),
    at: safe,
    settings: text,
  }),
  fc.record({ kind: ofKind('index-removed'), index }),
  fc.record({ kind: ofKind('index-renamed'), index, uid }),
  fc.record({ kind: ofKind('primary-key-set'), index, primaryKey: orNull(text) }),
  fc.record({ kind: ofKind('index-touched'), index, at: safe }),
  fc.record({ kind: ofKind('settings-set'), index, settings: text }),
  fc.record({ kind: ofKind('fields-added'), index, names: fc.array(text, { maxLength: 4 }) }),
  fc.record({ kind: ofKind('field-counts'), index, counts }),
  fc.record({
    kind: ofKind('vector-counts'),
    index,
    vectors: fc.maxSafeInteger(),
    documents: fc.maxSafeInteger(),
  }),
  fc
    .tuple(
      index,
      segment,
      fc.constantFrom(...NUMBERED_LAYERS, 'vectors'),
      fc.nat(1000),
      u32,
      location,
    )
    .map(([index, segment, layer, documents, id, { bytes: length, ...place }]) => ({
      kind: 'segment-added' as const,
      index,
      segment,
      layer,
      documents,
      idMin: Math.floor(id / 2),
      idMax: id,
      bytes: length,
      location: place,
    })),
  fc.record({ kind: ofKind('segment-removed'), index, segment }),
  fc.record({
    kind: ofKind('tombstones-added'),
    index,
    segment,
    form: fc.constantFrom('delta' as const, 'full' as const),
    generation: fc.integer({ min: 1, max: 0xffffffff }),
    ids,
  }),
  fc.record({ kind: ofKind('tasks-finished'), batch: u32.map(asBatchUid), record: bytes }),
  fc.record({ kind: ofKind('value-set'), space: text, key: text, value: orNull(bytes) }),
  fc.record({ kind: ofKind('numbers'), nextIndex: safe.map(asIndexNo), nextSegment: segment }),
)

export const anyEdit: fc.Arbitrary<Edit> = fc.record({
  sequence: safe,
  checkpoint: fc.boolean(),
  changes: fc.array(anyChange, { maxLength: 6 }),
})
