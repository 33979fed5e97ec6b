// The arithmetic of vector search in WebAssembly, and the memory that it works in: one of each a
// thread, made when first needed. What is searched lies in mapped files and is copied through a
// small part of that memory, so that nothing of a segment is held by a thread.
import { assert } from '../errors.ts'
import { KERNEL_MODULE } from './kernel-module.table.ts'

/** As far as it is needed here: the types of the platform do not have it. */
type Wasm = {
  readonly Memory: new (limits: {
    initial: number
  }) => {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}
const wasm = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly

const PAGE_BYTES = 65536
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

/** An address in the kernel's memory, with room for so many bytes. */
export type Room = { readonly at: number; readonly bytes: number }

class Kernel {
  readonly exports: Exports
  readonly #memory = new wasm.Memory({ initial: 1 })
  #bytes = new Uint8Array(this.#memory.buffer)
  #end = 0

  constructor() {
    const module = new wasm.Module(Buffer.from(KERNEL_MODULE, 'base64'))
    const instance = new wasm.Instance(module, { env: { memory: this.#memory } })
    this.exports = instance.exports as Exports
  }

  /** Gives all rooms back. */
  clear(): void {
    this.#end = 0
  }

  /** The next room; what was written into others stays. */
  room(bytes: number): Room {
    const at = this.#end
    this.#end = Math.ceil((at + bytes) / ALIGNMENT) * ALIGNMENT
    const missing = this.#end - this.#memory.buffer.byteLength
    if (missing > 0) {
      this.#memory.grow(Math.ceil(missing / PAGE_BYTES))
      this.#bytes = new Uint8Array(this.#memory.buffer)
    }
    return { at, bytes }
  }

  /** Copies bytes to a room, from `offset` on. */
  put(room: Room, bytes: Uint8Array, offset = 0): void {
    assert(offset + bytes.length <= room.bytes, 'what is put into a room fits')
    this.#bytes.set(bytes, room.at + offset)
  }

  floats({ at, bytes }: Room): Float32Array {
    return new Float32Array(this.#memory.buffer, at, bytes >>> 2)
  }

  numbers({ at, bytes }: Room): Uint32Array {
    return new Uint32Array(this.#memory.buffer, at, bytes >>> 2)
  }
}

let shared: Kernel | null = null

/** The kernel of this thread. */
export function kernel(): Kernel {
  shared ??= new Kernel()
  return shared
}
