// Search threads as seen from the main thread, with small programs in place of the real one: which
// requests wait, are rejected, are given up, and which callers are notified.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { asIndexNo, asSegmentNo } from '../../../format/ids.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { ANNOUNCED_MS, LARGE_REQUEST_UNITS } from '../jobs/limits.ts'
import type { JobRequest, ViewsRequest } from '../jobs/protocol.ts'
import { VectorNeeded } from '../jobs/vector-needed.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { SearchPool } from './pool.ts'
import type { SearchPoolOptions } from './pool-options.ts'
import type { LeasedView, SearchPermit } from './searching.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-search-'))
afterAll(() => rmSync(folder, { recursive: true }))
const pools: SearchPool[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const pool of pools.splice(0)) await pool.close()
})

/**
 * Answers with the id of the request. `ahead`: answers with the views announced to it. `hang`:
 * answers only when canceled, as warm-up searches do. `warm-ups`: answers with the number of
 * warm-ups that began. `thread`: answers with the number of its thread. `seen`: answers with the
 * rules and the numbers of the `forget` messages that it received. A request with a `reply` gets it.
 */
const PROGRAM = `
import { parentPort, workerData } from 'node:worker_threads'
const canceled = new Int32Array(workerData.shared)
const ahead = []
const seen = []
let warmUps = 0
parentPort.on('message', (message) => {
  if (message.kind === 'view' && message.isAhead) ahead.push(message.view.sequence)
  if (message.kind === 'rules') seen.push(message.rules.map(({ uid }) => uid).join('+') || 'none')
  if (message.kind === 'forget') seen.push(message.views.length + '/' + message.segments.length)
  if (message.kind === 'warm-up') {
    warmUps++
    message.id = 'hang'
  } else if (!['document', 'search', 'searches'].includes(message.kind)) return
  if (message.id === 'die') process.exit(3)
  if (message.reply) return parentPort.postMessage({ ...message.reply, job: message.job })
  const answer = () => {
    const thread = String(workerData.thread)
    const texts = { ahead: ahead.join(), 'warm-ups': String(warmUps), thread, seen: seen.join() }
    const text = texts[message.id] ?? message.id
    const bytes = new TextEncoder().encode(text)
    const degraded = message.id === 'degraded'
    const lacked = message.id === 'lacked' ? { lackedVectors: [{ uid: 'i', embedder: 'e' }] } : {}
    const reply = { kind: 'answer', job: message.job, bytes, degraded, ...lacked }
    parentPort.postMessage(reply, [bytes.buffer])
  }
  const preempted = canceled.length - 1
  if (message.id === 'slow') {
    while (canceled[preempted] !== message.job) Atomics.wait(canceled, 0, 0, 1)
    return answer()
  }
  if (message.id !== 'hang') return answer()
  const own = workerData.thread * 2
  while (canceled[own] !== message.job && canceled[own + 1] !== message.job) {
    Atomics.wait(canceled, 0, 0, 1)
  }
  parentPort.postMessage({ kind: 'canceled', job: message.job })
})
parentPort.postMessage({ kind: 'ready', protocol: 0 })
`
const program = join(folder, 'program.mjs')
writeFileSync(program, PROGRAM)
/** The same program, which also leaves a file for each thread that was started. */
const announcing = join(folder, 'announcing.mjs')
writeFileSync(
  announcing,
  `import { writeFileSync } from 'node:fs'
${PROGRAM}
writeFileSync(workerData.root + '/started-' + workerData.thread, '')`,
)

const REF = { index: 1, sequence: 1, uid: 'x', segments: [] as ViewRef['segments'] } as ViewRef

/** Lets only the test advance the time of pools; threads still run and answer. */
const stopTime = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

class Room {
  leased = 0
  readonly reports: string[] = []
  readonly pool: SearchPool

  constructor(options: Partial<SearchPoolOptions> = {}) {
    this.pool = new SearchPool({
      file: pathToFileURL(program),
      first: null,
      root: folder,
      threads: 1,
      keepsReserve: false,
      waitingMax: 100,
      runningMax: 1,
      dropAfterMs: 60_000,
      caches: { foldedBytesMax: 1 << 20, blockBytesMax: 1024, setBytesMax: 0 },
      warmUpMs: 0,
      isIndexing: () => false,
      report: (message) => this.reports.push(message),
      ...options,
    })
    pools.push(this.pool)
  }

