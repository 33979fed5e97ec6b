// More threads for one batch. The batch thread folds documents into chunks; a chunk is plain memory
// and its segments are a function of it, so the layers of a chunk are built side by side, and while
// one chunk is built elsewhere the next is folded. The batch thread works without a pause, so it
// hands segments over only to threads that say in shared memory that they are free, builds a
// segment itself when none is, and takes answers from their ports without an event loop.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Canceled, fromWire, toWire, type WireError } from '../../model/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { buildLayer, type SegmentPlan } from './build-layer.ts'
import type { Chunk } from './chunk.ts'
import type { NewSegment } from './segment-sink.ts'
import { cachedSettings } from './settings-cache.ts'

/** A segment to be built of a chunk. */
export type BuildTask = {
  /** Its place among the segments of the job. */
  readonly number: number
  readonly job: number
  readonly plan: SegmentPlan
  readonly chunk: Chunk
  readonly settings: string
  /** By field id: all that occur in the chunk are there. */
  readonly names: readonly string[]
}

export type BuildReply =
  | { readonly kind: 'built'; readonly number: number; readonly segment: NewSegment | null }
  | { readonly kind: 'failed'; readonly number: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly number: number }

/** What a building thread is started with. */
export type BuilderThreadData = {
  readonly root: string
  readonly niceness: number
  /** That of the batch thread: the job to be given up. */
  readonly shared: SharedArrayBuffer
  readonly thread: number
  readonly builder: {
    readonly port: MessagePort
    /** An Int32Array: `DOCUMENTS_READ`, then the state of each builder. */
    readonly states: SharedArrayBuffer
    readonly slot: number
  }
}

const DOCUMENTS_READ = 0
const stateSlot = (builder: number): number => 1 + builder

const STARTING = 0
const FREE = 1
const BUSY = 2

/** What came of the tasks that were taken, by their numbers. */
export type CollectedTasks = {
  readonly built: ReadonlyMap<number, NewSegment | null>
  readonly failures: ReadonlyMap<number, Error>
}

/** Builds segments beside the thread that makes their chunks. */
export interface Builders {
  /** How many threads there are, those that are still starting included. */
  readonly count: number
  /** Takes the task and a copy of its chunk, if one of the first `threads` threads is free. */
  offer(task: BuildTask, threads: number): boolean
  /** Documents read since it was last asked; each counts once a segment that is built of it. */
  documentsRead(): number
  /** Waits for what is not yet built. */
  collect(): CollectedTasks
}

/** Starts `count` threads of the file. They end with the thread that calls it. */
export function startBuilders(
  count: number,
  file: URL,
  data: Omit<BuilderThreadData, 'builder'>,
): Builders {
  return new BuilderThreads(count, file, data)
}

class BuilderThreads implements Builders {
  readonly #ports: readonly MessagePort[]
  readonly #states: Int32Array

  constructor(count: number, file: URL, data: Omit<BuilderThreadData, 'builder'>) {
    const states = new SharedArrayBuffer(4 * (1 + count))
    this.#states = new Int32Array(states)
    this.#ports = Array.from({ length: count }, (_, slot) => {
      const { port1, port2 } = new MessageChannel()
      const builder = { port: port2, states, slot }
      const worker = new Worker(file, {
        name: `index-build-${slot}`,
        workerData: { ...data, builder } satisfies BuilderThreadData,
        transferList: [port2],
      })
      worker.unref()
      port1.unref()
      return port1
    })
  }

  get count(): number {
    return this.#ports.length
  }

  offer(task: BuildTask, threads: number): boolean {
    const free = this.#ports.findIndex((_, i) => i < threads && this.#stateOf(i) === FREE)
    if (free < 0) return false
    Atomics.store(this.#states, stateSlot(free), BUSY)
    this.#ports[free]!.postMessage(task)
    return true
  }

  documentsRead(): number {
    return Atomics.exchange(this.#states, DOCUMENTS_READ, 0)
  }

  collect(): CollectedTasks {
    const built = new Map<number, NewSegment | null>()
    const failures = new Map<number, Error>()
    for (const [i, port] of this.#ports.entries()) {
      Atomics.wait(this.#states, stateSlot(i), BUSY)
      for (;;) {
        const reply = receiveMessageOnPort(port)?.message as BuildReply | undefined
        if (reply === undefined) break
        const { number } = reply
        if (reply.kind === 'built') built.set(number, reply.segment)
        else failures.set(number, reply.kind === 'failed' ? fromWire(reply.error) : new Canceled())
      }
    }
    return { built, failures }
  }

  #stateOf(builder: number): number {
    return Atomics.load(this.#states, stateSlot(builder))
  }
}

export type BuilderEnvironment = {
  readonly fs: FileSystem
  /** The job to be given up, 0 for none. */
  readonly canceledJob: () => number
}

/** What a building thread does, from its start on. */
export function serveBuilds(
  { port, states, slot }: BuilderThreadData['builder'],
  env: BuilderEnvironment,
): void {
  const shared = new Int32Array(states)
  const free = (): void => {
    Atomics.store(shared, stateSlot(slot), FREE)
    Atomics.notify(shared, stateSlot(slot))
  }
  port.on('message', (task: BuildTask) => {
    const read = (documents: number): void => {
      Atomics.add(shared, DOCUMENTS_READ, documents)
      if (env.canceledJob() === task.job) throw new Canceled()
    }
    // The answer lies at the port before the state says so.
    port.postMessage(answer(task, env, read))
    free()
  })
  if (Atomics.load(shared, stateSlot(slot)) === STARTING) free()
}

function answer(
  { number, plan, chunk, settings, names }: BuildTask,
  { fs }: BuilderEnvironment,
  progress: (documents: number) => void,
): BuildReply {
  try {
    const context = {
      fs,
      settings: cachedSettings(settings),
      names: new FieldNames(names),
      progress,
    }
    return { kind: 'built', number, segment: buildLayer(plan, chunk, context) }
  } catch (error) {
    if (error instanceof Canceled) return { kind: 'canceled', number }
    return { kind: 'failed', number, error: toWire(error) }
  }
}
