// The priorities of threads, in a process of its own: V8's threads are those that exist at its start.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundleInto } from '../../fixtures/bundle.ts'

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
