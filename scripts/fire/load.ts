// Many connections with mixed requests, and rough clients among them, against a separate server.
// Measures answers, the time of `GET /health`, and the memory of the server before and after.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as Connection } from 'undici'
import { awaitedLater } from '../../engine/model/index.ts'
import { randomOf } from '../../engine/store/storage/index.ts'
import { type Client, clientOf, endOfTask, untilIdle } from './ask.ts'
import { type Held, heldBy, INSPECTED } from './heap.ts'
import {
  DOCUMENTS,
  documentOf,
  INDEX,
  mixedRequest,
  problemOf,
  SETTINGS,
} from './mixed-requests.ts'
import { startProber } from './prober.ts'
import { type Program, startProgram } from './program.ts'
import {
  flooder,
  halfCloser,
  leaver,
  pipeliner,
  type Rough,
  type RoughReport,
  slowReader,
  slowWriter,
} from './rough-clients.ts'

export type LoadOptions = {
  readonly connections: number
  /** Requests of each connection. */
  readonly requests: number
  /** Rough clients of each kind. */
  readonly rough: number
  /** Additional tasks that wait at the same time. */
  readonly queued: number
  readonly seed: number
  readonly onRequests?: (done: number) => void
}

export type LoadReport = {
  readonly seconds: number
  readonly answers: number
  /** Status → answers. */
  readonly statuses: ReadonlyMap<number, number>
  /** The first problems; empty if there were none. */
  readonly problems: readonly string[]
  readonly rough: RoughReport
  /** `GET /health`, milliseconds. */
  readonly health: readonly number[]
  readonly before: Held
  readonly after: Held
  readonly queue: QueueReport
}

type QueueReport = {
  readonly tasks: number
  readonly acceptedSeconds: number
  readonly finishedSeconds: number
  readonly health: readonly number[]
}

const PROBE_PAUSE_MS = 4
const WARM_SHARE = 0.2
const PROBLEMS_MAX = 20
const QUEUE_CONNECTIONS = 32

export async function load(options: LoadOptions): Promise<LoadReport> {
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const program = startProgram({ db: join(root, 'data.ms'), node: [INSPECTED] })
  const url = await program.url
  const client = clientOf(url)
  try {
    await prepare(client)
    // Caches and pools grow once; they have grown before the measurement.
    await round({ ...options, requests: Math.ceil(options.requests * WARM_SHARE) }, url)
    const before = await settled(program, client)
    const under = await round(options, url)
    const after = await settled(program, client)
    const queue = await fillQueue(url, client, options.queued)
    return { ...under, before, after, queue }
  } finally {
    client.close()
    await program.stop()
    rmSync(root, { recursive: true, force: true })
  }
}

async function prepare(client: Client): Promise<void> {
  await client.ask('PATCH', `/indexes/${INDEX}/settings`, { body: SETTINGS })
  const body = Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))
  const { json } = await client.ask('POST', `/indexes/${INDEX}/documents`, { body })
  await endOfTask(client, json.taskUid)
}

/** Waits until nothing runs and garbage of tasks is removed. */
async function settled(program: Program, client: Client): Promise<Held> {
  await untilIdle(client)
  const { json } = await client.ask('DELETE', '/tasks?statuses=succeeded,failed,canceled')
  await endOfTask(client, json.taskUid)
  return heldBy(program)
}

type Round = Pick<LoadReport, 'seconds' | 'answers' | 'statuses' | 'problems' | 'rough' | 'health'>

async function round(options: LoadOptions, url: string): Promise<Round> {
  const { connections, requests, onRequests = () => undefined } = options
  const prober = startProber(url, PROBE_PAUSE_MS)
  const roughReport: RoughReport = { answers: 0, cut: 0, problems: [] }
  const statuses = new Map<number, number>()
  const problems: string[] = []
  let isBusy = true
  let answers = 0
  const roughEnd = rough(options, url, () => isBusy, roughReport)
  const begun = performance.now()
  const one = async (number: number): Promise<void> => {
    const random = randomOf(options.seed + number)
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
      if (++answers % 1000 === 0) onRequests(answers)
    }
    await connection.close()
  }
  try {
    await Promise.all(Array.from({ length: connections }, (_, number) => one(number)))
    const seconds = (performance.now() - begun) / 1000
    const health = await prober.stop()
    isBusy = false
    await roughEnd
    return { seconds, answers, statuses, problems, rough: roughReport, health }
  } finally {
    isBusy = false
  }
}

/** Resolves when the rough clients have gone. */
function rough(
  { rough: count, seed }: LoadOptions,
  url: string,
  goesOn: () => boolean,
  report: RoughReport,
): Promise<unknown> {
  const port = Number(new URL(url).port)
  const kinds = [slowWriter, slowReader, halfCloser, pipeliner, flooder, leaver]
  const all = kinds.flatMap((kind, k) =>
    Array.from({ length: count }, (_, i) => {
      const client: Rough = { port, goesOn, report, random: randomOf(seed + 1000 * k + i) }
      return kind(client)
    }),
  )
  return awaitedLater(Promise.all(all))
}

/** Sends single documents, each as a separate task, faster than they can run. */
async function fillQueue(url: string, client: Client, tasks: number): Promise<QueueReport> {
  const prober = startProber(url, PROBE_PAUSE_MS)
  const begun = performance.now()
  let next = 0
  const send = async (): Promise<void> => {
    const connection = new Connection(url)
    while (next < tasks) {
      const id = next++
      const { statusCode, body } = await connection.request({
        method: 'POST',
        path: '/indexes/queue/documents',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([documentOf(id)]),
      })
      const text = await body.text()
      if (statusCode !== 202) throw new Error(`task ${id} was refused: ${statusCode} ${text}`)
    }
    await connection.close()
  }
  await Promise.all(Array.from({ length: QUEUE_CONNECTIONS }, send))
  const acceptedSeconds = (performance.now() - begun) / 1000
  await untilIdle(client)
  const finishedSeconds = (performance.now() - begun) / 1000
  const health = await prober.stop()
  const { json } = await client.ask('GET', '/indexes/queue/stats')
  if (json.numberOfDocuments !== tasks) {
    throw new Error(`${json.numberOfDocuments} of ${tasks} documents are there`)
  }
  return { tasks, acceptedSeconds, finishedSeconds, health }
}
