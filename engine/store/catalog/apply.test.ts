// The reducer: the states that edits produce, and the edits that contradict a state.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asBatchUid, asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type Change, decodeEdit, encodeEdit } from '../../../format/manifest/index.ts'
import { SAMPLE_CHANGES } from '../../../format/manifest/test-edits.ts'
import { randomOf } from '../storage/index.ts'
import { apply, Draft } from './apply.ts'
import { checkpointEdit } from './checkpoint.ts'
import { indexOfUid, type State, sweep } from './index.ts'
import { EMPTY_STATE } from './state.ts'
import { plainState, randomChanges } from './test-states.ts'

const refuse = (claim: string, sequence: number, position: number): never => {
  throw new Error(`${sequence}.${position}: ${claim}`)
}
const next = (state: State, ...changes: readonly Change[]): State =>
  apply(state, { sequence: state.sequence + 1, checkpoint: false, changes }, refuse)

/** Returns a state after about a hundred random edits, with all edits that led to it. */
function history(seed: number, edits: number) {
  const random = randomOf(seed)
  let state = EMPTY_STATE
  let nextIndex = 1
  let nextSegment = 1
  const numbers = { takeIndex: () => nextIndex++, takeSegment: () => nextSegment++ }
  const all = []
  for (let i = 0; i < edits; i++) {
    const changes = randomChanges(random, state, numbers)
    const edit = { sequence: state.sequence + 1, checkpoint: false, changes }
    const before = i % 10 === 0 ? JSON.stringify(plainState(state)) : null
    const applied = apply(state, edit, refuse)
    if (before !== null) expect(JSON.stringify(plainState(state))).toBe(before)
    all.push(edit)
    state = applied
  }
  return { state, edits: all }
}

const seeds = fc.nat(1e9)

describe('edits', () => {
  it('of every kind produce the expected state', () => {
    const state = next(EMPTY_STATE, ...SAMPLE_CHANGES)
    expect(state.sequence).toBe(1)
    expect([state.nextIndex, state.nextSegment]).toEqual([3, 7])
    const movies = indexOfUid(state, asIndexUid('movies'))!
    expect(movies.primaryKey).toBe('id')
    expect(movies.updatedAt).toBe(movies.createdAt + 1)
    expect(movies.fields).toEqual(['id', 'title', 'größe', '\ufeffmarked'])
    expect(movies.fieldIds.get('größe')).toBe(2)
    expect([...movies.fieldCounts]).toEqual([3, 2, 0, 1])
    expect([...movies.segments.keys()]).toEqual([5])
    const segment = movies.segments.get(asSegmentNo(5))!
    expect([segment.generation, [...segment.dead.toArray()]]).toEqual([1, [1]])
    expect(indexOfUid(state, asIndexUid('livres'))).toBeUndefined()
    expect([...state.values.get('keys')!]).toEqual([['k1', Uint8Array.of(0, 255)]])
    expect([...state.outcomes]).toEqual([[4, Uint8Array.of(0, 1, 2, 255)]])
  })

  it('do not change the previous state, and share unchanged parts with it', () => {
    fc.assert(
      fc.property(seeds, (seed) => void history(seed, 60)),
      { numRuns: 20 },
    )
    const state = next(EMPTY_STATE, ...SAMPLE_CHANGES)
    const changed = next(state, {
      kind: 'value-set',
      space: 's',
      key: 'k',
      value: new Uint8Array(1),
    })
    expect(changed.indexes).toBe(state.indexes)
    expect(changed.values.get('keys')).toBe(state.values.get('keys'))
    const touched = next(changed, { kind: 'index-touched', index: asIndexNo(1), at: 9 })
    expect(touched.indexes.get(asIndexNo(1))!.segments).toBe(
      state.indexes.get(asIndexNo(1))!.segments,
    )
    expect(touched.values).toBe(changed.values)
  })

  it('give the same state when they are replayed from bytes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { state, edits } = history(seed, 80)
        const draft = new Draft(EMPTY_STATE, refuse)
        draft.apply({ sequence: 0, checkpoint: true, changes: [] })
        for (const edit of edits) draft.apply(decodeEdit(encodeEdit(edit)))
        expect(plainState(draft.state)).toEqual(plainState(state))
      }),
      { numRuns: 30 },
    )
  })

  it('give a checkpoint that rebuilds the state, with always the same bytes', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 80 }), (seed, count) => {
        const { state } = history(seed, count)
        const bytes = encodeEdit(checkpointEdit(state))
        const rebuilt = apply(EMPTY_STATE, decodeEdit(bytes), refuse)
        expect(plainState(rebuilt)).toEqual(plainState(state))
        expect(encodeEdit(checkpointEdit(rebuilt))).toEqual(bytes)
        const replaced = apply(history(seed + 1, 5).state, decodeEdit(bytes), refuse)
        expect(plainState(replaced)).toEqual(plainState(state))
      }),
      { numRuns: 60 },
    )
  })

  it('may swap uids', () => {
    const state = next(
      EMPTY_STATE,
      {
        kind: 'index-created',
        index: asIndexNo(1),
        uid: asIndexUid('a'),
        primaryKey: null,
        at: 1,
        settings: '',
      },
      {
        kind: 'index-created',
        index: asIndexNo(2),
        uid: asIndexUid('b'),
        primaryKey: null,
        at: 1,
        settings: '',
      },
    )
    const swapped = next(
      state,
      { kind: 'index-renamed', index: asIndexNo(1), uid: asIndexUid('b') },
      { kind: 'index-renamed', index: asIndexNo(2), uid: asIndexUid('a') },
    )
    expect([swapped.byUid.get(asIndexUid('a')), swapped.byUid.get(asIndexUid('b'))]).toEqual([2, 1])
    expect([...swapped.indexes.keys()]).toEqual([1, 2])
  })
})

