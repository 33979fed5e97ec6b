// The pool of worker threads: matching replies with jobs, jobs of lost threads, start and end of
// threads. Small programs replace the real ones.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { JobTookTooLong, type PoolJob, WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

const PROGRAM = `
import { parentPort, threadId, workerData } from 'node:worker_threads'
const cells = new Int32Array(workerData.shared)
let count = 0
parentPort.on('message', ({ job, act }) => {
  const answer = (more) => parentPort.postMessage({ job, thread: threadId, slot: workerData.slot, count: ++count, ...more })
  switch (act) {
    case 'answer': answer({ kind: 'done' }); break
    case 'parts': answer({ kind: 'part' }); answer({ kind: 'part' }); answer({ kind: 'done' }); break
    case 'wait': while (!cells.includes(job)) Atomics.wait(cells, 0, Atomics.load(cells, 0), 1); answer({ kind: 'canceled' }); break
    case 'exit': process.exit(7)
    case 'spin': for (;;) {}
    case 'silent': break
  }
})
if (workerData.says) parentPort.postMessage({ kind: 'ready' })
`

type Message = { readonly job: number; readonly act: string }
type Reply = {
  readonly kind: string
  readonly job: number
  readonly thread: number
  readonly slot: number
  readonly count: number
}

const folder = mkdtempSync(join(tmpdir(), 'svc-pool-'))
const file = pathToFileURL(join(folder, 'program.mjs'))
beforeAll(() => writeFileSync(file, PROGRAM))
afterAll(() => rmSync(folder, { recursive: true }))

const pools: TestPool[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const { pool } of pools.splice(0)) await pool.close(new Error('the test is over'))
})

/** Lets only the test advance the time of pools; threads still run and answer. */
const stopTime = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

/** A pool whose jobs are promises of their last reply. */
class TestPool {
  readonly pool: WorkerPool<Message, Reply>
  readonly crashes: string[] = []
  readonly parts: Reply[] = []

  constructor(options: Partial<WorkerPoolOptions<Reply>> = {}) {
    const { isReady } = options
    this.pool = new WorkerPool<Message, Reply>({
      file,
      slots: 1,
      settings: (slot) => ({
        name: `test-${slot}`,
        data: { slot, shared: this.pool.shared.buffer, says: isReady !== undefined },
        heapMegabytes: null,
      }),
      jobOf: ({ job }) => job,
      isLast: ({ kind }) => kind !== 'part',
      onCrash: (slot, error, wasReady) => {
        this.crashes.push(`${slot}: ${error.message}, ${wasReady ? 'ready' : 'not ready'}`)
      },
      ...options,
    })
    pools.push(this)
  }

  /** `retries`: submits the job again as long as the pool allows it. */
  run(act: string, { slot = 0, retries = false } = {}): Promise<Reply> & { job: number } {
    let number = 0
    const reply = new Promise<Reply>((resolve, reject) => {
      const job: PoolJob<Reply> = {
        crashes: 0,
        onReply: (one) => {
          if (one.kind === 'part') this.parts.push(one)
          else resolve(one)
        },
        onLost: (error, mayRetry) => {
          if (retries && mayRetry) give()
          else reject(error)
        },
      }
      const give = (): void => {
        number = this.pool.give(slot, job, (job) => ({ job, act }))
      }
      give()
    })
    return Object.assign(reply, { job: number })
  }
}

