// How a batch thread obtains vectors. It works without an event loop, so it sends inputs to the
// main thread, which calls the providers, continues its work, and later waits for the answers at a
// port.
//
//   batch thread ── inputs ──► main thread ──► provider
//                ◄─ vectors ──             ◄──
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { Canceled, fromWire, type WireError } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { WAIT_MS } from './limits.ts'

/** Inputs of documents for one embedder. */
export type EmbedRequest = {
  readonly number: number
  readonly embedder: Embedder
  readonly inputs: readonly unknown[]
}

export type EmbedReply =
  /** Vectors one after another, by input; a length of 0 means that the input got no vector. */
  | {
      readonly kind: 'vectors'
      readonly number: number
      readonly lengths: Uint32Array
      readonly values: Float32Array
    }
  /** The provider failed; `reason` is part of messages to clients. */
  | { readonly kind: 'failure'; readonly number: number; readonly reason: string }
  | { readonly kind: 'error'; readonly number: number; readonly error: WireError }

/** The ends of the channel that the main thread needs to serve it. */
export type EmbeddingPort = {
  readonly port: MessagePort
  /** An Int32Array of one word: the number of replies. */
  readonly replies: SharedArrayBuffer
}

/** By input; null means that there is no vector because failures are ignored. */
export type EmbeddedInputs = readonly (Float32Array | null)[]

/** Obtains vectors for inputs, without an event loop. */
export interface InputEmbedder {
  /** Sends inputs. Returns a number to pass to `take`. */
  give(embedder: Embedder, inputs: readonly unknown[]): number
  /** Waits for the vectors of a `give`. @throws EmbeddingRefusal, Canceled */
  take(number: number): EmbeddedInputs
}

/** A provider returned no vectors. */
export class EmbeddingRefusal extends Error {
  override readonly name = 'EmbeddingRefusal'
  constructor(readonly reason: string) {
    super(reason)
  }
}

/** The batch thread's end of the channel. */
export class ThreadEmbedder implements InputEmbedder {
  readonly #port: MessagePort
  readonly #count: Int32Array
  readonly #isCanceled: () => boolean
  readonly #replies = new Map<number, EmbedReply>()
  #next = 1

  private constructor(port: MessagePort, count: Int32Array, isCanceled: () => boolean) {
    this.#port = port
    this.#count = count
    this.#isCanceled = isCanceled
  }

  /** `connect` sends the other end, whose port is transferred, to the main thread. */
  static open(connect: (end: EmbeddingPort) => void, isCanceled: () => boolean): ThreadEmbedder {
    const { port1, port2 } = new MessageChannel()
    const replies = new SharedArrayBuffer(4)
    connect({ port: port2, replies })
    port1.unref()
    return new ThreadEmbedder(port1, new Int32Array(replies), isCanceled)
  }

  give(embedder: Embedder, inputs: readonly unknown[]): number {
    const number = this.#next++
    this.#port.postMessage({ number, embedder, inputs } satisfies EmbedRequest)
    return number
  }

  take(number: number): EmbeddedInputs {
    for (;;) {
      const seen = Atomics.load(this.#count, 0)
      this.#receive()
      const reply = this.#replies.get(number)
      if (reply !== undefined) {
        this.#replies.delete(number)
        return vectorsOf(reply)
      }
      if (this.#isCanceled()) throw new Canceled()
      Atomics.wait(this.#count, 0, seen, WAIT_MS)
    }
  }

  close(): void {
    this.#port.close()
  }

  #receive(): void {
    for (;;) {
      const reply = receiveMessageOnPort(this.#port)?.message as EmbedReply | undefined
      if (reply === undefined) return
      this.#replies.set(reply.number, reply)
    }
  }
}

function vectorsOf(reply: EmbedReply): EmbeddedInputs {
  switch (reply.kind) {
    case 'failure':
      throw new EmbeddingRefusal(reply.reason)
    case 'error':
      throw fromWire(reply.error)
    case 'vectors': {
      const { lengths, values } = reply
      let at = 0
      return Array.from(lengths, (length) => {
        if (length === 0) return null
        return values.subarray(at, (at += length))
      })
    }
  }
}

/** Encodes vectors for the transfer between threads. */
export function packVectors(vectors: EmbeddedInputs): {
  readonly lengths: Uint32Array
  readonly values: Float32Array
} {
  const lengths = Uint32Array.from(vectors, (vector) => vector?.length ?? 0)
  const values = new Float32Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const vector of vectors) {
    if (vector === null) continue
    values.set(vector, at)
    at += vector.length
  }
  return { lengths, values }
}