describe('edits that contradict the state', () => {
  const segmentAdded = (segment: number, index = 1): Change => ({
    kind: 'segment-added',
    index: asIndexNo(index),
    segment: asSegmentNo(segment),
    layer: 'text',
    documents: 3,
    idMin: 5,
    idMax: 9,
    bytes: 1,
    location: { kind: 'file', checksum: 0 },
  })
  const dies = (generation: number, ids: number[], form: 'delta' | 'full' = 'delta'): Change => ({
    kind: 'tombstones-added',
    index: asIndexNo(1),
    segment: asSegmentNo(7),
    form,
    generation,
    ids: IdSet.of(ids),
  })
  const created = (index: number, uid: string): Change => ({
    kind: 'index-created',
    index: asIndexNo(index),
    uid: asIndexUid(uid),
    primaryKey: null,
    at: 1,
    settings: '{}',
  })
  const base = next(
    EMPTY_STATE,
    created(1, 'a'),
    created(2, 'b'),
    { kind: 'fields-added', index: asIndexNo(1), names: ['x', 'y'] },
    { kind: 'field-counts', index: asIndexNo(1), counts: [[0, 5]] },
    segmentAdded(7),
    dies(1, [5]),
    SAMPLE_CHANGES.find((change) => change.kind === 'tasks-finished')!,
  )

  it('are refused', () => {
    const bad: readonly (readonly [string, ...Change[]])[] = [
      ['index number 2 is new', created(2, 'c')],
      ['uid "a" names one index', created(3, 'a')],
      [
        'uid "a" names one index',
        { kind: 'index-renamed', index: asIndexNo(2), uid: asIndexUid('a') },
      ],
      ['index 9 exists', { kind: 'index-removed', index: asIndexNo(9) }],
      ['index 9 exists', { kind: 'index-touched', index: asIndexNo(9), at: 1 }],
      ['index 1 exists', { kind: 'index-removed', index: asIndexNo(1) }, segmentAdded(8)],
      ['field "x" is new', { kind: 'fields-added', index: asIndexNo(1), names: ['z', 'x'] }],
      ['field "z" is new', { kind: 'fields-added', index: asIndexNo(1), names: ['z', 'z'] }],
      ['field 2 exists', { kind: 'field-counts', index: asIndexNo(1), counts: [[2, 1]] }],
      ['possible number', { kind: 'field-counts', index: asIndexNo(1), counts: [[0, -6]] }],
      ['possible number', { kind: 'field-counts', index: asIndexNo(1), counts: [[0, 2 ** 32]] }],
      ['segment number 7 is free', segmentAdded(7, 2)],
      ['there is a layer `maps`', { ...segmentAdded(8), layer: 'maps' } as Change],
      [
        'index 1 has a possible number of vectors',
        { kind: 'vector-counts', index: asIndexNo(1), vectors: 1, documents: 2 },
      ],
      [
        'index 2 has segment 7',
        { kind: 'segment-removed', index: asIndexNo(2), segment: asSegmentNo(7) },
      ],
      ['generation 1 is the next', dies(1, [6])],
      ['generation 3 is the next', dies(3, [6])],
      ['an id dies once', dies(2, [5, 6])],
      ['the dead stay dead', dies(2, [6], 'full')],
      ['generation 1 is newer', dies(1, [5, 6], 'full')],
      ['ids that die lie within 5 to 9', dies(2, [10])],
      ['at most 3 documents die', dies(2, [6, 7, 8])],
      [
        'numbers only grow',
        { kind: 'numbers', nextIndex: asIndexNo(2), nextSegment: asSegmentNo(100) },
      ],
      [
        'batch 4 finishes once',
        { kind: 'tasks-finished', batch: asBatchUid(4), record: new Uint8Array(1) },
      ],
    ]
    for (const [claim, ...changes] of bad) {
      expect(() => next(base, ...changes), claim).toThrow(claim)
    }
    const names = Array.from({ length: 65535 }, (_, i) => `${i}`)
    expect(() => next(base, { kind: 'fields-added', index: asIndexNo(1), names })).toThrow(
      'at most 65535',
    )
    expect(
      next(base, { kind: 'fields-added', index: asIndexNo(2), names }).indexes.get(asIndexNo(2))!
        .fields,
    ).toHaveLength(65535)
    const skipped = { sequence: base.sequence + 2, checkpoint: false, changes: [] }
    expect(() => apply(base, skipped, refuse)).toThrow('the edit after 1 comes next')
  })

  it('are those beyond a limit, not at it', () => {
    const index = asIndexNo(1)
    const allowed: readonly Change[] = [
      { kind: 'field-counts', index, counts: [[0, -5]] },
      { kind: 'field-counts', index, counts: [[1, 2 ** 32 - 1]] },
      { kind: 'vector-counts', index, vectors: 2, documents: 2 },
      { kind: 'vector-counts', index, vectors: Number.MAX_SAFE_INTEGER, documents: 0 },
      { kind: 'numbers', nextIndex: asIndexNo(3), nextSegment: asSegmentNo(8) },
      dies(2, [8, 9]),
      dies(2, [5], 'full'),
      dies(9, [5, 6, 9], 'full'),
    ]
    for (const change of allowed) {
      expect(next(base, change).sequence, JSON.stringify(change)).toBe(base.sequence + 1)
    }
    const refused: readonly (readonly [string, Change])[] = [
      ['possible number', { kind: 'vector-counts', index, vectors: 2 ** 53, documents: 0 }],
      ['possible number', { kind: 'vector-counts', index, vectors: 0, documents: -1 }],
      [
        'numbers only grow',
        { kind: 'numbers', nextIndex: asIndexNo(3), nextSegment: asSegmentNo(7) },
      ],
      ['ids that die lie within 5 to 9', dies(2, [4])],
      ['at most 3 documents die', dies(2, [5, 6, 7, 8], 'full')],
      ['index 1 has segment 8', { ...dies(1, [5]), segment: asSegmentNo(8) } as Change],
      ['field 2 exists', { kind: 'field-counts', index, counts: [[2, 0]] }],
    ]
    for (const [claim, change] of refused) expect(() => next(base, change), claim).toThrow(claim)
  })

  it('are refused at their place, also in one draft', () => {
    expect(() => next(base, segmentAdded(8), segmentAdded(8))).toThrow(
      '2.1: segment number 8 is free',
    )
    const draft = new Draft(EMPTY_STATE, refuse)
    draft.apply({ sequence: 4, checkpoint: true, changes: [created(1, 'a'), segmentAdded(8)] })
    const removed: Change = {
      kind: 'segment-removed',
      index: asIndexNo(1),
      segment: asSegmentNo(8),
    }
    draft.apply({ sequence: 5, checkpoint: false, changes: [removed, segmentAdded(8)] })
    const again = { sequence: 6, checkpoint: false, changes: [created(2, 'b'), segmentAdded(8, 2)] }
    expect(() => draft.apply(again)).toThrow('6.1: segment number 8 is free')
    const fresh = new Draft(EMPTY_STATE, refuse)
    fresh.apply({ sequence: 4, checkpoint: true, changes: [created(1, 'a'), segmentAdded(8)] })
    const gone: Change = { kind: 'index-removed', index: asIndexNo(1) }
    fresh.apply({ ...again, sequence: 5, changes: [gone, ...again.changes] })
    expect([...fresh.state.byUid]).toEqual([['b', 2]])
  })

  it('do not reuse numbers of removed indexes and segments', () => {
    const gone = next(base, { kind: 'index-removed', index: asIndexNo(2) })
    expect(() => next(gone, created(2, 'b'))).toThrow('index number 2 is new')
    const rebuilt = apply(EMPTY_STATE, checkpointEdit(gone), refuse)
    expect(() => next(rebuilt, created(2, 'b'))).toThrow('index number 2 is new')
    const free = next(
      gone,
      { kind: 'index-removed', index: asIndexNo(1) },
      created(3, 'a'),
      segmentAdded(9, 3),
    )
    expect(free.nextSegment).toBe(10)
  })
})

describe('a sweep', () => {
  it('finds files that the state does not name', () => {
    const state = next(EMPTY_STATE, ...SAMPLE_CHANGES)
    const names = ['000005.docs', '000005.text', '000006.text', '000007.docs.new', 'x']
    expect(sweep(state, names)).toEqual(names.slice(1))
    expect(sweep(EMPTY_STATE, names)).toEqual(names)
  })
})
