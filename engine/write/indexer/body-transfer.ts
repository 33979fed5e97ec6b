// Sends a body to the intake thread, no faster than the thread processes it. While the thread has
// work, further chunks are collected into a block: a message and its answer cost as much processor
// time as reading 64 KiB of JSON. The body of a slow client is sent as it comes, so that thousands
// of them hold no memory.
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { Canceled, fromWire } from '../../model/index.ts'
import type { BodyMessage, IndexReply } from './protocol.ts'

/** Bytes of a body sent to the thread and not yet processed, above which the sender waits. */
const BODY_BYTES_IN_FLIGHT = MiB

/** Most bytes of one message. */
const BLOCK_BYTES = 256 * KiB

/** Writes a body to its file, chunk by chunk. */
export interface BodyTransfer {
  /**
   * Resolves when the next chunk may be written. @throws EngineFault, StorageError (as a rejection)
   */
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<{ readonly documents: number; readonly bytes: number }>
  abort(): void
}

/**
 * Sends the message that `messageOf` returns for the number of the job; `transfer`: buffers to
 * move.
 */
type Send = (
  messageOf: (job: number) => Exclude<BodyMessage, { kind: 'body' }>,
  transfer: readonly ArrayBuffer[],
) => void
type BodyReceipt = { readonly documents: number; readonly bytes: number }

export class ThreadTransfer implements BodyTransfer {
  readonly #send: Send
  /** The bytes that are not sent yet are the first `#collected` of the block. */
  #block: Uint8Array<ArrayBuffer> | null = null
  #collected = 0
  #underWay = 0
  #failure: Error | null = null
  #taken: BodyReceipt | null = null
  /** Wakes the caller that waits for a reply of the thread. */
  #wake: () => void = () => undefined

  constructor(send: Send) {
    this.#send = send
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    // Bytes are copied, because the chunk may be part of a larger buffer, which cannot be sent.
    for (let at = 0; at < chunk.length; ) {
      this.#block ??= new Uint8Array(BLOCK_BYTES)
      const part = chunk.subarray(at, at + BLOCK_BYTES - this.#collected)
      this.#block.set(part, this.#collected)
      this.#collected += part.length
      at += part.length
      if (this.#collected === BLOCK_BYTES) this.#sendBlock()
    }
    if (this.#underWay === 0) this.#sendBlock()
    while (this.#underWay > BODY_BYTES_IN_FLIGHT && this.#failure === null) await this.#answer()
    if (this.#failure !== null) throw this.#failure
  }

  async finish(): Promise<BodyReceipt> {
    if (this.#failure === null) {
      this.#sendBlock()
      this.#send((job) => ({ kind: 'body-end', job }), [])
    }
    while (this.#taken === null) {
      if (this.#failure !== null) throw this.#failure
      await this.#answer()
    }
    return this.#taken
  }

  abort(): void {
    if (this.#failure === null && this.#taken === null) {
      this.#send((job) => ({ kind: 'body-abort', job }), [])
    }
    this.fail(new Canceled())
  }

  reply(reply: IndexReply): void {
    if (reply.kind === 'body-taken') {
      this.#underWay -= reply.bytes
      if (this.#underWay === 0) this.#sendBlock()
    } else if (reply.kind === 'body-done') {
      this.#taken = { documents: reply.documents, bytes: reply.bytes }
    } else if (reply.kind === 'failed') this.#failure ??= fromWire(reply.error)
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.#block = null
    this.#collected = 0
    this.#wake()
  }

  #sendBlock(): void {
    if (this.#block === null) return
    const bytes = this.#block.subarray(0, this.#collected)
    this.#block = null
    this.#collected = 0
    this.#underWay += bytes.length
    this.#send((job) => ({ kind: 'body-chunk', job, bytes }), [bytes.buffer])
  }

  #answer(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