  async ask(
    id: string,
    signal: AbortSignal | null = null,
    kind: 'search' | 'document' = 'search',
    key = '',
    q = '',
  ): Promise<string> {
    this.leased++
    const view: LeasedView = { ref: REF, release: () => void this.leased-- }
    const request = { kind, id, request: { q } } as unknown as JobRequest
    return Buffer.from(
      await this.pool.run(view, request, signal, [], { key, address: '' }),
    ).toString()
  }

  /** A request that the thread answers with this. */
  async replied(reply: object): Promise<unknown> {
    const view: LeasedView = { ref: REF, release: () => undefined }
    const request = { kind: 'document', reply } as unknown as JobRequest
    return this.pool.run(view, request, null).catch((error: unknown) => error)
  }

  /** One run of a request with a permit. */
  async part(id: string, permit: SearchPermit): Promise<string> {
    this.leased++
    const view: LeasedView = { ref: REF, release: () => void this.leased-- }
    const request = { kind: 'searches', id } as unknown as ViewsRequest
    return Buffer.from(await this.pool.runOver([view], request, null, permit)).toString()
  }
}

const codeOf = (error: unknown): string =>
  error instanceof EngineFault ? error.code : String((error as Error).name)
const outcome = (outcomes: Promise<string>): Promise<string> => outcomes.catch(codeOf)

