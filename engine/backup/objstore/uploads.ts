// Uploads in parts: several at once, as many as were asked for and no more. What fails or is called
// off leaves nothing half visible: the upload is aborted.

import { Canceled, EngineFault, StorageError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import type { Bucket } from './bucket.ts'
import { SLICE_BYTES } from './limits.ts'
import type { StoreBody } from './transport.ts'

/** Runs pieces of work side by side, at most `max` of them. The first failure ends it. */
export class Lanes {
  readonly #max: number
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | null = null

  constructor(max: number) {
    this.#max = max
  }

  /** Begins `work`; resolves when more may be begun. @throws what earlier work has failed with */
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

  /** @throws what work has failed with */
  async finish(): Promise<void> {
    await this.settle()
    this.#check()
  }

  /** Waits for all that runs, however it ends. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

/** Does the work for each item, `max` at a time. @throws what the first one that fails throws */
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

/** Lets `max` pieces of work run at once; the others wait for their turn, in order. */
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

/** So many bytes of a file from `at` on, read as they are sent. */
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

/** Takes the parts of an object as they are made. */
export type PartSink = {
  /** Resolves when another part may be made; `done` is called when the store has this one. */
  readonly add: (number: number, body: StoreBody, done: () => Promise<void>) => Promise<void>
}

/**
 * Uploads an object whose parts `produce` hands on. It is there when this resolves; otherwise
 * nothing of it is. `slots`: shared with other uploads.
 * @throws EngineFault, Canceled, and what `produce` throws
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
  const lanes = new Lanes(lanesMax)
  const halt = new AbortController()
  const lane = bucket.until(AbortSignal.any([bucket.signal, halt.signal]))
  try {
    await produce({
      add: (number, body, done) =>
        lanes.add(async () => {
          etags[number - 1] = await slots.run(() => lane.part(key, uploadId, number, body))
          await done()
        }),
    })
    await lanes.finish()
    await bucket.complete(key, uploadId, etags)
  } catch (error) {
    halt.abort()
    await lanes.settle()
    await abandoned(bucket, key, uploadId)
    throw error
  }
}

/**
 * Aborts what a server that was killed has left: one server writes here, so nothing of its own is
 * on its way. @throws Canceled, EngineFault
 */
export async function abortLeftOvers(bucket: Bucket, prefix: string): Promise<void> {
  for (const { key, uploadId } of await bucket.openUploads(prefix)) {
    await bucket.abort(key, uploadId)
  }
}

const ABORT_MS_MAX = 10_000

/** Called off or not, the store is told; it has some seconds to hear of it. */
async function abandoned(bucket: Bucket, key: string, uploadId: string): Promise<void> {
  const timeout = AbortSignal.timeout(ABORT_MS_MAX)
  try {
    await bucket.until(timeout).abort(key, uploadId)
  } catch (error) {
    // It cannot be reached: its own rules remove what is unfinished.
    if (!(error instanceof Canceled || error instanceof EngineFault)) throw error
  }
}
