// The state that a follower serves next: by the list of the store, or by the record of its writer.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { StoreTurns, snapshotName } from '../../backup/objstore/index.ts'
import { headKey, writerKey } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { encodeWriter } from '../../backup/objstore/writer-v1.ts'
import { encodeHead } from '../../backup/snapshot/index.ts'
import { newestState } from './newest-state.ts'

const place = { prefix: 'p', name: 'db' }
type Kind = 'published' | 'snapshots'
type At = readonly [term: number, number: number, kind?: Kind]

const nameOf = ([term, number]: At): string => snapshotName({ term, number }, 7)

/** The newest state of a store with these heads; `current` is the one that is served. */
async function newest(
  heads: readonly At[],
  current: At | null,
  writer: { readonly term: number; readonly head: At | null; readonly end?: At } | null = null,
) {
  const store = new MemoryObjects()
  for (const at of heads) {
    const [term, number, kind = 'published'] = at
    const placed = { term, number, instance: 'i' }
    const head = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, placed }
    store.objects.set(headKey(place, nameOf(at), kind), encodeHead({ ...head, files: [] }))
  }
  if (writer !== null) {
    const { term, head, end } = writer
    const nextTask = asTaskUid(0)
    const ends =
      end === undefined ? [] : [{ term: end[0], instance: 'h', head: nameOf(end), nextTask }]
    const record = { term, instance: 'i', head: head === null ? null : nameOf(head), nextTask }
    const state = { process: 'p', leaseMs: 1000, beat: 0, isReleased: false, ends }
    store.objects.set(writerKey(place), encodeWriter({ ...record, ...state }))
  }
  const warnings: string[] = []
  const found = await newestState(
    { bucket: store.bucket(), place },
    new StoreTurns().unreadable,
    current === null ? null : { snapshot: nameOf(current) },
    (_, message) => warnings.push(message),
  )
  return { found, warnings: warnings.length }
}

const ref = (at: At, kind: Kind = 'published') => ({ name: nameOf(at), kind })

describe('without a writer', () => {
  it.each<[string, readonly At[], At | null, ReturnType<typeof ref> | null, number]>([
    ['an empty place', [], null, null, 0],
    [
      'the newest state',
      [
        [1, 1],
        [1, 2],
      ],
      null,
      ref([1, 2]),
      0,
    ],
    [
      'a later term',
      [
        [1, 9],
        [2, 1],
      ],
      [1, 9],
      ref([2, 1]),
      0,
    ],
    [
      'a snapshot, if it is newer',
      [
        [1, 1],
        [1, 2, 'snapshots'],
      ],
      [1, 1],
      ref([1, 2], 'snapshots'),
      0,
    ],
    [
      'the served state',
      [
        [1, 1],
        [1, 2],
      ],
      [1, 2],
      ref([1, 2]),
      0,
    ],
    ['an older state, if the served one is gone', [[1, 1]], [1, 2], ref([1, 1]), 1],
    ['nothing, if all are gone', [], [1, 2], null, 0],
  ])('%s', async (_, heads, current, expected, warnings) => {
    const { found, warnings: given } = await newest(heads, current)
    expect([found === null ? null : { name: found.name, kind: found.kind }, given]).toEqual([
      expected,
      warnings,
    ])
  })
})

describe('beside a writer', () => {
  it('the state that its record names counts, also if others are listed', async () => {
    const writer = { term: 2, head: [2, 1] as const }
    expect(
      (
        await newest(
          [
            [2, 1],
            [2, 2],
          ],
          null,
          writer,
        )
      ).found,
    ).toEqual(ref([2, 1]))
    expect(
      (
        await newest(
          [
            [2, 1],
            [2, 2],
          ],
          [1, 1],
          writer,
        )
      ).found,
    ).toEqual(ref([2, 1]))
  })

  it('an old record does not lead back, while the served state is there and valid', async () => {
    const old = { term: 2, head: [2, 1] as const }
    const back = await newest(
      [
        [2, 1],
        [3, 1],
      ],
      [3, 1],
      old,
    )
    // A later term is not one of this record.
    expect([back.found, back.warnings]).toEqual([ref([2, 1]), 1])
    const snapshot = await newest(
      [
        [2, 1],
        [2, 2, 'snapshots'],
      ],
      [2, 2],
      old,
    )
    expect([snapshot.found, snapshot.warnings]).toEqual([ref([2, 2], 'snapshots'), 0])
  })

  it('that has published nothing, states of earlier terms count up to their end', async () => {
    const writer = { term: 3, head: null, end: [2, 4] as const }
    const { found } = await newest(
      [
        [2, 4],
        [2, 5],
        [3, 1],
      ],
      null,
      writer,
    )
    expect({ ...found, head: undefined }).toMatchObject(ref([2, 4]))
  })
})
