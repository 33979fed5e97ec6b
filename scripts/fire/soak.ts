// A day in a few minutes: people search, more by day than by night; documents change all the time
// and many at night; snapshots, a dump, regular restarts and crashes, a receiver of webhooks that
// fails for hours. In the end all acknowledged work must be there, and memory must not grow.
//
// A steady day has the same load from morning to evening: people search, some documents change four
// times a second, and nothing else happens. It shows slow growth.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { randomOf } from '../../engine/store/storage/index.ts'
import { pause } from './ask.ts'
import { heldBy } from './heap.ts'
import {
  DOCUMENTS,
  documentOf,
  INDEX,
  mixedRequest,
  problemOf,
  SETTINGS,
} from './mixed-requests.ts'
import { memoryOf } from './program.ts'
import type { EventKind, Sample, SoakEvent, SoakReport } from './soak-samples.ts'
import { bytesBelow, descriptorsOf, SoakServer } from './soak-server.ts'

export type SoakOptions = {
  readonly seconds: number
  readonly seed: number
  /** The same load all the time, without restarts. */
  readonly isSteady?: boolean
  readonly onHour?: (hour: number, what: string) => void
}

const HOURS = 24
/** Hour → its event. */
const PLAN: readonly SoakEvent[] = [
  { hour: 2, kind: 'snapshot' },
  { hour: 6, kind: 'restart' },
  { hour: 7, kind: 'snapshot' },
  { hour: 11, kind: 'snapshot' },
  { hour: 13, kind: 'dump' },
  { hour: 15, kind: 'kill' },
  { hour: 16, kind: 'snapshot' },
  { hour: 20, kind: 'restart' },
  { hour: 22, kind: 'snapshot' },
]
const TROUBLE = [8, 12] as const
const SEARCHERS = 6
/** On a steady day: documents that change together, and the interval. */
const STEADY_DOCUMENTS = 20
const STEADY_PAUSE_MS = 250
const SAMPLES = 240
const PROBLEMS_MAX = 20
const TASKS_KEPT = 500

export function soak(options: SoakOptions): Promise<SoakReport> {
  return new Day(options).play()
}

/** All activities that run in parallel, and their results. */
class Day {
  readonly #options: SoakOptions
  readonly #root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  readonly #samples: Sample[] = []
  readonly #events: SoakEvent[] = []
  readonly #problems: string[] = []
  /** Document → its possible revisions: the last acknowledged one, and unanswered ones. */
  readonly #revisions = new Map<number, Set<number>>()
  #server!: SoakServer
  #receiver!: Server
  #begun = 0
  #searches: number[] = []
  #health: number[] = []
  #searchCount = 0
  #writes = 0
  #notifiedTasks = 0
  #isPlanDone = false

  constructor(options: SoakOptions) {
    this.#options = options
  }

