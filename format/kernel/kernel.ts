// The hot loops of searches in WebAssembly, and the memory they work in · page: ./KERNEL.md
//
// A search thread receives the memory to share at its start; any other thread creates its own when
// needed. The module is instantiated at the first use: about a millisecond.
import { assert } from '../errors.ts'
import { KernelMemory, newKernelMemory, type Region } from './memory.ts'
import { KERNEL_MODULE } from './module.table.ts'
import { instantiate, isWasmError } from './wasm.ts'

const ALIGNMENT = 16

/** Functions of `kernel.as`. The members of a dictionary come first: see `dictionary.as`. */
type Exports = {
  near(
    dictionary: number,
    end: number,
    keys: number,
    longest: number,
    tables: number,
    room: number,
    queryBytes: number,
    options: number,
    most: number,
  ): number
  occurrences(
    segment: number,
    room: number,
    terms: number,
    from: number,
    to: number,
    count: number,
  ): number
  ordinalOf(
    dictionary: number,
    end: number,
    keys: number,
    longest: number,
    tables: number,
    room: number,
    queryBytes: number,
  ): number
  prefixed(
    dictionary: number,
    end: number,
    keys: number,
    longest: number,
    tables: number,
    room: number,
    queryBytes: number,
    most: number,
  ): number
  products(rows: number, count: number, dimensions: number, query: number, out: number): void
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
  scores(
    row: number,
    dimensions: number,
    centers: number,
    halves: number,
    count: number,
    out: number,
  ): void
  unite(segment: number, room: number, terms: number, where: number, names: number): number
}

/** An address in the kernel's memory, with room for `bytes` bytes. */
export type Room = { readonly at: number; readonly bytes: number }

export class Kernel {
  readonly exports: Exports
  readonly memory: KernelMemory
  #bytes: Uint8Array
  #region: Region | null = null
  #regionBytes = 0
  readonly #lasting: Region[] = []

  constructor(memory: KernelMemory) {
    this.memory = memory
    this.#bytes = new Uint8Array(memory.memory.buffer)
    this.exports = instantiate(Buffer.from(KERNEL_MODULE, 'base64'), {
      env: { memory: memory.memory },
    }) as Exports
  }

  /** Returns rooms of these sizes, valid until the next call. */
  rooms<const Sizes extends readonly number[]>(
    ...sizes: Sizes
  ): { readonly [I in keyof Sizes]: Room } {
    const aligned = sizes.map((bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT)
    const total = aligned.reduce((sum, bytes) => sum + bytes, 0)
    if (this.#region === null || total > this.#regionBytes) {
      if (this.#region !== null) this.memory.freeRoom(this.#region)
      this.#region = this.memory.takeRoom(total)
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

  /**
   * Reserves a room that stays, and returns it as bytes: a view that stays valid when the memory
   * grows. `instead`: such a room that is not used any more.
   */
  lastingRoom(bytes: number, instead: Uint8Array | null = null): Buffer {
    const old = this.#lasting.find(({ at }) => at === instead?.byteOffset)
    if (old !== undefined) {
      this.memory.freeRoom(old)
      this.#lasting.splice(this.#lasting.indexOf(old), 1)
    }
    const region = this.memory.takeRoom(bytes)
    this.#lasting.push(region)
    return Buffer.from(this.memory.memory.buffer, region.at, bytes)
  }

  /** Copies bytes into a room, from `offset` on. */
  put(room: Room, bytes: Uint8Array, offset = 0): void {
    assert(offset + bytes.length <= room.bytes, 'what is put into a room fits')
    this.write(room.at + offset, bytes)
  }

  write(at: number, bytes: Uint8Array): void {
    // Another thread may have grown the memory; the view then has the old length.
    if (at + bytes.length > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.memory.memory.buffer)
    }
    this.#bytes.set(bytes, at)
  }

  floats({ at, bytes }: Room): Float32Array {
    return new Float32Array(this.memory.memory.buffer, at, bytes >>> 2)
  }

  numbers({ at, bytes }: Room): Uint32Array {
    return new Uint32Array(this.memory.memory.buffer, at, bytes >>> 2)
  }
}

let memory: KernelMemory | null = null
let cached: Kernel | null = null
let isMissing = false

/** Returns the kernel of this thread; creates it on first use. */
export function kernel(): Kernel {
  memory ??= new KernelMemory(newKernelMemory(), 0)
  cached ??= new Kernel(memory)
  return cached
}

/** Returns the kernel of this thread, or null if this processor cannot run it or has no room. */
export function kernelIfAny(): Kernel | null {
  if (cached !== null) return cached
  if (isMissing) return null
  try {
    return kernel()
  } catch (error) {
    // Without SIMD the module does not compile; without address space there is no memory.
    if (!isWasmError(error) && !(error instanceof RangeError)) throw error
    isMissing = true
    return null
  }
}

/** Makes this thread share a memory with others. Called once, before its first search. */
export function shareKernelMemory(shared: KernelMemory): void {
  memory = shared
  cached = null
  isMissing = false
}
