// The code of the thread that reads bodies: reads one body, and sends its value piece by piece.
import { toWire } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { unpack } from '../unpack/index.ts'
import { piecesOf, type Step, transferOf } from './pieces.ts'
import type { ReadMessage, ReadReply } from './protocol.ts'
import { readNow } from './readers.table.ts'

export class ThreadCore {
  readonly #send: (reply: ReadReply, transfer?: ArrayBuffer[]) => void
  #pieces: Iterator<readonly Step[], void, undefined> | null = null
  #next: readonly Step[] = []
  /** A decompressed body that waits until its memory is granted, or null. */
  #unpacked: ReadRequest | null = null

  constructor(send: (reply: ReadReply, transfer?: ArrayBuffer[]) => void) {
    this.#send = send
  }

  handle(message: ReadMessage): void {
    try {
      if (message.kind === 'drop') this.#unpacked = null
      else if (message.kind === 'read') this.#begin(message)
      else if (this.#unpacked !== null) this.#read(this.#unpacked)
      else this.#sendNext()
    } catch (error) {
      // Any failure becomes the answer to the request; the thread goes on.
      this.#pieces = null
      this.#unpacked = null
      this.#send(failure(error))
    }
  }

  #begin(message: ReadRequest): void {
    const { body, packing } = message
    if (packing === null) {
      this.#read(message)
      return
    }
    const unpacked = unpack(body, packing)
    this.#unpacked = { ...message, body: unpacked }
    this.#send({ kind: 'unpacked', bytes: unpacked.length })
  }

  #read({ name, body, detail }: ReadRequest): void {
    this.#unpacked = null
    this.#pieces = piecesOf(readNow(name, body, detail as []))
    this.#next = this.#pieces.next().value ?? []
    this.#sendNext()
  }

  #sendNext(): void {
    const piece = this.#next
    const following = this.#pieces?.next().value ?? null
    this.#next = following ?? []
    this.#send({ kind: 'piece', piece, isLast: following === null }, transferOf(piece))
  }
}

type ReadRequest = Extract<ReadMessage, { kind: 'read' }>

const failure = (error: unknown): ReadReply => {
  if (!(error instanceof ApiError)) return { kind: 'failed', error: toWire(error) }
  const { code, message, status } = error
  return { kind: 'refused', code, message, status }
}
