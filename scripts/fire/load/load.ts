// Many connections with mixed requests, and rough clients among them, against a separate server.
// Measures answers, the time of `GET /health`, and the memory of the server before and after.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { Client as Connection } from 'undici'
import { randomOf } from '../../../engine/store/storage/index.ts'
import { awaitedLater } from '../../../engine/time/index.ts'
import { MiB } from '../../../format/bytes/index.ts'
import { bytesText } from '../../../tools/terminal/index.ts'
import { endOfTask, untilIdle } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { type Held, heldBy, INSPECTED } from '../parts/inspector.ts'
import { Instance } from '../parts/instance.ts'
import type { Report, Run } from '../parts/report.ts'
import { startProber } from './prober.ts'
import { DOCUMENTS, documentOf, INDEX, mixedRequest, problemOf, SETTINGS } from './requests.ts'
import { ROUGH_CLIENTS, type RoughReport } from './rough-clients.ts'

export type LoadOptions = Run & {
  readonly connections: number
  /** Requests of each connection. */
  readonly requests: number
  /** Rough clients of each kind. */
  readonly rough: number
  /** Additional tasks that wait at the same time. */
  readonly queued: number
}

const PROBE_PAUSE_MS = 4
const WARM_SHARE = 0.2
const PROBLEMS_MAX = 20
const QUEUE_CONNECTIONS = 32
/** Growth beyond this counts as a leak. */
const GROWTH_MAX: Held = { heap: 16 * MiB, buffers: 16 * MiB, resident: 96 * MiB }
const KINDS = ['heap', 'buffers', 'resident'] as const

/** `load`. Its problems do not depend on the speed of the machine. */
export async function load(options: LoadOptions): Promise<Report> {
  const root = newFolder()
  const instance = new Instance({ name: 'loaded', root, node: [INSPECTED] })
  try {
    await instance.start()
    await prepare(instance)
    // Caches and pools grow once; they have grown before the measurement.
    await round({ ...options, requests: Math.ceil(options.requests * WARM_SHARE) }, instance)
    const before = await settled(instance)
    const under = await round(options, instance)
    const after = await settled(instance)
    const queue = await fillQueue(instance, options.queued)
    const grown = KINDS.filter((kind) => after[kind] - before[kind] > GROWTH_MAX[kind]).map(
      (kind) => `${kind} grew from ${bytesText(before[kind])} to ${bytesText(after[kind])}`,
    )
    const figures = {
      ...under.figures,
      ...Object.fromEntries(
        KINDS.map((kind) => [kind, `${bytesText(before[kind])} → ${bytesText(after[kind])}`]),
      ),
      ...queue,
    }
    return { figures, problems: [...under.problems, ...grown] }
  } finally {
    await instance.kill()
    rmSync(root, { recursive: true, force: true })
  }
}

async function prepare(instance: Instance): Promise<void> {
  await instance.expect(202, 'PATCH', `/indexes/${INDEX}/settings`, SETTINGS)
  const body = Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))
  const { json } = await instance.expect(202, 'POST', `/indexes/${INDEX}/documents`, body)
  await endOfTask(instance, json.taskUid)
}

/** Waits until nothing runs and garbage of tasks is removed. */
async function settled(instance: Instance): Promise<Held> {
  await untilIdle(instance)
  const { json } = await instance.ask('DELETE', '/tasks?statuses=succeeded,failed,canceled')
  await endOfTask(instance, json.taskUid)
  return heldBy(instance.program!)
}

async function round(options: LoadOptions, instance: Instance): Promise<Report> {
  const { connections, requests, rough: count, seed, progress } = options
  const url = await instance.program!.url
  const prober = startProber(url, PROBE_PAUSE_MS)
  const rough: RoughReport = { answers: 0, cut: 0, problems: [] }
  const statuses = new Map<number, number>()
  const problems: string[] = []
  let isBusy = true
  let answers = 0
  const common = { port: Number(new URL(url).port), goesOn: () => isBusy, report: rough }
  const roughEnd = awaitedLater(
    Promise.all(
      ROUGH_CLIENTS.flatMap((client, kind) =>
        Array.from({ length: count }, (_, i) =>
          client({ ...common, random: randomOf(seed + 1000 * kind + i) }),
        ),
      ),
    ),
  )
  const begun = performance.now()
  const one = async (number: number): Promise<void> => {
    const random = randomOf(seed + number)
    const connection = new Connection(url)
    for (let i = 0; i < requests; i++) {
      const request = mixedRequest(random, true)
      const { method, path, body = null, type } = request
      const headers = type === undefined ? {} : { 'content-type': type }
      const answer = await connection.request({ method, path, body, headers })
      const text = await answer.body.text()
      const { statusCode } = answer
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      const problem = problemOf(request, statusCode, text)
      if (problem !== '' && problems.length < PROBLEMS_MAX) problems.push(problem)
      if (++answers % 1000 === 0) progress?.(answers, connections * requests, 'requests')
    }
    await connection.close()
  }
  try {
    await Promise.all(Array.from({ length: connections }, (_, number) => one(number)))
    const seconds = (performance.now() - begun) / 1000
    const health = await prober.stop()
    isBusy = false
    await roughEnd
    const figures = {
      answers,
      'answers a second': Math.round(answers / seconds),
      ...Object.fromEntries([...statuses].map(([status, n]) => [`answers ${status}`, n])),
      'rough answers': rough.answers,
      'rough cuts': rough.cut,
      health,
    }
    return { figures, problems: [...problems, ...rough.problems.slice(0, PROBLEMS_MAX)] }
  } finally {
    isBusy = false
  }
}

/** Sends single documents, each as a separate task, faster than they can run. */
async function fillQueue(instance: Instance, tasks: number) {
  const url = await instance.program!.url
  const prober = startProber(url, PROBE_PAUSE_MS)
  const begun = performance.now()
  let next = 0
  const send = async (): Promise<void> => {
    const connection = new Connection(url)
    while (next < tasks) {
      const { statusCode, body } = await connection.request({
        method: 'POST',
        path: '/indexes/queue/documents',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([documentOf(next++)]),
      })
      assert.equal(statusCode, 202, await body.text())
    }
    await connection.close()
  }
  await Promise.all(Array.from({ length: QUEUE_CONNECTIONS }, send))
  const acceptedMs = performance.now() - begun
  await untilIdle(instance)
  const finishedMs = performance.now() - begun
  const health = await prober.stop()
  const { json } = await instance.ask('GET', '/indexes/queue/stats')
  assert.equal(json.numberOfDocuments, tasks, 'all documents of the queue are there')
  return {
    queue: `${tasks} tasks accepted in ${Math.round(acceptedMs)} ms, finished after ${Math.round(finishedMs)} ms`,
    'health with a queue': health,
  }
}
