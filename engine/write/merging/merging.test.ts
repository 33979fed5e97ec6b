// The merger on a manifest in memory, with an index thread that copies nothing: segments are never
// both offered to a batch and merged, and merges yield while searches wait. The test supplies the
// clock.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo, type IndexNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Change, SegmentEntry } from '../../../format/manifest/index.ts'
import { Canceled, StorageError } from '../../model/index.ts'
import { apply } from '../../store/catalog/apply.ts'
import type { Manifest, State } from '../../store/catalog/index.ts'
import { EMPTY_STATE } from '../../store/catalog/state.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { Views } from '../../store/views/index.ts'
import { INLINE_BYTES_MAX, type Indexing } from '../indexer/index.ts'
import type { MergeResult } from '../indexer/protocol.ts'
import { Merger } from './index.ts'
import { SEGMENTS_MAX } from './merge-policy.ts'

const INDEX = asIndexNo(1)
const SECOND = 1000

type Merging = {
  readonly segments: readonly number[]
  readonly end: () => void
  readonly fail: (error: unknown) => void
  /** Answers that the segments do not fit into one. */
  readonly refuse: () => void
}

/** Commits without storing anything. */
class MemoryManifest {
  state: State = EMPTY_STATE
  failure: StorageError | null = null

  async commit(changes: readonly Change[] | ((state: State) => readonly Change[])): Promise<void> {
    if (this.failure !== null) throw this.failure
    const list = typeof changes === 'function' ? changes(this.state) : changes
    const edit = { sequence: this.state.sequence + 1, checkpoint: false, changes: list }
    this.state = apply(this.state, edit, (claim) => expect.unreachable(claim))
  }
}

let nowMs: number
let isBehind: boolean
let searchShare: number
let manifest: Manifest
let merger: Merger
let merges: Merging[]
let removed: string[]
let commits: number
let reported: unknown[]

const created: Change = {
  kind: 'index-created',
  index: INDEX,
  uid: asIndexUid('a'),
  primaryKey: null,
  at: 1,
  settings: '{}',
}

const entry = (segment: number, bytes: number): SegmentEntry => ({
  segment: asSegmentNo(segment),
  layer: 'text',
  documents: 10,
  idMin: segment * 10,
  idMax: segment * 10 + 9,
  bytes,
  location: { kind: 'file', checksum: 1 },
})

type Sizes = readonly (readonly [segment: number, bytes: number])[]

const add = (...sizes: Sizes): Promise<void> => addTo(INDEX, sizes)

async function addTo(index: IndexNo, sizes: Sizes): Promise<void> {
  const entries = sizes.map(([segment, bytes]) => entry(segment, bytes))
  await manifest.commit(entries.map((one) => ({ kind: 'segment-added', index, ...one }) as const))
  views.publish(manifest.state)
  merger.touch(asIndexNo(index))
  await turns()
}

/** Resolves when all due work on the main thread has run. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

let views: Views
beforeEach(async () => {
  nowMs = 100 * SECOND
  isBehind = false
  searchShare = 0
  merges = []
  removed = []
  commits = 0
  reported = []
  const fs = { remove: (path: string) => removed.push(path) } as unknown as FileSystem
  manifest = new MemoryManifest() as unknown as Manifest
  await manifest.commit([created])
  views = new Views(() => undefined)
  let next = 1000
  const run = ({ segments }: { readonly segments: readonly number[] }): Promise<MergeResult> =>
    new Promise((resolve, reject) => {
      const merged = { ...entry(next++, 30_000 * segments.length), idMin: 0, idMax: 10_000 }
      merges.push({
        segments,
        end: () => resolve(merged),
        fail: reject,
        refuse: () => resolve('apart'),
      })
    })
  merger = new Merger({
    fs,
    manifest,
    views,
    indexing: { mergesMax: 2, run } as unknown as Indexing,
    onCommitted: () => {
      commits++
      views.publish(manifest.state)
    },
    report: (_, error) => reported.push(error),
    searchesWait: () => isBehind,
    searchShare: () => searchShare,
    now: () => nowMs,
  })
})
afterEach(async () => {
  const closed = merger.close()
  for (const { end } of merges) end()
  await closed
  vi.useRealTimers()
})

const FOUR = [1, 2, 3, 4].map((segment) => [segment, 20_000] as const)
/** With the result of merging those four there are four again. */
const THREE_MORE = [5, 6, 7].map((segment) => [segment, 50_000] as const)

const numbers = (): number[] => [...manifest.state.indexes.get(INDEX)!.segments.keys()]

