// When threads are warmed up, what stops it, and which searches it runs.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asIndexUid } from '../../../format/ids.ts'
import { Canceled, DEFAULT_SEARCH, FEATURES, type Features } from '../../model/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { addDocuments, enqueue, openTestEngine, PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { WARM_DOCUMENTS_MIN } from '../jobs/limits.ts'
import type { SearchMessage, WarmUpPiece } from '../jobs/protocol.ts'
import { SearchableView } from '../jobs/searchable-view.ts'
import { runSearch } from '../search/run-search.ts'
import { SegmentCache } from '../segments/index.ts'
import { runWarmUp } from './run-warm-up.ts'
import { WarmUp } from './warm-up.ts'
import { warmUpFields, warmUpRequest } from './warm-up-requests.ts'
import { WorkerCore } from './worker-core.ts'

type Run = { readonly slot: number; readonly view: ViewRef; readonly piece: WarmUpPiece }

const view = (index: number, documents: number, sequence = 1): ViewRef =>
  ({
    index,
    sequence,
    uid: `i${index}`,
    primaryKey: 'id',
    fields: [],
    settings: '{}',
    segments: [{ layer: 'documents', documents }],
  }) as unknown as ViewRef

const isView = (message: SearchMessage): message is SearchMessage & { kind: 'view' } =>
  message.kind === 'view'

class World {
  readonly runs: Run[] = []
  readonly started = new Set<number>()
  readonly threads: number
  interrupts = 0
  isIdle = true
  /** Duration of a piece in milliseconds. */
  ms = 10
  /** The result of a piece. */
  outcome: 'done' | 'ended' = 'done'
  /** True if pieces wait for an interrupt. */
  isStuck = false
  end: () => void = () => undefined
  readonly warmUp: WarmUp

  constructor(threads = 1, msMax = 50, searchesAtStart = false, otherMsMax = msMax) {
    this.threads = threads
    this.warmUp = new WarmUp({
      threads,
      searchesAtStart,
      msMax: (slot) => (slot === 0 ? msMax : otherMsMax),
      isIdle: () => this.isIdle,
      isStarted: (slot) => this.started.has(slot),
      run: (slot, ref, piece) => {
        this.runs.push({ slot, view: ref, piece })
        this.started.add(slot)
        return new Promise((resolve) => {
          this.end = () => resolve('ended')
          if (!this.isStuck) setTimeout(() => resolve(this.outcome), this.ms)
        })
      },
      interrupt: () => {
        this.interrupts++
        this.end()
      },
      now: () => Date.now(),
    })
  }
}