describe('the search threads', () => {
  it('receive new views of the index that they searched', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    onTestFinished(() => clock.mockRestore())
    const room = new Room()
    room.pool.start()
    room.pool.announce({ ...REF, sequence: 2 })
    expect(await room.ask('ahead')).toBe('')
    room.pool.announce({ ...REF, sequence: 3 })
    room.pool.announce({ ...REF, index: asIndexNo(2), sequence: 4 })
    room.pool.forget([{ index: asIndexNo(1), sequence: 3 }], [])
    room.pool.announce({ ...REF, sequence: 5 })
    expect(await room.ask('ahead')).toBe('3,5')
    // The last search is as long ago as it may be, then longer.
    for (const [ms, sequence] of [
      [ANNOUNCED_MS, 6],
      [ANNOUNCED_MS + 1, 7],
    ] as const) {
      clock.mockReturnValue(1000 + ms)
      room.pool.announce({ ...REF, sequence })
    }
    expect(await room.ask('ahead')).toBe('3,5,6')
  })

  it('answer requests and release leases', async () => {
    const room = new Room({ threads: 2 })
    const ids = Array.from({ length: 20 }, (_, i) => `id ${i}`)
    expect(await Promise.all(ids.map((id) => room.ask(id)))).toEqual(ids)
    expect(room.leased).toBe(0)
  })

  it('cancel a request of a disconnected client, wherever it is', async () => {
    const room = new Room()
    const running = new AbortController()
    const waiting = new AbortController()
    const outcomes = [outcome(room.ask('hang', running.signal)), outcome(room.ask('hang'))]
    const third = outcome(room.ask('third', waiting.signal))
    waiting.abort()
    expect(await third).toBe(new Canceled().name)
    running.abort()
    expect(await outcomes[0]).toBe(new Canceled().name)
    expect(room.leased).toBe(1)
  })

  it('give up requests that take too long, waiting or running, and continue', async () => {
    stopTime()
    const room = new Room({ dropAfterMs: 50, waitingMax: 7 })
    const ids = ['hang', 'hang', 'hang', 'hang']
    const dropped = Promise.allSettled(ids.map((id) => room.ask(id)))
    vi.advanceTimersByTime(50)
    const all = await dropped
    for (const one of all) {
      const { reason } = one as PromiseRejectedResult
      expect(codeOf(reason)).toBe('too_many_search_requests')
      expect((reason as Error).message).toContain('running at the same time: 7.')
    }
    expect(await room.ask('after')).toBe('after')
    expect(room.leased).toBe(0)
  })

  it('refuse one of the waiting requests when there are too many', async () => {
    const waitingMax = 3
    stopTime()
    const room = new Room({ waitingMax, runningMax: 5, dropAfterMs: 300 })
    // One runs, one is in the mailbox, three more count as running, three wait.
    const asked = Array.from({ length: 8 }, () => outcome(room.ask('hang')))
    expect(room.leased).toBe(8)
    asked.push(outcome(room.ask('hang')))
    expect(await Promise.race(asked)).toBe('too_many_search_requests')
    expect(room.leased).toBe(8)
    vi.advanceTimersByTime(300)
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['too_many_search_requests']))
  })

  it('run requests immediately if none may wait; a document lookup needs no permit', async () => {
    const room = new Room({ waitingMax: 0, runningMax: 1 })
    expect(await room.ask('first')).toBe('first')
    const controller = new AbortController()
    const running = outcome(room.ask('hang', controller.signal))
    expect(await outcome(room.ask('second'))).toBe('too_many_search_requests')
    const looked = room.ask('id', null, 'document')
    controller.abort()
    expect(await running).toBe('Canceled')
    expect(await looked).toBe('id')
    expect(await room.ask('third')).toBe('third')
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0, rejected: 1 })
  })

  it('use one permit for several runs', async () => {
    const room = new Room({ waitingMax: 1, runningMax: 1 })
    const { release } = await room.pool.acquire(null)
    const waits = room.ask('waits')
    expect(room.pool.load).toMatchObject({ waitingMax: 1, running: 1, waiting: 1 })
    const controller = new AbortController()
    const called = outcome(room.pool.acquire(controller.signal).then(() => ''))
    // There was room for one, so the one that waited longer was refused.
    expect(await outcome(waits)).toBe('too_many_search_requests')
    controller.abort()
    expect(await called).toBe('Canceled')
    const next = room.ask('next')
    release()
    expect(await next).toBe('next')
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0, rejected: 1, dropped: 0 })
    const late = new Room({ waitingMax: 1, runningMax: 1, dropAfterMs: 20 })
    await late.pool.acquire(null)
    expect(await outcome(late.pool.acquire(null).then(() => ''))).toBe('too_many_search_requests')
    expect(late.pool.load).toMatchObject({ running: 1, waiting: 0, dropped: 2 })
  })

  it('give several runs of one request one time limit, and count the request once', async () => {
    const room = new Room({ runningMax: 1, dropAfterMs: 2000 })
    expect(await room.ask('begin')).toBe('begin')
    const permit = await room.pool.acquire(null)
    const part = (id: string): Promise<string> => room.part(id, permit)
    expect(await part('quick')).toBe('quick')
    const parts = [outcome(part('hang')), outcome(part('hang')), outcome(part('hang'))]
    expect(await Promise.all(parts)).toEqual(Array(3).fill('too_many_search_requests'))
    expect(await outcome(part('after'))).toBe('too_many_search_requests')
    expect(room.pool.load).toMatchObject({ running: 1, dropped: 1 })
    permit.release()
    expect(await room.ask('others')).toBe('others')
    expect(room.leased).toBe(0)
  })

  it('start one thread more than are busy', async () => {
    const started = (): number =>
      readdirSync(folder).filter((name) => name.startsWith('started-')).length
    const room = new Room({ threads: 3, file: pathToFileURL(announcing) })
    expect(await room.ask('one')).toBe('one')
    await vi.waitFor(() => expect(started()).toBe(2), { timeout: 20_000 })
    for (const id of ['two', 'three']) expect(await room.ask(id)).toBe(id)
    expect(started()).toBe(2)
  })

  it('pass on the fault of a request, and the vector that it needs', async () => {
    const room = new Room()
    const fault = new EngineFault('index_not_found', 'gone')
    const error = { family: 'fault', code: fault.code, message: fault.message, path: '' }
    expect(await room.replied({ kind: 'failed', error })).toEqual(fault)
    const needed = { query: 1, embedder: {}, cutoffMs: 5, isOptional: false }
    const vector = await room.replied({ kind: 'vector-needed', needed })
    expect(vector).toBeInstanceOf(VectorNeeded)
    expect(vector).toMatchObject({ needed, message: 'the search needs the vector of its query' })
    expect(await room.replied({ kind: 'canceled' })).toEqual(new Canceled())
    const bytes = Uint8Array.of(1)
    expect(await room.replied({ kind: 'answer', bytes, degraded: false })).toEqual(bytes)
  })

  it('begin nothing for a client that is gone already', async () => {
    const room = new Room()
    const gone = AbortSignal.abort()
    expect(await outcome(room.ask('one', gone))).toBe('Canceled')
    expect(await outcome(room.pool.acquire(gone).then(() => ''))).toBe('Canceled')
    expect(room.leased).toBe(0)
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0, dropped: 0, rejected: 0 })
  })

  it('refuse a permit if none may wait', async () => {
    const room = new Room({ waitingMax: 0, runningMax: 1 })
    const { release } = await room.pool.acquire(null)
    expect(await outcome(room.pool.acquire(null).then(() => ''))).toBe('too_many_search_requests')
    expect(room.pool.load).toMatchObject({ running: 1, rejected: 1, dropped: 0 })
    release()
    const again = await room.pool.acquire(null)
    again.release()
    expect(room.pool.load).toMatchObject({ running: 0, rejected: 1 })
  })

  it('reject all requests when they are closed', async () => {
    const room = new Room({ runningMax: 3 })
    // One runs, one is in the mailbox, one waits for the thread, one for a permit.
    const asked = [1, 2, 3, 4].map(() => room.ask('hang'))
    expect(room.pool.load).toMatchObject({ running: 3, waiting: 1 })
    const all = Promise.allSettled(asked)
    await room.pool.close()
    const stopping = new EngineFault('internal', 'The server is stopping.')
    expect(await all).toEqual(Array(4).fill({ status: 'rejected', reason: stopping }))
    expect(room.leased).toBe(0)
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0 })
  })

  it('receive the rules, at their start and later, and only what they know is forgotten', async () => {
    const room = new Room()
    const rules = (...uids: readonly string[]) =>
      room.pool.setRules(uids.map((uid) => ({ uid })) as unknown as readonly SearchRule[])
    rules('a', 'b')
    expect(await room.ask('seen')).toBe('a+b')
    rules('c')
    rules()
    room.pool.forget([{ ...REF, sequence: 9 }], [])
    expect(await room.ask('seen')).toBe('a+b,c,none')
    room.pool.forget([REF, { ...REF, sequence: 9 }], [])
    room.pool.forget([], [asSegmentNo(5)])
    // It was sent the view again.
    expect(await room.ask('seen')).toBe('a+b,c,none,1/0,0/1')
    const other = new Room()
    expect(await other.ask('seen')).toBe('')
  })

  it('are busy for a share of the last time', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    onTestFinished(() => clock.mockRestore())
    const room = new Room()
    expect(room.pool.busyShare).toBe(0)
    const stop = new AbortController()
    const hanging = outcome(room.ask('hang', stop.signal))
    // The memory is half a second long: busy-share.ts.
    clock.mockReturnValue(1500)
    expect(room.pool.busyShare).toBeCloseTo(1 - 1 / Math.E)
    stop.abort()
    expect(await hanging).toBe('Canceled')
    clock.mockReturnValue(1550)
    expect(room.pool.busyShare).toBe(0)
  })

  it('count answers that were cut short', async () => {
    const room = new Room()
    await Promise.all(['degraded', 'whole', 'degraded'].map((id) => room.ask(id)))
    expect(room.pool.load).toMatchObject({ degraded: 2, running: 0 })
  })

  it('pass on which searches lacked the vector of their client', async () => {
    const lacked: unknown[] = []
    const room = new Room({ lackedVectors: (searches) => lacked.push(...searches) })
    for (const id of ['whole', 'lacked']) await room.ask(id)
    expect(lacked).toEqual([{ uid: 'i', embedder: 'e' }])
  })

  it('are restarted after a crash; the request that crashed them is tried once more', async () => {
    const room = new Room()
    expect(await outcome(room.ask('die'))).toBe('Error')
    expect(room.reports.length).toBe(2)
    expect(room.leased).toBe(0)
  })

  it('do not try a canceled request again after a crash', async () => {
    const room = new Room()
    const controller = new AbortController()
    const died = outcome(room.ask('die', controller.signal))
    controller.abort()
    expect(await died).toBe('Canceled')
    expect(room.reports.length).toBe(1)
    expect(room.leased).toBe(0)
  })

  it('release the permit of a request canceled in a mailbox', async () => {
    const room = new Room({ threads: 2, runningMax: 3 })
    const stops = [1, 2, 3].map(() => new AbortController())
    const hanging = stops.map(({ signal }) => outcome(room.ask('hang', signal)))
    const next = room.ask('next')
    stops[0]!.abort()
    expect(await hanging[0]).toBe('Canceled')
    stops[2]!.abort()
    expect([await hanging[2], await next]).toEqual(['Canceled', 'next'])
    stops[1]!.abort()
    expect(await hanging[1]).toBe('Canceled')
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0 })
  })

  it('preempt a heavy search when another caller waits for the only thread', async () => {
    const room = new Room()
    const slow = room.ask('slow', null, 'search', 'a')
    expect(await room.ask('quick', null, 'search', 'b')).toBe('quick')
    expect(await slow).toBe('slow')
  })

  it('take a search out of the mailbox behind a heavy one', async () => {
    const room = new Room({ threads: 2, runningMax: 9 })
    const [first, second] = [new AbortController(), new AbortController()]
    const hanging = [first, second].map((one) =>
      outcome(room.ask('hang', one.signal, 'search', 'a')),
    )
    // Both threads work: the request is in the mailbox of the first one.
    const quick = room.ask('quick', null, 'search', 'b')
    second.abort()
    expect(await hanging[1]).toBe('Canceled')
    expect(await quick).toBe('quick')
    first.abort()
    expect(await hanging[0]).toBe('Canceled')
    expect(room.leased).toBe(0)
    expect(await room.ask('after', null, 'search', 'a')).toBe('after')
    expect(room.pool.load).toMatchObject({ running: 0, waiting: 0 })
  })

  it('keep a thread free of heavy searches while others are active', async () => {
    const room = new Room({ threads: 2, runningMax: 9 })
    const long = 'x'.repeat(LARGE_REQUEST_UNITS)
    const before = new AbortController()
    await room.ask('quick', null, 'search', 'b')
    const heavy = outcome(room.ask('hang', before.signal, 'search', 'a', long))
    const after = new AbortController()
    const more = [1, 2, 3].map(() => outcome(room.ask('hang', after.signal, 'search', 'a', long)))
    for (let i = 0; i < 5; i++) expect(await room.ask('quick', null, 'search', 'b')).toBe('quick')
    before.abort()
    after.abort()
    expect(await heavy).toBe('Canceled')
    expect(await Promise.all(more)).toEqual(Array(3).fill('Canceled'))
  })
})