describe('a batch', () => {
  it('is not offered segments that are being merged', async () => {
    await add(...FOUR)
    expect(merges.map(({ segments }) => segments.toSorted())).toEqual([[1, 2, 3, 4]])
    await add([5, 20_000])
    using offer = merger.offer(INDEX)
    expect(offer.offer.segments).toEqual([5])
  })

  it('keeps its offered segments until it has ended', async () => {
    await add([1, 32_000])
    {
      using offer = merger.offer(INDEX)
      expect(offer.offer.segments).toEqual([1])
      const large = [2, 3, 4, 5].map((segment) => [segment, 100_000] as const)
      await add(...large)
      expect(merges.map(({ segments }) => segments.toSorted())).toEqual([[2, 3, 4, 5]])
      merges[0]!.end()
      await add([6, 100_000], [7, 100_000])
      expect(merges).toHaveLength(1)
    }
    await turns()
    expect(merges[1]?.segments.toSorted()).toEqual([1, 1000, 6, 7])
  })

  it('finds the documents of segments that are merged meanwhile', async () => {
    await add(...FOUR)
    const found = () => [1, 4, 5].map((segment) => merger.follow(asSegmentNo(segment)))
    {
      using _ = merger.offer(INDEX)
      expect(found()).toEqual([1, 4, 5])
      merges[0]!.end()
      await turns()
      expect(found()).toEqual([1000, 1000, 5])
      await add(...THREE_MORE)
      expect(merges).toHaveLength(2)
      merges[1]!.end()
      await turns()
      expect(found()).toEqual([1001, 1001, 1001])
    }
    using _ = merger.offer(INDEX)
    expect(found()).toEqual([1, 4, 5])
  })

  it('finds them also while a batch of another index begins and ends', async () => {
    await add(...FOUR)
    using _ = merger.offer(INDEX)
    merges[0]!.end()
    await turns()
    {
      using __ = merger.offer(asIndexNo(77))
    }
    expect(merger.follow(asSegmentNo(1))).toBe(1000)
  })

  it('keeps its offered segments when a batch of another index ends', async () => {
    await add([1, 32_000])
    using offer = merger.offer(INDEX)
    expect(offer.offer.segments).toEqual([1])
    {
      using __ = merger.offer(asIndexNo(77))
    }
    await add(...[2, 3, 4, 5].map((segment) => [segment, 100_000] as const))
    expect(merges.flatMap(({ segments }) => segments)).not.toContain(1)
  })

  it('is offered segments that fit into the manifest', async () => {
    await add([1, INLINE_BYTES_MAX], [2, INLINE_BYTES_MAX + 1])
    using offer = merger.offer(INDEX)
    expect(offer.offer.segments).toEqual([1])
  })

  it('of a missing index is offered nothing', () => {
    using offer = merger.offer(asIndexNo(99))
    expect(offer.offer.segments).toEqual([])
  })
})

describe('merges', () => {
  it('replace several segments by one', async () => {
    await add(...FOUR)
    merges[0]!.end()
    await turns()
    expect([numbers(), commits, removed, reported]).toEqual([[1000], 1, [], []])
  })

  it('follow one another immediately when no search waits', async () => {
    await add(...FOUR)
    merges[0]!.end()
    await add(...THREE_MORE)
    expect(merges[1]?.segments.toSorted()).toEqual([1000, 5, 6, 7])
  })

  it('leave the largest segment apart when they do not fit into one', async () => {
    await add(...FOUR, [5, 30_000])
    expect(merges[0]?.segments.toSorted()).toEqual([1, 2, 3, 4, 5])
    merges[0]!.refuse()
    await turns()
    expect(merges[1]?.segments.toSorted()).toEqual([1, 2, 3, 4])
    merges[1]!.end()
    await turns()
    expect([numbers(), reported]).toEqual([[5, 1001], []])
    nowMs += 100 * SECOND
    merger.touch(INDEX)
    await turns()
    await merger.allMerged()
    expect(merges).toHaveLength(2)
  })

  it('of several indexes take turns', async () => {
    const other = asIndexNo(2)
    await manifest.commit([{ ...created, index: other, uid: asIndexUid('b') }])
    await add(...FOUR)
    await addTo(
      other,
      FOUR.map(([segment, bytes]) => [segment + 20, bytes] as const),
    )
    await add(...THREE_MORE)
    merges[0]!.end()
    await turns()
    expect(merges[1]?.segments.toSorted()).toEqual([21, 22, 23, 24])
    merges[1]!.end()
    await turns()
    expect(merges[2]?.segments.toSorted()).toEqual([1000, 5, 6, 7])
  })

  it('are fewer while searches wait', async () => {
    await add(...FOUR)
    isBehind = true
    merges[0]!.end()
    await add(...THREE_MORE)
    expect(merges).toHaveLength(1)
    nowMs += 2 * SECOND
    merger.touch(INDEX)
    await turns()
    expect(merges).toHaveLength(2)
  })

  it('do not yield when a layer has too many segments', async () => {
    await add(...FOUR)
    isBehind = true
    merges[0]!.end()
    await turns()
    const more = Array.from({ length: SEGMENTS_MAX }, (_, i) => [i + 5, 50_000] as const)
    await add(...more)
    expect(merges[1]?.segments).toHaveLength(SEGMENTS_MAX + 1)
  })

  it('for a task do not yield', async () => {
    await add(...FOUR)
    isBehind = true
    merges[0]!.end()
    await add(...THREE_MORE)
    expect(merges).toHaveLength(1)
    const done = merger.compact(INDEX, new AbortController().signal)
    await turns()
    expect(merges).toHaveLength(2)
    merges[1]!.end()
    await done
    expect(numbers()).toEqual([1001])
  })
})

const fakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

/** Lets this time pass, with timers that are replaced. */
async function wait(ms: number): Promise<void> {
  nowMs += ms
  vi.advanceTimersByTime(ms)
  await turns()
}

describe('a second merge', () => {
  beforeEach(fakeTimers)
  const LARGE = 200 * MiB
  /** Ten segments become two, because a merged segment stays below a gigabyte. */
  const TEN = Array.from({ length: 10 }, (_, i) => [i + 1, LARGE] as const)
  const FIRST = [1, 2, 3, 4, 5]
  const SECOND_HALF = [6, 7, 8, 9, 10]
  const chosen = (): number[][] => merges.map(({ segments }) => segments.toSorted((a, b) => a - b))
  const other = asIndexNo(2)
  const addSmall = async (more: number | null = null): Promise<void> => {
    await manifest.commit([{ ...created, index: other, uid: asIndexUid('b') }])
    await addTo(
      other,
      FOUR.map(([segment, bytes]) => [segment + 20, more ?? bytes] as const),
    )
  }

  it('runs beside a first one, and both replace their segments', async () => {
    await add(...TEN)
    expect(chosen()).toEqual([FIRST, SECOND_HALF])
    merges[1]!.end()
    await turns()
    expect(numbers()).toEqual([...FIRST, 1001])
    merges[0]!.end()
    await turns()
    expect([numbers(), commits]).toEqual([[1001, 1000], 2])
  })

  it('does not run while a batch runs, but some time after it', async () => {
    {
      using _ = merger.offer(other)
      await add(...TEN)
      expect(chosen()).toEqual([FIRST])
    }
    await turns()
    await wait(1499)
    expect(chosen()).toEqual([FIRST])
    await wait(1)
    expect(chosen()).toEqual([FIRST, SECOND_HALF])
  })

  it('does not begin while searches run', async () => {
    searchShare = 0.01
    await add(...TEN)
    await wait(1500)
    expect(chosen()).toEqual([FIRST])
    searchShare = 0
    await wait(1500)
    expect(chosen()).toEqual([FIRST, SECOND_HALF])
  })

  it('does not run if it is small, but when it is the only one', async () => {
    await add(...TEN.slice(0, 5))
    await addSmall()
    expect(chosen()).toEqual([FIRST])
    merges[0]!.end()
    await turns()
    expect(chosen()).toEqual([FIRST, [21, 22, 23, 24]])
  })

  it.each([
    [2 * MiB - 1, [FIRST]],
    [2 * MiB, [FIRST, [21, 22, 23, 24]]],
  ])('runs beside a first one if it copies 8 MiB: four segments of %i', async (bytes, expected) => {
    await add(...TEN.slice(0, 5))
    await addSmall(bytes)
    await wait(1500)
    expect(chosen()).toEqual(expected)
  })

  it('goes on with small ones when the first one has ended', async () => {
    await add(...TEN)
    await addSmall()
    merges[0]!.end()
    await turns()
    expect(chosen()).toEqual([FIRST, SECOND_HALF])
    merges[1]!.end()
    await turns()
    expect(chosen()).toEqual([FIRST, SECOND_HALF, [21, 22, 23, 24]])
  })

  it('is awaited by a task', async () => {
    await add(...TEN)
    let isDone = false
    const done = merger.compact(INDEX, new AbortController().signal).then(() => (isDone = true))
    merges[0]!.end()
    await turns()
    expect(isDone).toBe(false)
    merges[1]!.end()
    await turns()
    merges[2]!.end()
    await done
    expect(numbers()).toEqual([1002])
  })

  it('is not offered to a batch', async () => {
    await add(...TEN)
    await add([11, 20_000])
    using offer = merger.offer(INDEX)
    expect(offer.offer.segments).toEqual([11])
  })
})

