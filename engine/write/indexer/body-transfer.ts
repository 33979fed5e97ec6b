// A body on its way to the thread that takes it in: chunk by chunk, and no faster than the thread
// works.
import { MiB } from '../../../format/bytes/index.ts'
import { Canceled, fromWire } from '../../model/index.ts'
import type { BodyMessage, IndexReply } from './protocol.ts'

/** Bytes of a body under way to the thread before its sender is made to wait. */
const BODY_BYTES_UNDER_WAY = MiB

/** Takes a body to its file, chunk by chunk. */
export interface BodyTransfer {
  /** Resolves when more may come. @throws EngineFault, StorageError (as a rejection) */
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<{ readonly documents: number; readonly bytes: number }>
  abort(): void
}

/** Sends what `messageOf` makes of the number of the job; `transfer`: memory that goes along. */
type Send = (
  messageOf: (job: number) => Exclude<BodyMessage, { kind: 'body' }>,
  transfer: readonly ArrayBuffer[],
) => void
type Taken = { readonly documents: number; readonly bytes: number }

export class ThreadTransfer implements BodyTransfer {
  readonly #send: Send
  #underWay = 0
  #failure: Error | null = null
  #taken: Taken | null = null
  /** What waits for an answer of the thread. */
  #wake: () => void = () => undefined

  constructor(send: Send) {
    this.#send = send
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    // A copy of its own (a Buffer has another idea of `slice`): the chunk may be part of a larger
    // buffer.
    const bytes = new Uint8Array(chunk)
    this.#underWay += bytes.length
    this.#send((job) => ({ kind: 'body-chunk', job, bytes }), [bytes.buffer])
    while (this.#underWay > BODY_BYTES_UNDER_WAY && this.#failure === null) await this.#answer()
    if (this.#failure !== null) throw this.#failure
  }

  async finish(): Promise<Taken> {
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
