// A day in a few minutes: people search, more by day than by night; documents change all the time
// and many at night; snapshots, a dump, regular restarts and crashes, a receiver of webhooks that
// fails for hours. In the end all acknowledged work must be there, and memory must not grow.
//
// A steady day has the same load from morning to evening: people search, some documents change four
// times a second, and nothing else happens. It shows slow growth.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { randomOf } from '../../../engine/store/storage/index.ts'
import { bytesText } from '../../../tools/terminal/index.ts'
import { type Answer, type AskOptions, pause } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { heldBy, INSPECTED, ThreadProbe } from '../parts/inspector.ts'
import { Instance } from '../parts/instance.ts'
import { memoryOf } from '../parts/program.ts'
import type { Report, Run } from '../parts/report.ts'
import { DOCUMENTS, documentOf, INDEX, mixedRequest, problemOf, SETTINGS } from './requests.ts'
import { type Day, growth, type Sample } from './samples.ts'

export type SoakOptions = Run & {
  readonly seconds: number
  /** The same load all the time, without restarts. */
  readonly steady: boolean
}

const HOURS = 24
/** Hour → its event. */
const PLAN = [
  [2, 'snapshots'],
  [6, 'SIGTERM'],
  [7, 'snapshots'],
  [11, 'snapshots'],
  [13, 'dumps'],
  [15, 'SIGKILL'],
  [16, 'snapshots'],
  [20, 'SIGTERM'],
  [22, 'snapshots'],
] as const
type Event = (typeof PLAN)[number][1]
/** The hours in which the receiver of webhooks fails. */
const TROUBLE = [8, 12] as const
const SEARCHERS = 6
/** On a steady day: documents that change together, and the interval. */
const STEADY_DOCUMENTS = 20
const STEADY_PAUSE_MS = 250
const SAMPLES = 240
const PROBLEMS_MAX = 20
const TASKS_KEPT = 500
const PATH = `/indexes/${INDEX}/documents`

/** `soak`. */
export async function soak(options: SoakOptions): Promise<Report> {
  const { figures, day, problems } = await new Soak(options).play()
  return { figures, problems: [...problems, ...growth(day)] }
}

/** All activities that run in parallel, and their results. */
export class Soak {
  readonly #options: SoakOptions
  readonly #root = newFolder()
  readonly #samples: Sample[] = []
  readonly #problems: string[] = []
  /** Document → its possible revisions: the last acknowledged one, and unanswered ones. */
  readonly #revisions = new Map<number, Set<number>>()
  readonly #receiver = createServer()
  #instance!: Instance
  /** Resolves when the server runs. Its probe is closed before the process ends. */
  #running!: Promise<ThreadProbe>
  #begun = performance.now()
  readonly #searches: number[] = []
  readonly #health: number[] = []
  readonly #events: Event[] = []
  #writes = 0
  #notifiedTasks = 0
  #isPlanDone = false
  #isEnding = false

  constructor(options: SoakOptions) {
    this.#options = options
  }

  get #hour(): number {
    return ((performance.now() - this.#begun) / 1000 / this.#options.seconds) * HOURS
  }

  get #goesOn(): boolean {
    // On a slow machine the day is longer, so that every event of the plan happens.
    const isDay = this.#hour < HOURS || !this.#isPlanDone
    return isDay && this.#problems.length < PROBLEMS_MAX
  }

