// Test support: random changes that a state accepts, and states in a comparable form.
import { asBatchUid, asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { PROFILES } from '../layers/index.ts'
import type { Random } from '../storage/index.ts'
import type { IndexState, State } from './state.ts'

/**
 * Returns one to five changes that `state` accepts; over time every kind occurs. `numbers` hands
 * out numbers like a Manifest.
 */
export function randomChanges(
  random: Random,
  state: State,
  numbers: { takeIndex(): number; takeSegment(): number },
): readonly Change[] {
  const changes: Change[] = []
  const indexes = [...state.indexes.values()]
  if (indexes.length < 4 && random.below(indexes.length + 1) === 0) {
    const index = numbers.takeIndex()
    const uid = `index-${index}`
    changes.push({
      kind: 'index-created',
      index: asIndexNo(index),
      uid: asIndexUid(uid),
      primaryKey: null,
      at: index,
      settings: '{}',
    })
  }
  for (const index of indexes) {
    if (random.below(3) !== 0) changes.push(...changesOf(random, index, numbers))
  }
  const [first, second] = indexes
  if (first !== undefined && second !== undefined && random.below(4) === 0) {
    if (!changes.some((change) => change.kind === 'index-removed')) {
      changes.push({ kind: 'index-renamed', index: first.index, uid: second.uid })
      changes.push({ kind: 'index-renamed', index: second.index, uid: first.uid })
    }
  }
  if (random.below(2) === 0) {
    const value = random.below(3) === 0 ? null : Uint8Array.of(random.below(256))
    const space = `space ${random.below(2)}`
    changes.push({ kind: 'value-set', space, key: `key ${random.below(4)}`, value })
  }
  if (random.below(2) === 0) changes.push(finished(random, state))
  return changes
}

function changesOf(
  random: Random,
  state: IndexState,
  numbers: { takeSegment(): number },
): readonly Change[] {
  const { index } = state
  const segments = [...state.segments.values()]
  switch (random.below(10)) {
    case 0:
      return [{ kind: 'primary-key-set', index, primaryKey: `key ${random.below(9)}` }]
    case 1:
      return [{ kind: 'settings-set', index, settings: `{"n":${random.below(99)}}` }]
    case 2:
      return addedFields(random, state)
    case 3: {
      const segment = segments[random.below(segments.length + 1)]
      if (segment === undefined) return []
      return [{ kind: 'segment-removed', index, segment: segment.segment }]
    }
    case 4:
      return random.below(3) === 0 ? [{ kind: 'index-removed', index }] : []
    case 5:
    case 6: {
      const segment = segments[random.below(segments.length + 1)]
      const left = segment === undefined ? [] : idsLeft(segment)
      if (segment === undefined || left.length === 0) return []
      const ids = IdSet.of(left.filter((_, i) => i === 0 || random.below(3) === 0))
      const generation = segment.generation + 1
      const { segment: number } = segment
      return [{ kind: 'tombstones-added', index, segment: number, form: 'delta', generation, ids }]
    }
    case 7: {
      const { vectors, documents } = state.vectorCounts
      const [more, less] = [random.below(9), random.below(documents + 1)]
      return [
        {
          kind: 'vector-counts',
          index,
          vectors: 2 * more - less - random.below(vectors - documents + 1),
          documents: more - less,
        },
      ]
    }
    default:
      return [addedSegment(random, index, numbers.takeSegment())]
  }
}

function addedFields(random: Random, state: IndexState): readonly Change[] {
  const { index, fields } = state
  const names = [`field ${fields.length}`, `field ${fields.length + 1}`]
  const counts = [...fields, ...names].map((_, field) => [field, random.below(5)] as const)
  return [
    { kind: 'fields-added', index, names },
    { kind: 'field-counts', index, counts },
    { kind: 'index-touched', index, at: 100 + random.below(100) },
  ]
}

function addedSegment(random: Random, index: number, segment: number): Change {
  const idMin = random.below(100)
  const documents = 1 + random.below(40)
  const inline = random.below(2) === 0
  return {
    kind: 'segment-added',
    index: asIndexNo(index),
    segment: asSegmentNo(segment),
    layer: PROFILES[random.below(PROFILES.length)]!.name,
    documents,
    idMin,
    idMax: idMin + documents - 1,
    bytes: inline ? 9 : 5000,
    location: inline
      ? { kind: 'inline', frame: new Uint8Array(9).fill(segment) }
      : { kind: 'file', checksum: random.below(1 << 30) },
  }
}

const idsLeft = (segment: { idMin: number; idMax: number; dead: IdSet }): number[] => [
  ...IdSet.range(segment.idMin, segment.idMax + 1)
    .andNot(segment.dead)
    .toArray(),
]

function finished(random: Random, state: State): Change {
  const record = Uint8Array.from({ length: 1 + random.below(9) }, () => random.below(256))
  return { kind: 'tasks-finished', batch: asBatchUid(state.sequence), record }
}

/** Returns a state as plain data, including all orders; equal states give equal data. */
export const plainState = (state: State): unknown => ({
  ...state,
  indexes: [...state.indexes.values()].map((index) => ({
    ...index,
    fieldIds: [...index.fieldIds],
    fieldCounts: [...index.fieldCounts],
    segments: [...index.segments.values()]
      .sort((a, b) => a.segment - b.segment)
      .map((segment) => ({ ...segment, dead: [...segment.dead.toArray()] })),
  })),
  byUid: [...state.byUid],
  values: [...state.values]
    .map(([space, keys]) => [space, [...keys].sort(byKey)] as const)
    .sort(byKey),
  outcomes: [...state.outcomes],
})

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  a[0] < b[0] ? -1 : 1