describe('a job', () => {
  it('starts only the thread of its slot', async () => {
    const test = new TestPool({ slots: 3 })
    expect((await test.run('answer', { slot: 1 })).slot).toBe(1)
    expect([0, 1, 2].map((slot) => test.pool.isStarted(slot))).toEqual([false, true, false])
    expect((await test.run('answer', { slot: 1 })).count).toBe(2)
  })

  it('receives its own replies in order until the last one', async () => {
    const test = new TestPool()
    const [first, second] = [test.run('parts'), test.run('answer')]
    expect(test.pool.jobsOf(0)).toBe(2)
    expect((await first).count).toBe(3)
    expect((await second).count).toBe(4)
    expect(test.parts.map(({ count, job }) => [count, job])).toEqual([
      [1, first.job],
      [2, first.job],
    ])
    expect(test.pool.jobsOf(0)).toBe(0)
  })

  it('is the oldest one if replies name no job', async () => {
    const test = new TestPool({ jobOf: undefined } as never)
    const replies = await Promise.all([test.run('answer'), test.run('answer')])
    expect(replies.map(({ count }) => count)).toEqual([1, 2])
  })

  it('is canceled through shared memory while the thread reads no messages', async () => {
    const test = new TestPool({ cells: { jobs: 2, more: 1 } })
    expect(test.pool.shared).toHaveLength(3)
    const [first, second, third] = [test.run('wait'), test.run('wait'), test.run('answer')]
    test.pool.cancel(0, first.job)
    test.pool.cancel(0, second.job)
    expect((await first).kind).toBe('canceled')
    expect((await second).kind).toBe('canceled')
    expect((await third).kind).toBe('done')
    // The cells hold finished jobs, so they are free.
    const fourth = test.run('wait')
    test.pool.cancel(0, fourth.job)
    expect((await fourth).kind).toBe('canceled')
    expect(test.pool.shared[2]).toBe(0)
  })

  it('that takes too long loses its thread; the jobs behind it may be tried again', async () => {
    // The job behind has as much time, and waits for the start of another thread.
    const test = new TestPool({ jobMsMax: 2000 })
    const long = test.run('spin')
    const behind = test.run('answer', { retries: true })
    await expect(long).rejects.toBeInstanceOf(JobTookTooLong)
    expect((await behind).count).toBe(1)
    expect(test.crashes).toEqual([])
  })

  it('keeps its time limit when jobs behind it are dropped', async () => {
    const test = new TestPool({ jobMsMax: 300 })
    const long = test.run('spin')
    const others = setInterval(() => {
      const other = test.run('silent')
      test.pool.drop(0, other.job)
    }, 20)
    await expect(long).rejects.toBeInstanceOf(JobTookTooLong)
    clearInterval(others)
  })

  it('that is dropped gets no answer and delays no other job', async () => {
    const test = new TestPool()
    const dropped = test.run('silent')
    test.pool.drop(0, dropped.job)
    expect(test.pool.jobsOf(0)).toBe(0)
    expect((await test.run('answer')).count).toBe(1)
    await test.pool.close(new Error('closed'))
    const state = await Promise.race([dropped, Promise.resolve('not answered')])
    expect(state).toBe('not answered')
  })
})

describe('a thread that ends by itself', () => {
  it('loses its jobs; jobs in its mailbox are not blamed', async () => {
    const test = new TestPool({ crashesMax: 2 })
    const bad = test.run('exit', { retries: true })
    const good = test.run('answer', { retries: true })
    await expect(bad).rejects.toThrow('ended with code 7')
    expect((await good).kind).toBe('done')
    const crash = '0: the thread test-0 ended with code 7, ready'
    expect(test.crashes).toEqual([crash, crash])
  })

  it('is not blamed on a withdrawn job, which keeps its place until then', async () => {
    const test = new TestPool({ crashesMax: 1 })
    const lost: string[] = []
    const jobOf = (name: string, isWithdrawn: boolean): PoolJob<Reply> => ({
      crashes: 0,
      isWithdrawn,
      onReply: () => undefined,
      onLost: (_, mayRetry) => void lost.push(`${name}: ${mayRetry}`),
    })
    const acts = [
      ['withdrawn', true, 'silent'],
      ['running', false, 'exit'],
      ['behind', false, 'answer'],
    ] as const
    for (const [name, isWithdrawn, act] of acts) {
      test.pool.give(0, jobOf(name, isWithdrawn), (job) => ({ job, act }))
    }
    expect(test.pool.jobsOf(0)).toBe(3)
    while (test.crashes.length === 0) await sleep(10)
    expect(lost).toEqual(['withdrawn: true', 'running: false', 'behind: true'])
  })

  it('is started for the next job; a job without retries is not tried again', async () => {
    const test = new TestPool()
    await expect(test.run('exit', { retries: true })).rejects.toThrow('ended with code 7')
    expect((await test.run('answer')).count).toBe(1)
    expect(test.crashes).toHaveLength(1)
  })

  it('repeatedly is not started for a while', async () => {
    stopTime()
    const restarts: number[] = []
    const onRestart = (slot: number): void => void restarts.push(slot)
    const test = new TestPool({ slots: 2, crashesMax: 2, restartPauseMs: 300, onRestart })
    await expect(test.run('exit', { slot: 1 })).rejects.toThrow()
    expect(test.pool.canRun(1)).toBe(true)
    await expect(test.run('exit', { slot: 1 })).rejects.toThrow()
    expect([test.pool.canRun(0), test.pool.canRun(1)]).toEqual([true, false])
    vi.advanceTimersByTime(299)
    expect(restarts).toEqual([])
    vi.advanceTimersByTime(1)
    expect(restarts).toEqual([1])
    expect(test.pool.canRun(1)).toBe(true)
  })

  it('before it was ready is reported as such', async () => {
    const test = new TestPool({
      file: new URL('nothing.mjs', file),
      isReady: ({ kind }) => kind === 'ready',
    })
    test.pool.start(0)
    while (test.crashes.length === 0) await sleep(10)
    expect(test.crashes[0]).toMatch(/nothing\.mjs.*, not ready$/)
  })
})