describe('warm-up in idle time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('spends the time of a thread, which keeps its code after the last piece', async () => {
    const world = new World()
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(world.runs.length).toBe(6)
    expect(world.runs.map(({ piece }) => piece.keepsCode)).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
    ])
    // No search is run twice.
    let next = 0
    for (const { piece } of world.runs) {
      expect(piece.from).toBe(next)
      next += piece.count
    }
  })

  it('begins at the start with a few single searches of the first thread', async () => {
    const world = new World(2, 50, true)
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(100)
    expect(
      world.runs.map(({ slot, piece: { count, keepsCode } }) => [slot, count, keepsCode]),
    ).toEqual(Array.from({ length: 3 }, () => [0, 1, false]))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(world.runs[3]!.piece.from).toBe(0)
    expect(world.runs.length).toBeGreaterThan(10)
  })

  it('ends these searches when a request arrives', async () => {
    const world = new World(1, 50, true)
    world.isStuck = true
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(1)
    world.warmUp.touch()
    expect(world.interrupts).toBe(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(world.runs.length).toBe(1)
  })

  it('does nothing for small indexes, and uses the largest one', async () => {
    const world = new World()
    world.warmUp.published(view(1, WARM_DOCUMENTS_MIN - 1))
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs).toEqual([])
    world.warmUp.published(view(1, WARM_DOCUMENTS_MIN))
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs).not.toEqual([])
    world.runs.length = 0
    world.warmUp.published(view(2, 4000))
    world.warmUp.published(view(3, 2000))
    await vi.advanceTimersByTimeAsync(5000)
    expect(new Set(world.runs.map(({ view: { index } }) => index))).toEqual(new Set([2]))
  })

  it('warms up two threads, and others once they run', async () => {
    const world = new World(4)
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(new Set(world.runs.map(({ slot }) => slot))).toEqual(new Set([0, 1]))
    world.started.add(3)
    world.warmUp.started(3)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(new Set(world.runs.map(({ slot }) => slot))).toEqual(new Set([0, 1, 3]))
  })

  it('spends on each thread what it may, and only the first keeps its code', async () => {
    const world = new World(2, 50, false, 20)
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(10_000)
    const of = (slot: number) => world.runs.filter((run) => run.slot === slot)
    expect([of(0).length, of(1).length]).toEqual([6, 3])
    const keeping = world.runs.filter(({ piece }) => piece.keepsCode)
    expect(keeping.map(({ slot }) => slot)).toEqual([0])
  })

  it('waits until there was no request for a while', async () => {
    const world = new World()
    world.warmUp.published(view(1, 5000))
    for (let i = 0; i < 50; i++) {
      await vi.advanceTimersByTimeAsync(100)
      world.warmUp.touch()
    }
    expect(world.runs).toEqual([])
    world.isIdle = false
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs).toEqual([])
    world.isIdle = true
    await vi.advanceTimersByTimeAsync(1000)
    expect(world.runs.length).toBeGreaterThan(0)
  })

  it('waits for a whole pause without work, as batches follow one another', async () => {
    const world = new World()
    world.warmUp.published(view(1, 5000))
    for (let i = 0; i < 50; i++) {
      world.isIdle = i % 2 === 0
      await vi.advanceTimersByTimeAsync(199)
    }
    expect(world.runs).toEqual([])
    world.isIdle = true
    await vi.advanceTimersByTimeAsync(1000)
    expect(world.runs.length).toBeGreaterThan(0)
  })

  it('ends the running piece when a request arrives, and repeats its searches later', async () => {
    const world = new World(1, 5000)
    world.isStuck = true
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(1000)
    expect(world.runs.length).toBe(1)
    world.isStuck = false
    world.warmUp.touch()
    expect(world.interrupts).toBe(1)
    await vi.advanceTimersByTimeAsync(150)
    expect(world.runs.length).toBe(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(world.runs[1]!.piece).toEqual(world.runs[0]!.piece)
    world.warmUp.touch()
    expect(world.interrupts).toBe(1)
  })

  it('gives up when searches fail, and starts again with a much larger index', async () => {
    const world = new World()
    world.outcome = 'ended'
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs.length).toBe(1)
    world.outcome = 'done'
    world.warmUp.published(view(1, 6000, 2))
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs.length).toBe(1)
    world.warmUp.published(view(1, 24_000, 3))
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs.length).toBe(7)
    expect(world.runs[6]!.view.sequence).toBe(3)
  })

  it('is not repeated after it has ended its thread, even if another one starts', async () => {
    const world = new World()
    world.outcome = 'ended'
    world.warmUp.published(view(1, 5000))
    await vi.advanceTimersByTimeAsync(205)
    world.warmUp.started(0)
    await vi.advanceTimersByTimeAsync(5000)
    world.warmUp.started(0)
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs.length).toBe(1)
  })

  it('does not search a retired view, and ends when it is closed', async () => {
    const world = new World()
    world.warmUp.published(view(1, 5000))
    world.warmUp.retired([{ index: asIndexNo(1), sequence: 1 }])
    await vi.advanceTimersByTimeAsync(5000)
    world.warmUp.published(view(1, 5000, 2))
    world.warmUp.close()
    await vi.advanceTimersByTimeAsync(5000)
    expect(world.runs).toEqual([])
  })
})

