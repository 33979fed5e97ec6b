// A third instance joins two that have many documents, while searches run. Measures the duration,
// the processor time, and the times of searches meanwhile.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf, pause, untilIdle } from './ask.ts'
import { Instance } from './network-instance.ts'
import { WORDS } from './work.ts'

export type RebalanceReport = {
  /** Milliseconds of each search without other work, and during the change. */
  readonly idle: readonly number[]
  readonly during: readonly number[]
  readonly changeMs: number
  /** Processor time of all instances during the change, searches included, in milliseconds. */
  readonly cpuMs: number
  /** Processor time in a period of the same length before the change. */
  readonly idleCpuMs: number
  readonly moved: number
}

const BATCH = 10_000
const IDLE_MS = 8000
const SEARCH_PAUSE_MS = 5
const TICK_MS = 10
const NAMES = ['a', 'b', 'c']

/** @throws Error when the change fails */
export async function measureRebalance(documents: number): Promise<RebalanceReport> {
  const root = mkdtempSync(join(tmpdir(), 'svc-rebalance-'))
  const instances: Instance[] = []
  for (const name of NAMES) instances.push(await Instance.start(name, root))
  try {
    return await measure(instances, documents)
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()))
    rmSync(root, { recursive: true })
  }
}

async function measure(
  instances: readonly Instance[],
  documents: number,
): Promise<RebalanceReport> {
  const [a, b, c] = instances as [Instance, Instance, Instance]
  for (const each of instances) {
    await each.ask('PATCH', '/experimental-features', { body: { network: true } })
  }
  const body = {
    self: 'a',
    leader: 'a',
    remotes: { a: { url: a.url }, b: { url: b.url } },
    shards: { s1: { remotes: ['a'] }, s2: { remotes: ['b'] }, s3: { remotes: ['a'] } },
  }
  await a.ask('PATCH', '/network', { body })
  for (let from = 0; from < documents; from += BATCH) {
    const docs = Array.from({ length: Math.min(BATCH, documents - from) }, (_, i) =>
      documentOf(from + i),
    )
    await a.ask('POST', '/indexes/films/documents', { body: docs })
  }
  for (const each of [a, b]) await idle(each)
  await searched(a, pause(2000))
  const cpuAtRest = cpuOf(instances)
  const begunAtRest = performance.now()
  const atRest = await searched(a, pause(IDLE_MS))
  const restCpu = (cpuOf(instances) - cpuAtRest) / (performance.now() - begunAtRest)
  const cpuBefore = cpuOf(instances)
  const begun = performance.now()
  const change = {
    remotes: { c: { url: c.url } },
    shards: { s2: { remotes: ['b', 'c'] }, s3: { remotes: ['c'] } },
  }
  const { json } = await a.ask('PATCH', '/network', { body: change })
  const during = await searched(a, ended(a, json.taskUid))
  const changeMs = performance.now() - begun
  const stats = await c.ask('GET', '/indexes/films/stats')
  return {
    idle: atRest,
    during,
    changeMs,
    cpuMs: cpuOf(instances) - cpuBefore,
    idleCpuMs: restCpu * changeMs,
    moved: stats.json.numberOfDocuments,
  }
}

const documentOf = (id: number): object => ({
  id,
  title: `${WORDS[id % WORDS.length]} ${WORDS[(id >> 3) % WORDS.length]} ${id}`,
  text: `${WORDS.slice(0, 1 + (id % WORDS.length)).join(' ')} and ${id % 1000} more`.repeat(3),
  n: id % 100,
})

async function idle(instance: Instance): Promise<void> {
  const client = clientOf(instance.directUrl)
  await untilIdle(client)
  client.close()
}

async function ended(leader: Instance, uid: number): Promise<void> {
  for (;;) {
    const { json } = await leader.ask('GET', `/tasks/${uid}`)
    if (json.status === 'succeeded') return
    if (json.finishedAt !== null) throw new Error(JSON.stringify(json))
    await pause(TICK_MS)
  }
}

/** Searches repeatedly until a promise is settled; returns the duration of each search. */
async function searched(instance: Instance, until: Promise<void>): Promise<readonly number[]> {
  const durations: number[] = []
  let isOver = false
  const over = until.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  for (let i = 0; !isOver; i++) {
    const q = `${WORDS[i % WORDS.length]} ${WORDS[(i * 5 + 3) % WORDS.length]}`
    const begun = performance.now()
    const answer = await instance.ask('POST', '/indexes/films/search', { body: { q, limit: 20 } })
    const errors = JSON.stringify(answer.json.remoteErrors ?? null)
    if (answer.status !== 200 || errors !== '{}') {
      throw new Error(`a search failed: ${answer.status}, ${errors.slice(0, 500)}`)
    }
    durations.push(performance.now() - begun)
    await pause(SEARCH_PAUSE_MS)
  }
  await over
  return durations
}

const TICKS_PER_SECOND = 100

/** Returns the milliseconds of processor time that the instances have used. */
function cpuOf(instances: readonly Instance[]): number {
  return instances.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return sum + ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  }, 0)
}
