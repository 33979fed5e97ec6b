// An object store in a simulation: the strict store of the tests behind simulated lines. It may be
// busy, fail after it has executed a request, cut an object, or show new objects late in lists.
import {
  type StoreAnswer,
  type StoreRequest,
  type Transport,
  TransportFault,
} from '../../../engine/backup.ts'
import type { Random } from '../../../engine/store/storage/index.ts'
import { StrictStore } from '../../../server/testing/index.ts'
import { type Clock, ownerOf } from './clock.ts'
import { type Line, LineFault, type Target } from './lines.ts'
import { Listening, type WireAnswer, type WireRequest } from './wire.ts'

export const BUCKET = 'bucket'
export const STORE_KEY = 'S3RVER'
export const REGION = 'us-east-1'
/** Milliseconds of silence after which a request is given up, as that of followers. */
const SILENCE_MS = 10_000

/** How many of a thousand requests each trouble meets. */
export type Trouble = {
  readonly busy: number
  /** An error after the request was executed. */
  readonly failed: number
  /** The answer to a GET ends early. */
  readonly cut: number
  /** Milliseconds until lists show a new object. */
  readonly lateMs: number
}

export const NO_TROUBLE: Trouble = { busy: 0, failed: 0, cut: 0, lateMs: 0 }

export class SimulatedStore implements Target {
  readonly name = 'store'
  readonly owner = ownerOf('store')
  readonly sends = true
  readonly refuses = true
  trouble = NO_TROUBLE
  readonly #clock: Clock
  readonly #random: Random
  readonly #listening: Listening
  /** When lists begin to show an object. */
  readonly #shownAt = new Map<string, number>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
    const store = new StrictStore({
      style: 'hyperscale',
      bucket: BUCKET,
      accessKey: STORE_KEY,
      secretKey: STORE_KEY,
      region: REGION,
      pageMax: 10,
      hides: (key) => clock.now < (this.#shownAt.get(key) ?? 0),
    })
    this.#listening = new Listening(store.server())
  }

  accept(request: WireRequest, ended: (answer: WireAnswer | null) => void): () => void {
    const { busy, failed, lateMs } = this.trouble
    if (this.#meets(busy)) {
      ended(refusal(503, 'SlowDown'))
      return () => undefined
    }
    const fails = this.#meets(failed)
    const key = decodeURIComponent(request.path.split('?')[0]!.slice(BUCKET.length + 2))
    if (request.method === 'PUT' && !this.#shownAt.has(key)) {
      this.#shownAt.set(key, this.#clock.now + this.#random.below(1 + lateMs))
    }
    return this.#listening.accept(request, (answer) => {
      ended(fails ? refusal(500, 'InternalError') : answer)
    })
  }

  /** Returns the client of an instance for this store. `sends`: whether its machine works. */
  transport(line: Line): Transport {
    return async (request) => {
      const body = request.body === null ? null : await bytesOf(request)
      const { host, pathname, search } = new URL(request.url)
      const { method, headers, signal } = request
      const sent = { method, path: `${pathname}${search}`, host, headers, body }
      const limits = { connectMs: SILENCE_MS, totalMs: SILENCE_MS, signal }
      try {
        const answer = await line(this, sent, limits)
        const isCut = method === 'GET' && this.#meets(this.trouble.cut)
        return { ...answer, body: chunksOf(answer.body, isCut) }
      } catch (error) {
        if (!(error instanceof LineFault)) throw error
        throw new TransportFault(true, error.code)
      }
    }
  }

  #meets(share: number): boolean {
    return share > 0 && this.#random.below(1000) < share
  }
}

async function bytesOf({ body }: StoreRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body?.open() ?? []) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

async function* chunksOf(bytes: Buffer, isCut: boolean): StoreAnswer['body'] {
  const middle = bytes.length >> 1
  yield bytes.subarray(0, middle)
  if (isCut) throw new TransportFault(true, 'the answer is cut')
  yield bytes.subarray(middle)
}

const refusal = (status: number, code: string): WireAnswer => {
  const body = `<Error><Code>${code}</Code><Message>refused</Message></Error>`
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(body) }
}