describe('the thread in reserve', () => {
  const newRoom = (): Room => new Room({ threads: 2, keepsReserve: true, runningMax: 9 })

  it('does not work while the other one answers in time', async () => {
    const room = newRoom()
    // No search waits for long, however slow the machine is.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const answers = await Promise.all(Array.from({ length: 100 }, () => room.ask('thread')))
    clock.mockRestore()
    expect(new Set(answers)).toEqual(new Set(['0']))
  })

  it('answers a search that waits behind a long one, and those after it', async () => {
    const room = newRoom()
    await room.ask('thread')
    const long = new AbortController()
    const hanging = outcome(room.ask('hang', long.signal))
    expect(await Promise.all([1, 2, 3, 4].map(() => room.ask('thread')))).toEqual(
      Array(4).fill('1'),
    )
    long.abort()
    expect(await hanging).toBe('Canceled')
  })

  it('gets a heavy search at once, while the other one works', async () => {
    const room = newRoom()
    const [first, second] = [new AbortController(), new AbortController()]
    const hanging = outcome(room.ask('hang', first.signal))
    const heavy = outcome(
      room.ask('hang', second.signal, 'search', 'b', 'x'.repeat(LARGE_REQUEST_UNITS)),
    )
    second.abort()
    expect(await heavy).toBe('Canceled')
    first.abort()
    expect(await hanging).toBe('Canceled')
  })

  it('does not get a search that was canceled behind a long one', async () => {
    const room = newRoom()
    await room.ask('thread')
    const [long, behind] = [new AbortController(), new AbortController()]
    const hanging = outcome(room.ask('hang', long.signal))
    const canceled = outcome(room.ask('hang', behind.signal))
    behind.abort()
    // While the other one still runs.
    expect(await canceled).toBe('Canceled')
    // It waits until the reserve works, and would wait for ever behind the canceled one.
    expect(await room.ask('thread')).toBe('1')
    long.abort()
    expect(await hanging).toBe('Canceled')
    expect(room.leased).toBe(0)
  })

  it('is behind only with more requests than threads', async () => {
    const room = newRoom()
    const stops = [1, 2, 3].map(() => new AbortController())
    const hang = (i: number): Promise<string> => outcome(room.ask('hang', stops[i]!.signal))
    const hanging = [hang(0), hang(1)]
    expect(room.pool.isBehind).toBe(false)
    hanging.push(hang(2))
    expect(room.pool.isBehind).toBe(true)
    for (const stop of stops) stop.abort()
    expect(await Promise.all(hanging)).toEqual(Array(3).fill('Canceled'))
  })
})

describe('warm-up of threads', () => {
  const LARGE = {
    ...REF,
    segments: [{ layer: 'documents', documents: 5000 }],
  } as unknown as ViewRef

  it('ends for each request immediately, and is not counted', async () => {
    const room = new Room({ warmUpMs: 60_000 })
    room.pool.announce(LARGE)
    // An answer comes only after the thread was told to end its warm-up.
    let began = 0
    await vi.waitFor(
      async () => {
        began = Number(await room.ask('warm-ups'))
        expect(began).toBeGreaterThan(1)
      },
      { timeout: 30_000, interval: 700 },
    )
    const { running, waiting, rejected, dropped, degraded } = room.pool.load
    expect([running, waiting, rejected, dropped, degraded]).toEqual([0, 0, 0, 0, 0])
    expect(room.leased).toBe(0)
    expect(room.reports).toEqual([])
  })

  it('does nothing when it is switched off', async () => {
    stopTime()
    const room = new Room()
    room.pool.announce(LARGE)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await room.ask('warm-ups')).toBe('0')
  })
})
