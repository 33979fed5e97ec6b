// The arithmetic of vector search in WebAssembly, and the memory it works in. A search thread
// receives the memory to share at its start; any other thread creates its own when needed.
import { assert } from '../errors.ts'
import { CodeMemory, newCodeMemory, type Region } from './code-memory.ts'
import { KERNEL_MODULE } from './kernel-module.table.ts'
import { instantiate } from './wasm.ts'

const ALIGNMENT = 16

type Exports = {
  scan(
    codes: number,
    blocks: number,
    bytes: number,
    table: number,
    factors: number,
    scale: number,
    bias: number,
    least: number,
    found: number,
  ): number
  products(rows: number, count: number, dimensions: number, query: number, out: number): void
}

/** An address in the kernel's memory, with room for `bytes` bytes. */
export type Room = { readonly at: number; readonly bytes: number }

export class Kernel {
  readonly exports: Exports
  readonly codes: CodeMemory
  #bytes: Uint8Array
  #region: Region | null = null
  #regionBytes = 0

  constructor(codes: CodeMemory) {
    this.codes = codes
    this.#bytes = new Uint8Array(codes.memory.buffer)
    this.exports = instantiate(Buffer.from(KERNEL_MODULE, 'base64'), codes.memory) as Exports
  }

  /** Returns rooms of these sizes, valid until the next call. */
  rooms<const Sizes extends readonly number[]>(
    ...sizes: Sizes
  ): { readonly [I in keyof Sizes]: Room } {
    const aligned = sizes.map((bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT)
    const total = aligned.reduce((sum, bytes) => sum + bytes, 0)
    if (this.#region === null || total > this.#regionBytes) {
      if (this.#region !== null) this.codes.freeRoom(this.#region)
      this.#region = this.codes.takeRoom(total)
      this.#regionBytes = total
    }
    let { at } = this.#region
    const rooms = sizes.map((bytes, i): Room => {
      const room = { at, bytes }
      at += aligned[i]!
      return room
    })
    return rooms as unknown as { readonly [I in keyof Sizes]: Room }
  }

  /** Copies bytes into a room, from `offset` on. */
  put(room: Room, bytes: Uint8Array, offset = 0): void {
    assert(offset + bytes.length <= room.bytes, 'what is put into a room fits')
    this.write(room.at + offset, bytes)
  }

  write(at: number, bytes: Uint8Array): void {
    // Another thread may have grown the memory; the view then has the old length.
    if (at + bytes.length > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.codes.memory.buffer)
    }
    this.#bytes.set(bytes, at)
  }

  floats({ at, bytes }: Room): Float32Array {
    return new Float32Array(this.codes.memory.buffer, at, bytes >>> 2)
  }

  numbers({ at, bytes }: Room): Uint32Array {
    return new Uint32Array(this.codes.memory.buffer, at, bytes >>> 2)
  }
}

let cached: Kernel | null = null

/** Returns the kernel of this thread; creates it on first use. */
export function kernel(): Kernel {
  cached ??= new Kernel(new CodeMemory(newCodeMemory(), 0))
  return cached
}

/** Makes this thread share a memory with others. Called once, before its first search. */
export function shareCodeMemory(codes: CodeMemory): void {
  cached = new Kernel(codes)
}
