// Differences between states: applied to the first state they give the second, or null says that no
// changes can.
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { randomOf } from '../storage/index.ts'
import { apply } from './apply.ts'
import { differences, shifted } from './difference.ts'
import { EMPTY_STATE, type State } from './state.ts'
import { plainState, randomChanges } from './test-states.ts'

const refuse = (claim: string): never => {
  throw new InvariantError(claim)
}

const applied = (state: State, changes: readonly Change[]): State =>
  apply(state, { sequence: state.sequence + 1, checkpoint: false, changes }, refuse)

/** Returns a sequence of states, each one edit later than the one before. */
function history(seed: number, length: number): readonly State[] {
  const random = randomOf(seed)
  let index = 1
  let segment = 1
  const numbers = { takeIndex: () => index++, takeSegment: () => segment++ }
  const states = [EMPTY_STATE]
  for (let i = 0; i < length; i++) {
    const last = states.at(-1)!
    states.push(applied(last, randomChanges(random, last, numbers)))
  }
  return states
}

/** Everything except the sequence and the outcomes, which differ between databases. */
const contentOf = (state: State) => {
  const {
    sequence: _,
    outcomes: _outcomes,
    ...rest
  } = plainState(state) as { [name: string]: unknown }
  return rest
}

const NONE: ReadonlySet<string> = new Set()

describe('differences', () => {
  it.each([1, 2, 3, 4, 5, 6])('lead from any state to any later one (seed %i)', (seed) => {
    const states = history(seed, 30)
    const random = randomOf(seed)
    for (let i = 0; i < 60; i++) {
      const from = random.below(states.length)
      const to = from + random.below(states.length - from)
      const changes = differences(states[from]!, states[to]!, NONE)
      expect(changes, `${from} to ${to}`).not.toBeNull()
      const made = applied(states[from]!, changes!)
      expect(contentOf(made), `${from} to ${to}`).toEqual(contentOf(states[to]!))
      expect([...made.outcomes.keys()]).toEqual(
        expect.arrayContaining([...states[to]!.outcomes.keys()]),
      )
    }
  })

  it('between a state and itself are empty', () => {
    const last = history(7, 20).at(-1)!
    expect(differences(last, last, NONE)).toEqual([])
  })

  it('omit the spaces of values that are passed', () => {
    const set = (space: string, value: number | null): Change => ({
      kind: 'value-set',
      space,
      key: 'k',
      value: value === null ? null : Uint8Array.of(value),
    })
    const from = applied(EMPTY_STATE, [set('own', 1), set('other', 1)])
    const to = applied(EMPTY_STATE, [set('other', 2)])
    const made = applied(from, differences(from, to, new Set(['own']))!)
    expect(made.values.get('own')?.get('k')).toEqual(Uint8Array.of(1))
    expect(made.values.get('other')?.get('k')).toEqual(Uint8Array.of(2))
    const gone = applied(from, differences(from, EMPTY_STATE, new Set(['own']))!)
    expect([...gone.values.keys()]).toEqual(['own'])
  })

  it('are null if the same numbers are different indexes or segments', () => {
    const made: Change = {
      kind: 'index-created',
      index: asIndexNo(1),
      uid: asIndexUid('a'),
      primaryKey: null,
      at: 1,
      settings: '{}',
    }
    const segment = (
      checksum: number | string,
      dead: readonly number[] = [],
      changes: object = {},
    ): Change[] => [
      made,
      {
        kind: 'segment-added',
        index: asIndexNo(1),
        segment: asSegmentNo(1),
        layer: 'documents',
        documents: 3,
        idMin: 0,
        idMax: 9,
        bytes: 100,
        location:
          typeof checksum === 'number'
            ? { kind: 'file', checksum }
            : { kind: 'inline', frame: new TextEncoder().encode(checksum) },
        ...changes,
      },
      ...(dead.length === 0
        ? []
        : [
            {
              kind: 'tombstones-added',
              index: asIndexNo(1),
              segment: asSegmentNo(1),
              form: 'full',
              generation: 1,
              ids: IdSet.ofSorted(Uint32Array.from(dead)),
            } as const,
          ]),
    ]
    const of = (changes: readonly Change[]): State => applied(EMPTY_STATE, changes)
    const fields = (names: readonly string[]): State =>
      of([made, { kind: 'fields-added', index: asIndexNo(1), names }])
    const pairs: readonly (readonly [string, State, State])[] = [
      ['another index', of([made]), of([{ ...made, at: 2 }])],
      ['another file', of(segment(1)), of(segment(2))],
      ['a document that lives again', of(segment(1, [2])), of(segment(1))],
      ['another dead document', of(segment(1, [2])), of(segment(1, [3]))],
      ['more dead documents of one generation', of(segment(1, [2])), of(segment(1, [2, 3]))],
      ['other bytes', of(segment('ab')), of(segment('ac'))],
      ['a file in place of bytes', of(segment('ab')), of(segment(1))],
      ['bytes in place of a file', of(segment(1)), of(segment('ab'))],
      ...[{ layer: 'text' }, { documents: 4 }, { idMin: 1 }, { idMax: 8 }, { bytes: 99 }].map(
        (changes) =>
          [JSON.stringify(changes), of(segment(1)), of(segment(1, [], changes))] as const,
      ),
      ['another field', fields(['a', 'b']), fields(['a', 'c'])],
      ['a field less', fields(['a', 'b']), fields(['a'])],
      [
        'an index that was there before',
        applied(of([made]), [{ kind: 'index-removed', index: asIndexNo(1) }]),
        of([made]),
      ],
    ]
    for (const [name, from, to] of pairs) {
      expect(differences(from, to, NONE), name).toBeNull()
      // With unused numbers the state can be reached.
      const moved = shifted(to, { index: from.nextIndex, segment: from.nextSegment })
      const changes = differences(from, moved, NONE)
      expect(contentOf(applied(from, changes!)), name).toEqual(contentOf(moved))
    }
  })

  it('move indexes without segments, and segments without indexes', () => {
    const last = history(3, 20).at(-1)!
    expect(shifted(last, { index: 0, segment: 0 })).toBe(last)
    const numbersOf = ({ indexes, byUid, nextIndex, nextSegment }: State) => ({
      indexes: [...indexes].map(([number, { index, segments }]) => [number, index, segments.size]),
      byUid: [...byUid],
      segments: [...indexes.values()].flatMap(({ segments }) =>
        [...segments].map(([number, { segment }]) => [number, segment]),
      ),
      next: [nextIndex, nextSegment],
    })
    const of = numbersOf(last)
    expect(of.segments.length).toBeGreaterThan(0)
    for (const [index, segment] of [
      [10, 0],
      [0, 10],
    ] as const) {
      expect(numbersOf(shifted(last, { index, segment }))).toEqual({
        indexes: of.indexes.map(([key, number, size]) => [key! + index, number! + index, size]),
        byUid: of.byUid.map(([uid, number]) => [uid, number + index]),
        segments: of.segments.map((pair) => pair.map((number) => number + segment)),
        next: [of.next[0]! + index, of.next[1]! + segment],
      })
    }
  })
})