describe('searching an index for it', () => {
  const features = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
  const watch = Object.assign(() => false, {})

  async function openedView(): Promise<SearchableView> {
    const announced = vi.spyOn(WorkerCore.prototype, 'handle')
    const fs = new FakeDisk().mount()
    const engine = await openTestEngine(fs)
    const patch = { filterableAttributes: ['kind', 'size'], sortableAttributes: ['size'] }
    const update = { kind: 'settingsUpdate', isDeletion: false, allowIndexCreation: true } as const
    await enqueue(engine, 'a', { ...update, patch })
    const titles = ['quiet harbour', 'bright mountain road', 'harbour of the night']
    await addDocuments(
      engine,
      'a',
      Array.from({ length: 200 }, (_, id) => {
        return { id, title: `${titles[id % 3]} ${id}`, kind: `k${id % 5}`, size: id % 17 }
      }),
    )
    await engine.idle()
    await engine.queries.search(asIndexUid('a'), PLAIN_SEARCH, {
      features,
      requestUid: '',
      queryUid: null,
      signal: null,
    } as unknown as Parameters<typeof engine.queries.search>[2])
    const shown = announced.mock.calls.map(([message]) => message).filter(isView)
    announced.mockRestore()
    return new SearchableView(shown.at(-1)!.view, new SegmentCache(fs, MiB, false), null)
  }

  const job = (from: number, count: number) =>
    ({
      kind: 'warm-up',
      job: 1,
      view: { index: asIndexNo(1), sequence: 1 },
      from,
      count,
      keepsCode: false,
    }) as const

  it('runs every kind of search, and leaves the answers as they are', async () => {
    const view = await openedView()
    const common = {
      kind: 'search',
      job: 2,
      features,
      view: { index: asIndexNo(1), sequence: 1 },
    } as const
    const names = { requestUid: 'u', queryUid: null, sentAt: Date.now() }
    const answer = (q: string): object => {
      const job = { ...common, ...names, request: { ...PLAIN_SEARCH, q } }
      const text = Buffer.from(runSearch(view, job, [], watch, null)).toString()
      return { ...JSON.parse(text), processingTimeMs: 0 }
    }
    const queries = ['harbour', 'quiet harb', 'mountian', '"harbour of" night', '']
    const before = queries.map(answer)
    let looks = 0
    const counting = Object.assign(() => ++looks < 0, {})
    for (let from = 0; from < 120; from += 20) {
      expect(runWarmUp(view, job(from, 20), counting).length).toBe(0)
    }
    expect(looks).toBeGreaterThan(120)
    expect(queries.map(answer)).toEqual(before)
    expect(before[0]).toMatchObject({ estimatedTotalHits: 133 })
  })

  it('ends at a checkpoint when a request waits', async () => {
    const view = await openedView()
    const asking = Object.assign(() => true, {})
    expect(() => runWarmUp(view, job(0, 20), asking)).toThrow(Canceled)
  })
})

