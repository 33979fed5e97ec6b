// More threads for one batch. The batch thread folds documents into chunks; a chunk is plain memory
// and its segments are a function of it, so while one chunk is built elsewhere the next is folded.
// The batch thread works without a pause, so it hands chunks over only to threads that say in
// shared memory that they are free, builds a chunk itself when none is, and takes answers from
// their ports without an event loop.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { fromWire, toWire, type WireError } from '../../model/index.ts'
import { decodeSettings } from '../../settings/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { buildChunk } from './build-chunk.ts'
import { JobCanceled } from './canceled.ts'
import type { Chunk } from './chunk.ts'
import type { NewSegment } from './segment-sink.ts'

/** A chunk to be built. */
export type BuildTask = {
  /** Its place among the chunks of the job. */
  readonly number: number
  readonly job: number
  readonly chunk: Chunk
  readonly settings: string
  /** By field id: all that occur in the chunk are there. */
  readonly names: readonly string[]
}

export type BuildReply =
  | { readonly kind: 'built'; readonly number: number; readonly segments: readonly NewSegment[] }
  | { readonly kind: 'failed'; readonly number: number; readonly error: WireError }
  | { readonly kind: 'canceled'; readonly number: number }

/** What a building thread is started with. */
export type BuilderThreadData = {
  readonly root: string
  readonly niceness: number
  /** That of the batch thread: the number of the next segment, the job to be given up. */
  readonly shared: SharedArrayBuffer
  readonly thread: number
  readonly builder: {
    readonly port: MessagePort
    /** An Int32Array: `DOCUMENTS_BUILT`, then the state of each builder. */
    readonly states: SharedArrayBuffer
    readonly slot: number
  }
}

const DOCUMENTS_BUILT = 0
const stateSlot = (builder: number): number => 1 + builder

const STARTING = 0
const FREE = 1
const BUSY = 2

/** Builds chunks beside the thread that makes them. */
export interface Builders {
  /** How many threads there are, those that are still starting included. */
  readonly count: number
  /** Takes the chunk, memory included, if a thread is free. */
  offer(task: BuildTask): boolean
  /** Documents built since it was last asked. */
  documentsBuilt(): number
  /** What came out of the chunks that were taken, by number; waits for those not yet built. */
  collect(): {
    readonly built: ReadonlyMap<number, readonly NewSegment[]>
    readonly failure: Error | null
  }
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

  offer(task: BuildTask): boolean {
    const free = this.#ports.findIndex((_, i) => this.#stateOf(i) === FREE)
    if (free < 0) return false
    const { chunk } = task
    const views = [chunk.ids, chunk.into, chunk.externalEnds, chunk.externals, chunk.recordEnds]
    const buffers = [...views, chunk.records].map(({ buffer }) => buffer as ArrayBuffer)
    Atomics.store(this.#states, stateSlot(free), BUSY)
    this.#ports[free]!.postMessage(task, buffers)
    return true
  }

  documentsBuilt(): number {
    return Atomics.exchange(this.#states, DOCUMENTS_BUILT, 0)
  }

  collect(): ReturnType<Builders['collect']> {
    const built = new Map<number, readonly NewSegment[]>()
    let failure: Error | null = null
    for (const [i, port] of this.#ports.entries()) {
      Atomics.wait(this.#states, stateSlot(i), BUSY)
      for (;;) {
        const reply = receiveMessageOnPort(port)?.message as BuildReply | undefined
        if (reply === undefined) break
        if (reply.kind === 'built') built.set(reply.number, reply.segments)
        else failure ??= reply.kind === 'failed' ? fromWire(reply.error) : new JobCanceled()
      }
    }
    return { built, failure }
  }

  #stateOf(builder: number): number {
    return Atomics.load(this.#states, stateSlot(builder))
  }
}

export type BuilderEnvironment = {
  readonly fs: FileSystem
  readonly takeSegment: () => number
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
    const built = (documents: number): void => {
      Atomics.add(shared, DOCUMENTS_BUILT, documents)
      if (env.canceledJob() === task.job) throw new JobCanceled()
    }
    // The answer lies at the port before the state says so.
    port.postMessage(answer(task, env, built))
    free()
  })
  if (Atomics.load(shared, stateSlot(slot)) === STARTING) free()
}

function answer(
  { number, chunk, settings, names }: BuildTask,
  { fs, takeSegment }: BuilderEnvironment,
  progress: (documents: number) => void,
): BuildReply {
  const segments: NewSegment[] = []
  try {
    const context = {
      fs,
      settings: decodeSettings(settings),
      names: new FieldNames(names),
      takeSegment,
      progress,
    }
    segments.push(...buildChunk(chunk, context))
    return { kind: 'built', number, segments }
  } catch (error) {
    if (error instanceof JobCanceled) return { kind: 'canceled', number }
    return { kind: 'failed', number, error: toWire(error) }
  }
}