  get #isSteady(): boolean {
    return this.#options.isSteady === true
  }

  get #trouble(): readonly [number, number] {
    return this.#isSteady ? [0, 0] : TROUBLE
  }

  get #hour(): number {
    return ((performance.now() - this.#begun) / 1000 / this.#options.seconds) * HOURS
  }
  get #goesOn(): boolean {
    // On a slow machine the day is longer, so that every event of the plan happens.
    const isDay = this.#hour < HOURS || !this.#isPlanDone
    return isDay && this.#problems.length < PROBLEMS_MAX
  }

  async play(): Promise<SoakReport> {
    try {
      this.#begun = performance.now()
      await this.#listen()
      const words = [
        '--snapshot-dir',
        this.#folder('snapshots'),
        '--dump-dir',
        this.#folder('dumps'),
      ]
      const { port } = this.#receiver.address() as AddressInfo
      words.push('--task-webhook-url', `http://127.0.0.1:${port}/`)
      words.push('--experimental-allowed-ip-networks', 'any')
      this.#server = new SoakServer(join(this.#root, 'data.ms'), words)
      await this.#prepare()
      const heapBefore = await this.#morningAndDay()
      await this.#untilIdle()
      await this.#check()
      const heapAfter = (await heldBy(await this.#server.program())).heap
      return this.#report([heapBefore, heapAfter])
    } finally {
      await this.#server?.stop()
      this.#receiver?.closeAllConnections()
      this.#receiver?.close()
      rmSync(this.#root, { recursive: true, force: true })
    }
  }

  /** Runs the day; returns the heap after an hour of warm-up. */
  async #morningAndDay(): Promise<number> {
    this.#begun = performance.now()
    let heap = 0
    const measure = async (): Promise<void> => {
      while (this.#hour < 1) await pause(20)
      heap = (await heldBy(await this.#server.program())).heap
    }
    const searchers = Array.from({ length: SEARCHERS }, (_, i) => this.#search(i))
    await Promise.all([
      ...searchers,
      this.#write(),
      this.#watchHealth(),
      this.#sample(),
      this.#runPlan(),
      measure(),
    ])
    return heap
  }

  #folder(name: string): string {
    return join(this.#root, name)
  }

  #addProblem(problem: string): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push(problem)
  }

  async #prepare(): Promise<void> {
    await this.#server.ask('PATCH', `/indexes/${INDEX}/settings`, { body: SETTINGS })
    const body = Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))
    await this.#server.ask('POST', `/indexes/${INDEX}/documents`, { body })
    await this.#untilIdle()
  }

  /** At night searches have a tenth of the frequency of the day. */
  async #search(number: number): Promise<void> {
    const random = randomOf(this.#options.seed + number)
    while (this.#goesOn) {
      const byDay = Math.max(0.1, Math.sin(((this.#hour - 5) / 18) * Math.PI))
      const light = this.#isSteady ? 1 : byDay
      await pause(random.below(Math.ceil(60 / light)))
      const request = mixedRequest(random, false)
      const { method, path, body, type } = request
      const headers = type === undefined ? {} : { 'content-type': type }
      const begun = performance.now()
      const answer = await this.#server.ask(method, path, {
        headers,
        ...(body === undefined ? {} : { body }),
      })
      if (answer === null) continue
      this.#searches.push(performance.now() - begun)
      this.#searchCount++
      const problem = problemOf(request, answer.status, answer.text)
      if (problem !== '') this.#addProblem(problem)
    }
  }

  /** Writes one document at a time by day, hundreds at night; the same ones repeatedly. */
  async #write(): Promise<void> {
    const random = randomOf(this.#options.seed + 100)
    for (let revision = 1; this.#goesOn; revision++) {
      const isNight = this.#hour < 5
      const byDay = isNight ? 300 : 1 + random.below(3)
      const count = this.#isSteady ? STEADY_DOCUMENTS : byDay
      const ids = Array.from({ length: count }, () => random.below(DOCUMENTS))
      for (const id of ids) this.#expected(id).add(revision)
      const body = ids.map((id) => ({ ...documentOf(id), revision }))
      const path = `/indexes/${INDEX}/documents`
      const answer = await this.#server.ask('POST', path, { body })
      if (answer !== null && answer.status !== 202) this.#addProblem(`a write got ${answer.status}`)
      // A later acknowledged revision overwrites any unanswered one.
      if (answer !== null) for (const id of ids) this.#revisions.set(id, new Set([revision]))
      this.#writes++
      if (revision % 50 === 0) await this.#deleteOldTasks()
      const pauseMs = isNight ? 400 : 60 + random.below(120)
      await pause(this.#isSteady ? STEADY_PAUSE_MS : pauseMs)
    }
  }

  #expected(id: number): Set<number> {
    let known = this.#revisions.get(id)
    if (known === undefined) this.#revisions.set(id, (known = new Set([0])))
    return known
  }

  /** Deletes old tasks, as an operator would; otherwise the queue would grow. */
  async #deleteOldTasks(): Promise<void> {
    const last = await this.#server.ask('GET', '/tasks?limit=1')
    const newest = Number(last?.json?.results?.[0]?.uid ?? 0)
    const oldest = Number(
      (await this.#server.ask('GET', '/tasks?limit=1&reverse=true'))?.json?.results?.[0]?.uid ??
        newest,
    )
    const uids = Array.from(
      { length: Math.max(0, newest - TASKS_KEPT - oldest) },
      (_, i) => oldest + i,
    )
    if (uids.length > 0)
      await this.#server.ask('DELETE', `/tasks?statuses=succeeded&uids=${uids.slice(0, 1000)}`)
  }

  async #watchHealth(): Promise<void> {
    while (this.#goesOn) {
      const begun = performance.now()
      const answer = await this.#server.ask('GET', '/health')
      if (answer !== null) this.#health.push(performance.now() - begun)
      if (answer !== null && answer.status !== 200) this.#addProblem(`health: ${answer.status}`)
      await pause(25)
    }
  }

  async #sample(): Promise<void> {
    for (let i = 0; i < SAMPLES && this.#goesOn; i++) {
      while (this.#goesOn && this.#hour < (i / SAMPLES) * HOURS) await pause(5)
      const { pid } = await this.#server.program()
      const waiting = await this.#server.ask('GET', '/tasks?statuses=enqueued,processing&limit=1')
      this.#samples.push({
        hour: this.#hour,
        memoryBytes: memoryOf(pid)?.now ?? 0,
        threads: await this.#server.threads(),
        descriptors: descriptorsOf(pid),
        diskBytes: bytesBelow(this.#folder('data.ms')),
        searches: this.#searches.splice(0),
        health: this.#health.splice(0),
        tasksWaiting: Number(waiting?.json?.total ?? 0),
      })
      this.#options.onHour?.(Math.floor(this.#hour), `${this.#searchCount} searches`)
    }
  }

  async #runPlan(): Promise<void> {
    for (const { hour, kind } of this.#isSteady ? [] : PLAN) {
      while (this.#goesOn && this.#hour < hour) await pause(20)
      if (!this.#goesOn) break
      this.#events.push({ hour: this.#hour, kind })
      await this.#runEvent(kind)
    }
    this.#isPlanDone = true
  }

  async #runEvent(kind: EventKind): Promise<void> {
    if (kind === 'restart') return this.#server.restart('SIGTERM')
    if (kind === 'kill') return this.#server.restart('SIGKILL')
    const answer = await this.#server.ask('POST', kind === 'snapshot' ? '/snapshots' : '/dumps')
    if (answer === null) return
    if (answer.status !== 202)
      return this.#addProblem(`a ${kind} got ${answer.status} ${answer.text}`)
    const end = await this.#endOf(answer.json.taskUid)
    if (end !== 'succeeded') this.#addProblem(`a ${kind} ${end}`)
    const files = readdirSync(this.#folder(kind === 'snapshot' ? 'snapshots' : 'dumps'))
    if (files.length !== 1)
      this.#addProblem(`after a ${kind} there are ${files.join(', ') || 'no files'}`)
  }

  async #endOf(uid: number): Promise<string> {
    for (;;) {
      const task = await this.#server.ask('GET', `/tasks/${uid}`)
      if (task?.json?.finishedAt) return String(task.json.status)
      await pause(50)
    }
  }

  /** Receives webhooks; in trouble it alternately refuses, hangs up or does not answer. */
  async #listen(): Promise<void> {
    let number = 0
    this.#receiver = createServer((request, response) => {
      const chunks: Uint8Array[] = []
      request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      request.on('end', () => {
        const [from, to] = this.#trouble
        const isTrouble = this.#hour >= from && this.#hour < to
        const kind = number++ % 3
        if (isTrouble && kind === 0) return void response.writeHead(500).end()
        if (isTrouble && kind === 1) return void request.socket.destroy()
        if (isTrouble) return
        const body = Buffer.concat(chunks)
        const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
        this.#notifiedTasks += text.toString().trimEnd().split('\n').length
        response.end()
      })
    })
    await new Promise<void>((resolve) => this.#receiver.listen(0, '127.0.0.1', resolve))
  }

  async #untilIdle(): Promise<void> {
    for (;;) {
      const answer = await this.#server.ask('GET', '/tasks?statuses=enqueued,processing&limit=1')
      if (answer?.json?.total === 0) return
      await pause(50)
    }
  }

  /** Checks that every document has its last acknowledged revision. */
  async #check(): Promise<void> {
    const failed = await this.#server.ask('GET', '/tasks?statuses=failed,canceled&limit=1')
    if (failed?.json?.total !== 0) this.#addProblem(`${failed?.json?.total} tasks failed`)
    const all = await this.#server.ask('GET', `/indexes/${INDEX}/documents?limit=${DOCUMENTS + 1}`)
    const documents: readonly { id: number; revision?: number }[] = all?.json?.results ?? []
    if (documents.length !== DOCUMENTS)
      this.#addProblem(`${documents.length} of ${DOCUMENTS} documents`)
    for (const { id, revision = 0 } of documents) {
      const allowed = this.#revisions.get(id) ?? new Set([0])
      if (allowed.has(revision)) continue
      this.#addProblem(`document ${id} has revision ${revision}, not ${[...allowed]}`)
    }
  }

  #report(heap: readonly [number, number]): SoakReport {
    return {
      samples: this.#samples,
      events: this.#events,
      trouble: this.#trouble,
      isSteady: this.#isSteady,
      heap,
      searches: this.#searchCount,
      writes: this.#writes,
      notifiedTasks: this.#notifiedTasks,
      problems: this.#problems,
    }
  }
}
