// More threads for one batch. The batch thread folds documents into chunks; a chunk is plain memory
// and its segments depend only on it, so the layers of a chunk are built in parallel, and while one
// chunk is built by other threads the next is folded. The batch thread never returns to its event
// loop, so it hands segments only to threads that are marked as free in shared memory, builds a
// segment itself if no thread is free, and receives replies from their ports synchronously.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Canceled, fromWire, toWire, type WireError } from '../../model/index.ts'
import { cachedSettings } from '../../settings/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { buildLayer, type SegmentPlan } from './build-layer.ts'
import type { Chunk } from './chunk.ts'
import type { NewSegment } from './segment-sink.ts'

/** A segment to be built from a chunk. */
export type BuildTask = {
  /** Its position among the segments of the job. */
  readonly number: number
  readonly job: number
  readonly plan: SegmentPlan
  readonly chunk: Chunk
  readonly settings: string
  /** Names by field id, at least those that occur in the chunk. */
  readonly names: readonly string[]
}

export type BuildReply =
  | { readonly kind: 'built'; readonly number: number; readonly segment: NewSegment | null }
  | { readonly kind: 'failed'; readonly number: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly number: number }

/** Start data of a building thread. */
export type BuilderThreadData = {
  readonly root: string
  readonly niceness: number
  /** Shared with the batch thread: holds the canceled job. */
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

/** The results of the accepted tasks, by their numbers. */
export type CollectedTasks = {
  readonly built: ReadonlyMap<number, NewSegment | null>
  readonly failures: ReadonlyMap<number, Error>
}

/** Builds segments in parallel with the thread that folds chunks. */
export interface Builders {
  /** Number of threads, including those that are still starting. */
  readonly count: number
  /** Accepts the task and copies its chunk if one of the first `threads` threads is free. */
  offer(task: BuildTask, threads: number): boolean
  /** Returns the documents read since the last call; each counts once per segment built from it. */
  documentsRead(): number
  /** Waits until all accepted tasks are built. */
  collect(): CollectedTasks
}

export type BuildingThreads = Builders & {
  /** Ends the threads, which have no tasks. */
  readonly end: () => void
}

/** Starts `count` threads of the file. They end together with the calling thread. */
export function startBuilders(
  count: number,
  file: URL,
  data: Omit<BuilderThreadData, 'builder'>,
): BuildingThreads {
  return new BuilderThreads(count, file, data)
}

class BuilderThreads implements BuildingThreads {
  readonly #ports: MessagePort[] = []
  readonly #workers: Worker[] = []
  readonly #states: Int32Array

  constructor(count: number, file: URL, data: Omit<BuilderThreadData, 'builder'>) {
    const states = new SharedArrayBuffer(4 * (1 + count))
    this.#states = new Int32Array(states)
    for (let slot = 0; slot < count; slot++) {
      const { port1, port2 } = new MessageChannel()
      const builder = { port: port2, states, slot }
      const worker = new Worker(file, {
        name: `index-build-${slot}`,
        workerData: { ...data, builder } satisfies BuilderThreadData,
        transferList: [port2],
      })
      worker.unref()
      this.#ports.push(port1)
      this.#workers.push(worker)
    }
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

  end(): void {
    for (const worker of this.#workers) void worker.terminate()
    for (const port of this.#ports) port.close()
  }

  #stateOf(builder: number): number {
    return Atomics.load(this.#states, stateSlot(builder))
  }
}

export type BuilderEnvironment = {
  readonly fs: FileSystem
  /** Returns the canceled job, 0 for none. */
  readonly canceledJob: () => number
}

/** Runs a building thread. */
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
    // The reply is posted before the state changes, so that `collect` finds it.
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
