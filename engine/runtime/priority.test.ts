// The priorities of threads, which a fake system notes, and those of V8's threads in a process of its
// own: they are the threads that exist at its start.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleInto } from '../../fixtures/bundle.ts'
import {
  lowerThreadsOfV8,
  type Priorities,
  raiseMainThread,
  setThreadNiceness,
} from './priority.ts'

const ADDED = 3
const NICENESS_MAX = 19

/** The nicenesses of the process, of V8's threads, and of a thread that starts afterwards. */
type Nicenesses = {
  readonly isDone: boolean
  readonly own: number
  readonly v8: readonly number[]
  readonly next: number
}

function nicenesses(environment: { readonly [name: string]: string }): Nicenesses {
  const folder = mkdtempSync(join(tmpdir(), 'svc-priority-'))
  try {
    const entry = join(folder, 'entry.ts')
    const room = JSON.stringify(join(import.meta.dirname, 'index.ts'))
    writeFileSync(
      entry,
      `import { readdirSync } from 'node:fs'
       import { getPriority } from 'node:os'
       import { Worker } from 'node:worker_threads'
       import { lowerThreadsOfV8 } from ${room}
       const own = getPriority(process.pid)
       const threads = () =>
         readdirSync('/proc/self/task').map(Number).filter((thread) => thread !== process.pid)
       const before = threads()
       const isDone = lowerThreadsOfV8()
       const v8 = before.map((thread) => getPriority(thread))
       const worker = new Worker(
         'require("node:worker_threads").parentPort.postMessage(' +
           'require("node:fs").readlinkSync("/proc/thread-self").split("/").at(-1))' +
           ';setTimeout(() => undefined, 1e6)', { eval: true })
       worker.once('message', (thread) => {
         console.log(JSON.stringify({ isDone, own, v8, next: getPriority(Number(thread)) }))
         process.exit()
       })`,
    )
    const program = bundleInto(folder, entry, 'entry.mjs')
    const env = { ...process.env, ...environment }
    return JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8', env }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.runIf(process.platform === 'linux')('the threads of V8', () => {
  it('yield to those that the program starts', () => {
    const { isDone, own, v8, next } = nicenesses({})
    expect(isDone).toBe(true)
    expect(v8.length).toBeGreaterThan(0)
    expect(new Set(v8)).toEqual(new Set([Math.min(own + ADDED, NICENESS_MAX)]))
    expect(next).toBe(own)
  })

  it('stay as they are if nothing is tuned', () => {
    const { isDone, own, v8 } = nicenesses({ SVC_RUNTIME_TUNING: 'off' })
    expect(isDone).toBe(false)
    expect(new Set(v8)).toEqual(new Set([own]))
  })
})

describe.runIf(process.platform === 'linux')('a priority', () => {
  /** A system whose process has this niceness and three threads. */
  function noted(change: Partial<Priorities> = {}, own = 1) {
    const calls: (readonly number[])[] = []
    const priorities: Priorities = {
      thread: () => `${process.pid}/task/12`,
      threads: () => ['11', String(process.pid), '12'],
      get: (thread) => (thread === process.pid ? own : 99),
      set: (...given) => void calls.push(given),
      ...change,
    }
    return { calls, priorities }
  }

  it('is that of the calling thread, of the main thread, or of all others', () => {
    const { calls, priorities } = noted()
    expect(setThreadNiceness(7, priorities)).toBe(true)
    expect(raiseMainThread(priorities)).toBe(true)
    expect(lowerThreadsOfV8(priorities)).toBe(true)
    expect(calls).toEqual([
      [12, 7],
      [process.pid, -5],
      [11, 4],
      [12, 4],
    ])
  })

  it('of V8 is at most the largest niceness', () => {
    const { calls, priorities } = noted({}, 17)
    lowerThreadsOfV8(priorities)
    expect(calls).toEqual([
      [11, NICENESS_MAX],
      [12, NICENESS_MAX],
    ])
  })

  it.each(['', 'x', '1/task/0'])('of no thread is set: %j', (link) => {
    const { calls, priorities } = noted({ thread: () => link })
    setThreadNiceness(7, priorities)
    expect(calls).toEqual([])
  })

  it('stays as it is if the system refuses the change; other errors are thrown', () => {
    const failing = (error: Error) =>
      noted({
        set: () => {
          throw error
        },
      }).priorities
    const refusal = failing(Object.assign(new Error('no right'), { code: 'ERR_SYSTEM_ERROR' }))
    expect(raiseMainThread(refusal)).toBe(false)
    expect(() => raiseMainThread(failing(new Error('a mistake')))).toThrow('a mistake')
  })

  it('of this thread may be set to the one that it has', () => {
    expect(setThreadNiceness(getPriority())).toBe(true)
  })
})