describe('a commit', () => {
  const died = (segment: number, ids: readonly number[]): Change => {
    const one = asSegmentNo(segment)
    const form = 'delta'
    const dead = IdSet.of(ids)
    return { kind: 'tombstones-added', index: INDEX, segment: one, form, generation: 1, ids: dead }
  }
  const file = expect.stringMatching(/^segments\/.*\.text$/)

  it('makes documents that died during the merge dead in the new segment', async () => {
    await add(...FOUR)
    await manifest.commit([died(1, [11]), died(2, [21, 22])])
    merges[0]!.end()
    await turns()
    const { segments } = manifest.state.indexes.get(INDEX)!
    expect([...segments.get(asSegmentNo(1000))!.dead.toArray()]).toEqual([11, 21, 22])
  })

  it('adds no segment whose documents have all died', async () => {
    await add(...FOUR)
    await manifest.commit([died(1, [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])])
    merges[0]!.end()
    await turns()
    expect(numbers()).toEqual([])
  })

  it('discards a merge of a segment that is gone', async () => {
    await add(...FOUR)
    await manifest.commit([{ kind: 'segment-removed', index: INDEX, segment: asSegmentNo(1) }])
    views.publish(manifest.state)
    merges[0]!.end()
    await turns()
    expect([numbers(), commits, removed, reported]).toEqual([[2, 3, 4], 0, [file], []])
    expect(merger.follow(asSegmentNo(2))).toBe(2)
  })

  it('that fails leaves no file', async () => {
    await add(...FOUR)
    const failure = new StorageError('no_space', 'x', 'full')
    Object.assign(manifest, { failure })
    merges[0]!.end()
    await turns()
    expect([numbers(), commits, removed, reported]).toEqual([[1, 2, 3, 4], 0, [file], [failure]])
  })
})

describe('a failure', () => {
  it.each([
    ['corrupt', 1],
    ['missing', 1],
    ['no_space', 2],
  ] as const)('%s: later merges are %i', async (code, count) => {
    await add(...FOUR)
    const failure = new StorageError(code, 'x', 'why')
    merges[0]!.fail(failure)
    await turns()
    expect([merges.length, reported]).toEqual([1, [failure]])
    merger.touch(INDEX)
    await turns()
    expect(merges).toHaveLength(count)
  })

  it('ends the task for which segments are merged', async () => {
    await add(...FOUR)
    const done = merger.compact(INDEX, new AbortController().signal)
    const failure = new StorageError('io', 'x', 'why')
    merges[0]!.fail(failure)
    await expect(done).rejects.toBe(failure)
  })

  it('is not reported if the task was canceled', async () => {
    await add(...FOUR)
    const halt = new AbortController()
    const done = merger.compact(INDEX, halt.signal)
    halt.abort()
    merges[0]!.fail(new Canceled())
    await expect(done).rejects.toBeInstanceOf(Canceled)
    expect(reported).toEqual([])
  })
})

describe('the next look', () => {
  beforeEach(fakeTimers)

  it('comes when the index has become idle', async () => {
    await add([1, 20_000], [2, 20_000])
    await wait(1499)
    expect(merges).toEqual([])
    await wait(1)
    expect(merges.map(({ segments }) => segments.toSorted())).toEqual([[1, 2]])
  })

  it('is at once for a caller that waits until all is merged', async () => {
    await add([1, 20_000], [2, 20_000])
    const done = merger.allMerged()
    await turns()
    merges[0]!.end()
    await done
    expect(numbers()).toEqual([1000])
  })

  it('comes soon while merges yield, and late after a failure', async () => {
    await add(...FOUR)
    isBehind = true
    merges[0]!.end()
    await add(...THREE_MORE)
    isBehind = false
    await wait(99)
    expect(merges).toHaveLength(1)
    await wait(1)
    expect(merges).toHaveLength(2)
    merges[1]!.fail(new StorageError('no_space', 'x', 'full'))
    await turns()
    await wait(9999)
    expect(merges).toHaveLength(2)
    await wait(1)
    expect(merges).toHaveLength(3)
  })

  it('does not come after the end', async () => {
    await add([1, 20_000])
    expect(vi.getTimerCount()).toBe(1)
    await merger.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
