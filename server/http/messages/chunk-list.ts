// The chunks of a body that is buffered whole. Small chunks are joined as they arrive: a chunk of
// one byte costs some 200 bytes of objects, and a client may send nothing else.
//
// Once a good part of a large body has arrived, the rest is copied into one buffer as it arrives:
// joining 10 MB at the end would block the main thread for 10 ms. The buffer is allocated whole,
// but the system provides memory only for the pages written.
import { KiB, MiB } from '../../../format/bytes/index.ts'

/** Number of small chunks that are joined into one. */
const JOIN_COUNT = 256
/** Chunks of at least this size are stored unchanged. */
const LARGE_BYTES = 16 * KiB
/** Bodies of at least this size get one buffer when 1/ROOM_PART of their bytes have arrived. */
const ROOM_BYTES_MIN = MiB
const ROOM_PART = 8

export class ChunkList {
  bytes = 0
  /** Announced length in bytes; 0 if none was announced. */
  readonly #announced: number
  #joined: Uint8Array[] = []
  #small: Uint8Array[] = []
  /** Buffer for the whole body, or null while the body is in chunks. */
  #room: Uint8Array | null = null

  constructor(announced = 0) {
    this.#announced = announced
  }

  add(chunk: Uint8Array): void {
    const at = this.bytes
    this.bytes += chunk.length
    if (this.#room !== null) {
      if (this.bytes <= this.#room.length) {
        this.#room.set(chunk, at)
        return
      }
      // More bytes than announced: continue with chunks, without the buffer.
      this.#joined = [this.#room.subarray(0, at)]
      this.#room = null
    }
    this.#small.push(chunk)
    if (chunk.length >= LARGE_BYTES || this.#small.length >= JOIN_COUNT) this.#join()
    this.#takeRoom()
  }

  /** Returns all bytes in one piece; a single chunk is returned without a copy. */
  whole(): Uint8Array {
    if (this.#room !== null) return this.#room.subarray(0, this.bytes)
    if (this.#joined.length > 0) this.#join()
    const all = this.#joined.length > 0 ? this.#joined : this.#small
    return all.length === 1 ? all[0]! : Buffer.concat(all, this.bytes)
  }

  clear(): void {
    this.#joined = []
    this.#small = []
    this.#room = null
  }

  #takeRoom(): void {
    const announced = this.#announced
    if (announced < ROOM_BYTES_MIN || this.bytes < announced / ROOM_PART) return
    if (this.bytes > announced) return
    this.#join()
    const room = Buffer.allocUnsafeSlow(announced)
    let at = 0
    for (const chunk of this.#joined) {
      room.set(chunk, at)
      at += chunk.length
    }
    this.#joined = []
    this.#room = room
  }

  #join(): void {
    const last = this.#small.at(-1)
    if (last === undefined) return
    if (last.length >= LARGE_BYTES) this.#small.pop()
    if (this.#small.length > 0) this.#joined.push(Buffer.concat(this.#small))
    if (last.length >= LARGE_BYTES) this.#joined.push(last)
    this.#small = []
  }
}