  async play() {
    const { steady } = this.#options
    try {
      const words = ['--snapshot-dir', join(this.#root, 'snapshots')]
      words.push('--dump-dir', join(this.#root, 'dumps'))
      words.push('--task-webhook-url', await this.#listen())
      words.push('--experimental-allowed-ip-networks', 'any')
      this.#instance = new Instance({ name: 'soaked', root: this.#root, node: [INSPECTED], words })
      await this.#restart(null)
      await this.#ask('PATCH', `/indexes/${INDEX}/settings`, { body: SETTINGS })
      const body = Array.from({ length: DOCUMENTS }, (_, id) => documentOf(id))
      await this.#ask('POST', PATH, { body })
      await this.#untilIdle()
      const heapBefore = await this.#morningAndDay()
      await this.#untilIdle()
      await this.#check()
      const heapAfter = (await heldBy(this.#instance.program!)).heap
      const day: Day = { samples: this.#samples, heap: [heapBefore, heapAfter], isSteady: steady }
      const figures = {
        events: this.#events.join(', '),
        writes: this.#writes,
        'tasks reported to the webhook': this.#notifiedTasks,
        searches: this.#searches,
        health: this.#health,
        heap: `${bytesText(heapBefore)} → ${bytesText(heapAfter)}`,
      }
      return { figures, day, problems: this.#problems }
    } finally {
      this.#isEnding = true
      const probe = await this.#running?.catch(() => null)
      probe?.close()
      await this.#instance?.kill()
      this.#receiver.closeAllConnections()
      this.#receiver.close()
      rmSync(this.#root, { recursive: true, force: true })
    }
  }

  /** Runs the day; returns the heap after an hour of warm-up. */
  async #morningAndDay(): Promise<number> {
    this.#begun = performance.now()
    const measure = async (): Promise<number> => {
      while (this.#hour < 1) await pause(20)
      await this.#running
      return (await heldBy(this.#instance.program!)).heap
    }
    const heap = measure()
    await Promise.all([
      ...Array.from({ length: SEARCHERS }, (_, i) => this.#search(i)),
      this.#write(),
      this.#watchHealth(),
      this.#sample(),
      this.#runPlan(),
      heap,
    ])
    return heap
  }

  /** Ends the process with this signal, if there is one, and starts another one. */
  async #restart(signal: 'SIGTERM' | 'SIGKILL' | null): Promise<void> {
    const before = this.#running
    this.#running = (async () => {
      const probe = await before
      probe?.close()
      if (signal === 'SIGKILL') await this.#instance.kill()
      if (signal === 'SIGTERM') await this.#instance.stop()
      await this.#instance.start()
      return ThreadProbe.open(this.#instance.program!)
    })()
    await this.#running
  }

  /** Returns null if the server ended meanwhile; then it is unknown whether the request arrived. */
  async #ask(method: string, path: string, options?: AskOptions): Promise<Answer | null> {
    const running = this.#running
    await running
    try {
      return await this.#instance.ask(method, path, options)
    } catch (error) {
      const isSame = this.#running === running && this.#instance.isRunning
      if (isSame && !this.#isEnding) throw error
      return null
    }
  }

  #addProblem(problem: string): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push(problem)
  }

  /** At night searches have a tenth of the frequency of the day. */
  async #search(number: number): Promise<void> {
    const { seed, steady } = this.#options
    const random = randomOf(seed + number)
    while (this.#goesOn) {
      const byDay = Math.max(0.1, Math.sin(((this.#hour - 5) / 18) * Math.PI))
      await pause(random.below(Math.ceil(60 / (steady ? 1 : byDay))))
      const request = mixedRequest(random, false)
      const { method, path, body, type } = request
      const headers = type === undefined ? {} : { 'content-type': type }
      const begun = performance.now()
      const options = { headers, ...(body === undefined ? {} : { body }) }
      const answer = await this.#ask(method, path, options)
      if (answer === null) continue
      this.#searches.push(performance.now() - begun)
      const problem = problemOf(request, answer.status, answer.text)
      if (problem !== '') this.#addProblem(problem)
    }
  }

  /** Writes one document at a time by day, hundreds at night; the same ones repeatedly. */
  async #write(): Promise<void> {
    const { seed, steady } = this.#options
    const random = randomOf(seed + 100)
    for (let revision = 1; this.#goesOn; revision++) {
      const isNight = this.#hour < 5
      const byDay = isNight ? 300 : 1 + random.below(3)
      const count = steady ? STEADY_DOCUMENTS : byDay
      const ids = Array.from({ length: count }, () => random.below(DOCUMENTS))
      for (const id of ids) {
        this.#revisions.set(id, (this.#revisions.get(id) ?? new Set([0])).add(revision))
      }
      const body = ids.map((id) => ({ ...documentOf(id), revision }))
      const answer = await this.#ask('POST', PATH, { body })
      if (answer !== null && answer.status !== 202) this.#addProblem(`a write got ${answer.status}`)
      // A later acknowledged revision overwrites any unanswered one.
      if (answer !== null) for (const id of ids) this.#revisions.set(id, new Set([revision]))
      this.#writes++
      if (revision % 50 === 0) await this.#deleteOldTasks()
      const pauseMs = isNight ? 400 : 60 + random.below(120)
      await pause(steady ? STEADY_PAUSE_MS : pauseMs)
    }
  }

  /** Deletes old tasks, as an operator would; otherwise the queue would grow. */
  async #deleteOldTasks(): Promise<void> {
    const uidOf = async (order: string): Promise<number> =>
      Number((await this.#ask('GET', `/tasks?limit=1${order}`))?.json?.results?.[0]?.uid ?? 0)
    const [newest, oldest] = [await uidOf(''), await uidOf('&reverse=true')]
    const length = Math.min(1000, Math.max(0, newest - TASKS_KEPT - oldest))
    const uids = Array.from({ length }, (_, i) => oldest + i)
    if (length > 0) await this.#ask('DELETE', `/tasks?statuses=succeeded&uids=${uids}`)
  }

  async #watchHealth(): Promise<void> {
    while (this.#goesOn) {
      const begun = performance.now()
      const answer = await this.#ask('GET', '/health')
      if (answer !== null) this.#health.push(performance.now() - begun)
      if (answer !== null && answer.status !== 200) this.#addProblem(`health: ${answer.status}`)
      await pause(25)
    }
  }

  async #sample(): Promise<void> {
    for (let i = 0; i < SAMPLES && this.#goesOn; i++) {
      while (this.#goesOn && this.#hour < (i / SAMPLES) * HOURS) await pause(5)
      const probe = await this.#running
      const { pid } = this.#instance
      this.#samples.push({
        hour: this.#hour,
        memoryBytes: memoryOf(pid)?.now ?? 0,
        threads: await probe.read(),
        descriptors: descriptorsOf(pid),
        diskBytes: bytesBelow(this.#instance.db),
      })
      this.#options.progress?.(Math.floor(this.#hour), HOURS, `${this.#searches.length} searches`)
    }
  }

  async #runPlan(): Promise<void> {
    for (const [hour, event] of this.#options.steady ? [] : PLAN) {
      while (this.#goesOn && this.#hour < hour) await pause(20)
      if (!this.#goesOn) break
      this.#events.push(event)
      if (event === 'SIGTERM' || event === 'SIGKILL') await this.#restart(event)
      else await this.#backUp(event)
    }
    this.#isPlanDone = true
  }

  async #backUp(kind: 'snapshots' | 'dumps'): Promise<void> {
    const answer = await this.#ask('POST', `/${kind}`)
    if (answer === null) return
    if (answer.status !== 202) return this.#addProblem(`${kind}: ${answer.status} ${answer.text}`)
    let task: Answer | null = null
    while (!task?.json?.finishedAt) {
      await pause(50)
      task = await this.#ask('GET', `/tasks/${answer.json.taskUid}`)
    }
    if (task.json.status !== 'succeeded') this.#addProblem(`${kind}: ${task.text}`)
    const files = readdirSync(join(this.#root, kind))
    if (files.length !== 1) this.#addProblem(`${kind}: there are ${files.join(', ') || 'no files'}`)
  }

  /** Receives webhooks; in trouble it alternately refuses, hangs up or does not answer. */
  async #listen(): Promise<string> {
    let number = 0
    const [from, to] = this.#options.steady ? [0, 0] : TROUBLE
    this.#receiver.on('request', (request, response) => {
      const chunks: Uint8Array[] = []
      request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      request.on('end', () => {
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
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/`
  }

  async #untilIdle(): Promise<void> {
    const path = '/tasks?statuses=enqueued,processing&limit=1'
    while ((await this.#ask('GET', path))?.json?.total !== 0) await pause(50)
  }

  /** Checks that every document has its last acknowledged revision. */
  async #check(): Promise<void> {
    const failed = await this.#ask('GET', '/tasks?statuses=failed,canceled&limit=1')
    if (failed?.json?.total !== 0) this.#addProblem(`${failed?.json?.total} tasks failed`)
    const all = await this.#ask('GET', `${PATH}?limit=${DOCUMENTS + 1}`)
    const documents: readonly { id: number; revision?: number }[] = all?.json?.results ?? []
    if (documents.length !== DOCUMENTS)
      this.#addProblem(`${documents.length} of ${DOCUMENTS} documents`)
    for (const { id, revision = 0 } of documents) {
      const allowed = this.#revisions.get(id) ?? new Set([0])
      if (allowed.has(revision)) continue
      this.#addProblem(`document ${id} has revision ${revision}, not ${[...allowed]}`)
    }
  }
}

/** Returns bytes of all files below a folder; files that are removed meanwhile do not count. */
function bytesBelow(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    try {
      bytes += entry.isDirectory() ? bytesBelow(path) : statSync(path).blocks * 512
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return bytes
}

/** Returns the number of open descriptors of a process; 0 if the system does not report it. */
function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch (error) {
    // The process has just ended, or the folder does not exist on this system.
    if (!['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return 0
  }
}
