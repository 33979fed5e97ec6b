// Sends a body to the intake thread chunk by chunk, no faster than the thread processes it.
import { MiB } from '../../../format/bytes/index.ts'
import { Canceled, fromWire } from '../../model/index.ts'
import type { BodyMessage, IndexReply } from './protocol.ts'

/** Bytes of a body sent to the thread and not yet processed, above which the sender waits. */
const BODY_BYTES_IN_FLIGHT = MiB

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
    // A copy, because the chunk may be part of a larger buffer (`slice` of a Buffer does not copy).
    const bytes = new Uint8Array(chunk)
    this.#underWay += bytes.length
    this.#send((job) => ({ kind: 'body-chunk', job, bytes }), [bytes.buffer])
    while (this.#underWay > BODY_BYTES_IN_FLIGHT && this.#failure === null) await this.#answer()
    if (this.#failure !== null) throw this.#failure
  }

  async finish(): Promise<BodyReceipt> {
    if (this.#failure === null) this.#send((job) => ({ kind: 'body-end', job }), [])
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
    if (reply.kind === 'body-taken') this.#underWay -= reply.bytes
    else if (reply.kind === 'body-done') {
      this.#taken = { documents: reply.documents, bytes: reply.bytes }
    } else if (reply.kind === 'failed') this.#failure ??= fromWire(reply.error)
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }

  #answer(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
