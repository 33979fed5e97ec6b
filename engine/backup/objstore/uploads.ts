// Multipart uploads: a limited number of parts at the same time. A failed or canceled upload is
// aborted, so that no part of it remains visible.

import { Canceled, EngineFault, StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { Bucket } from './bucket.ts'
import { SLICE_BYTES } from './limits.ts'
import type { StoreBody } from './transport.ts'

/** Runs asynchronous work in parallel, at most `max` at a time. The first failure ends it. */
export class Lanes {
  readonly #max: number
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | null = null

  constructor(max: number) {
    this.#max = max
  }

  /** Begins `work`; resolves when more may be added. @throws the error of earlier work */
  async add(work: () => Promise<void>): Promise<void> {
    this.#check()
    const run = work()
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#running.delete(run))
    this.#running.add(run)
    while (this.#running.size >= this.#max && this.#failure === null) {
      await Promise.race(this.#running)
    }
    this.#check()
  }

  /** @throws the error of any work */
  async finish(): Promise<void> {
    await this.settle()
    this.#check()
  }

  /** Waits for all running work, including failing work. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

/** Does the work for each item, `max` at a time. @throws the first error */
export async function eachOf<T>(
  items: Iterable<T>,
  max: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const lanes = new Lanes(max)
  try {
    for (const item of items) await lanes.add(() => work(item))
  } finally {
    await lanes.settle()
  }
  await lanes.finish()
}

/** Lets `max` tasks run at the same time; the others wait, in order. */
export class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#free = max
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

/** Returns a body of `bytes` bytes of a file from `at` on, which are read while they are sent. */
export const sliceOf = (fs: FileSystem, path: string, at: number, bytes: number): StoreBody => ({
  bytes,
  open: async function* () {
    const file = await fs.openAsync(path, 'read')
    try {
      for (let done = 0; done < bytes; ) {
        const piece = new Uint8Array(Math.min(SLICE_BYTES, bytes - done))
        const got = await file.readAsync(at + done, piece)
        if (got !== piece.length) {
          throw new StorageError('short_file', path, `\`${path}\` ends early`)
        }
        done += got
        yield piece
      }
    } finally {
      file.close()
    }
  },
})

/** Receives the parts of an object as they are created. */
export type PartSink = {
  /** Resolves when the next part may be created; `done` is called when the store has this one. */
  readonly add: (number: number, body: StoreBody, done: () => Promise<void>) => Promise<void>
}

/**
 * Uploads an object whose parts `produce` passes on. The object exists when this resolves; after a
 * failure no part of it remains. `slots`: shared with other uploads.
 * @throws EngineFault, Canceled, and errors of `produce`
 */
export async function uploadInParts(
  bucket: Bucket,
  key: string,
  lanesMax: number,
  produce: (sink: PartSink) => Promise<void>,
  slots = new Slots(lanesMax),
): Promise<void> {
  const uploadId = await bucket.begin(key)
  const etags: string[] = []
  let bytes = 0
  const lanes = new Lanes(lanesMax)
  const halt = new AbortController()
  const lane = bucket.until(AbortSignal.any([bucket.signal, halt.signal]))
  try {
    await produce({
      add: (number, body, done) =>
        lanes.add(async () => {
          bytes += body.bytes
          etags[number - 1] = await slots.run(() => lane.part(key, uploadId, number, body))
          await done()
        }),
    })
    await lanes.finish()
    await bucket.complete(key, uploadId, etags, bytes)
  } catch (error) {
    halt.abort()
    await lanes.settle()
    await abandoned(bucket, key, uploadId)
    throw error
  }
}

/**
 * Aborts uploads under a prefix that a killed server left behind, of keys that are ours. Only one
 * server writes here, so none of its uploads can be running. @throws Canceled, EngineFault
 */
export async function abortLeftOvers(
  bucket: Bucket,
  prefix: string,
  isOurs: (key: string) => boolean,
): Promise<void> {
  for (const { key, uploadId } of await bucket.openUploads(prefix)) {
    if (isOurs(key)) await bucket.abort(key, uploadId)
  }
}

const ABORT_MS_MAX = 10_000

/** Aborts an upload, also after a cancelation; the store gets some seconds to answer. */
async function abandoned(bucket: Bucket, key: string, uploadId: string): Promise<void> {
  const timeout = AbortSignal.timeout(ABORT_MS_MAX)
  try {
    await bucket.until(timeout).abort(key, uploadId)
  } catch (error) {
    // The store cannot be reached: its own rules remove unfinished uploads.
    if (!(error instanceof Canceled || error instanceof EngineFault)) throw error
  }
}