describe('the searches', () => {
  const settings = {
    ...defaultSettings(),
    searchableAttributes: ['title', 'text.*'],
    filterableAttributes: ['genre', { attributePatterns: ['meta_*', 'year'] }],
    sortableAttributes: ['year', '_geo'],
  } as unknown as Parameters<typeof warmUpFields>[0]
  const fields = warmUpFields(settings)
  const document = {
    title: 'The quiet harbour at night',
    genre: ['drama', 'other'],
    year: 1987,
    secret: 'unsearched',
  }
  const requests = Array.from({ length: 60 }, (_, i) => warmUpRequest(i, document, fields))

  it('use only fields that settings name', () => {
    expect(fields.searchable).toEqual(new Set(['title']))
    expect(fields.filterable).toEqual(['genre', 'year'])
    expect(fields.sortable).toEqual(['year'])
  })

  it('are the same each time, of many kinds, with words of the document', () => {
    expect(requests).toEqual(
      Array.from({ length: 60 }, (_, i) => warmUpRequest(i, document, fields)),
    )
    const queries = requests.map(({ q }) => q ?? '')
    expect(new Set(queries).size).toBeGreaterThan(25)
    expect(queries).toContain('The quiet')
    expect(queries.some((q) => q.includes('unsearched'))).toBe(false)
    expect(queries.some((q) => q.startsWith('"'))).toBe(true)
    expect(requests.map(({ filter }) => filter)).toContain('"genre" = "drama"')
    expect(requests.some(({ facets }) => facets?.includes('year') === true)).toBe(true)
    expect(requests.some(({ sort }) => sort?.[0] === 'year:desc')).toBe(true)
  })

  it('have words of lists and of the beginning of long texts, and only of searched fields', () => {
    const all = { searchable: null, filterable: [], sortable: [] }
    // The first kind of request is one word; each round begins seven words later.
    const words = (
      document: object,
      of: typeof all = all,
    ): readonly (string | null | undefined)[] =>
      [0, 1].map((round) => warmUpRequest(round * 19, document as never, of).q)
    expect(words({ a: ['one', 5, 'two'], b: null, c: { d: 'x' }, e: 'three' })).toEqual([
      'one',
      'two',
    ])
    const long = 'ab '.repeat(2000)
    const cut = (document: object): ReadonlySet<unknown> =>
      new Set(
        Array.from({ length: 120 }, (_, i) => warmUpRequest(i * 19, document as never, all).q),
      )
    expect(cut({ a: long, b: 'late' })).toEqual(new Set(['ab']))
    expect(cut({ a: 'early', b: long })).toContain('early')
    // With the blank before it, the longest text behind which another one is read.
    expect(cut({ a: 'x'.repeat(1999), b: 'late' })).toContain('late')
    expect(cut({ a: 'x'.repeat(2000), b: 'late' })).not.toContain('late')
  })

  it('filter by the first field that has a value, and sort only by a sortable field', () => {
    const filterOf = (document: object, filterable: readonly string[]): unknown =>
      warmUpRequest(18, document as never, { searchable: null, filterable, sortable: [] }).filter
    const cases: readonly (readonly [object, readonly string[], unknown])[] = [
      [{ a: 5 }, ['a'], '"a" >= 5'],
      [{ a: [7, 8] }, ['a'], '"a" >= 7'],
      [{ a: 'x"y' }, ['a'], '"a" = "x\\"y"'],
      [{ a: true, b: 'z' }, ['a', 'b'], '"b" = "z"'],
      [{ a: [], b: 1 }, ['a', 'b'], '"b" >= 1'],
      [{ a: 1 }, ['b'], DEFAULT_SEARCH.filter],
    ]
    for (const [document, filterable, filter] of cases) {
      expect(filterOf(document, filterable), JSON.stringify(document)).toBe(filter)
    }
    const sortOf = (sortable: readonly string[]) =>
      warmUpRequest(12, { a: 'word' }, { searchable: null, filterable: [], sortable }).sort
    expect([sortOf([]), sortOf(['a', 'b'])]).toEqual([null, ['a:desc']])
  })

  it('leave out patterns, nested fields and special ones', () => {
    const of = (name: string) =>
      warmUpFields({
        ...defaultSettings(),
        searchableAttributes: [name],
        filterableAttributes: [name],
        sortableAttributes: [name],
      } as unknown as Parameters<typeof warmUpFields>[0])
    for (const name of ['*', '_geo', 'a*', 'a*b', '.a', 'a.b', '']) {
      expect(of(name), name).toEqual({ searchable: null, filterable: [], sortable: [] })
    }
    const plain = { searchable: new Set(['a_b']), filterable: ['a_b'], sortable: ['a_b'] }
    expect(of('a_b')).toEqual(plain)
  })

  it('can be generated from documents without words', () => {
    for (let i = 0; i < 40; i++) expect(typeof warmUpRequest(i, {}, fields).q).toBe('string')
  })
})