describe('a thread', () => {
  it('reports when it is ready, if the pool requires it', async () => {
    const ready: number[] = []
    const onReady = (slot: number): void => void ready.push(slot)
    const test = new TestPool({ isReady: ({ kind }) => kind === 'ready', onReady })
    test.pool.start(0)
    expect(test.pool.isReady(0)).toBe(false)
    while (ready.length === 0) await sleep(10)
    expect(test.pool.isReady(0)).toBe(true)
    expect((await test.run('answer')).count).toBe(1)
  })

  it('that is idle is ended', async () => {
    stopTime()
    const policy = { idleMs: 20, loadMin: 0, startsAgain: false }
    const test = new TestPool({ recycle: () => policy })
    await test.run('answer')
    vi.advanceTimersByTime(19)
    expect(test.pool.isStarted(0)).toBe(true)
    vi.advanceTimersByTime(1)
    expect(test.pool.isStarted(0)).toBe(false)
    expect((await test.run('answer')).count).toBe(1)
    // So is a thread that never had a job.
    vi.advanceTimersByTime(20)
    test.pool.start(0)
    expect(test.pool.isStarted(0)).toBe(true)
    vi.advanceTimersByTime(20)
    expect(test.pool.isStarted(0)).toBe(false)
  })

  it('is ended after another time if its load is small', async () => {
    stopTime()
    const hour = 3_600_000
    const [idleMs, loadMin, startsAgain] = [20, 1000, false]
    const long = new TestPool({
      recycle: () => ({ idleMs, loadMin, startsAgain, lightIdleMs: hour }),
    })
    const { thread } = await long.run('answer')
    vi.advanceTimersByTime(hour - 1)
    expect((await long.run('answer')).thread).toBe(thread)
    const short = { idleMs: hour, loadMin, startsAgain, lightIdleMs: 20 }
    const test = new TestPool({ recycle: () => short })
    await test.run('answer')
    vi.advanceTimersByTime(20)
    expect(test.pool.isStarted(0)).toBe(false)
  })

  it('stays although its load is large if it may', async () => {
    stopTime()
    let mayStay = true
    const policy = { idleMs: 20, loadMin: 0, startsAgain: false, mayStay: () => mayStay }
    const test = new TestPool({ recycle: () => policy })
    const { thread } = await test.run('answer')
    vi.advanceTimersByTime(100)
    expect((await test.run('answer')).thread).toBe(thread)
    mayStay = false
    vi.advanceTimersByTime(20)
    expect(test.pool.isStarted(0)).toBe(false)
  })

  it('is replaced when idle if its load is large', async () => {
    stopTime()
    const policy = { idleMs: 20, loadMin: 1000, startsAgain: true }
    const test = new TestPool({ recycle: () => policy })
    const { thread } = await test.run('answer')
    vi.advanceTimersByTime(100)
    expect((await test.run('answer')).thread).toBe(thread)
    test.pool.addLoad(0, 1000)
    expect((await test.run('answer')).thread).toBe(thread)
    vi.advanceTimersByTime(20)
    expect(test.pool.isStarted(0)).toBe(true)
    expect((await test.run('answer')).thread).not.toBe(thread)
  })
})

it('a closed pool fails running jobs and refuses new ones', async () => {
  const test = new TestPool({ crashesMax: 3 })
  const running = test.run('spin', { retries: true })
  const waiting = test.run('answer', { retries: true })
  const refused = [running, waiting].map((one) => expect(one).rejects.toThrow('closed'))
  await test.pool.close(new Error('closed'))
  await Promise.all(refused)
  await expect(test.run('answer')).rejects.toThrow('closed')
  test.pool.start(0)
  expect(test.pool.isStarted(0)).toBe(false)
  expect(test.crashes).toEqual([])
})
