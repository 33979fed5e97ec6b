// Rooms of a thread's kernel, and threads whose processor has none.
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../errors.ts'
import { Kernel, kernel, kernelIfAny, shareKernelMemory } from './kernel.ts'
import { MEMORY_PAGES_MAX } from './limits.ts'
import { forgetThread, KernelMemory, newKernelMemory } from './memory.ts'
import { instantiate } from './wasm.ts'

const PAGE = 65536
const newMemory = (): KernelMemory => new KernelMemory(newKernelMemory(), 0)

describe('rooms', () => {
  it('are aligned, and at the same place until more is wanted', () => {
    const own = new Kernel(newMemory())
    const [a, b, c] = own.rooms(1, 17, 0)
    expect([a.at % 16, b.at - a.at, c.at - b.at]).toEqual([0, 16, 32])
    expect([a.bytes, b.bytes, c.bytes]).toEqual([1, 17, 0])
    expect(own.rooms(48)[0].at).toBe(a.at)
    expect(own.rooms(20)[0].at).toBe(a.at)
    const other = own.memory.takeRoom(1)
    // The old room is free, but too small.
    expect(own.rooms(PAGE + 1)[0].at).toBe(other.at + PAGE)
    expect(own.memory.takeRoom(1).at).toBe(a.at)
    expect(own.rooms(PAGE + 16)[0].at).toBe(other.at + PAGE)
  })

  it('that stay are apart, until another one takes their place', () => {
    const own = new Kernel(newMemory())
    const first = own.lastingRoom(PAGE)
    const second = own.lastingRoom(7)
    expect([first.length, second.length]).toEqual([PAGE, 7])
    expect(second.byteOffset).toBe(first.byteOffset + PAGE)
    expect(own.lastingRoom(5, first).byteOffset).toBe(first.byteOffset)
    // A room of no kernel has no place.
    expect(own.lastingRoom(5, new Uint8Array(8)).byteOffset).toBe(second.byteOffset + PAGE)
    expect(own.lastingRoom(5, second).byteOffset).toBe(second.byteOffset)
  })

  it('hold bytes, also of a memory that another thread has grown', () => {
    const own = new Kernel(newMemory())
    const [room] = own.rooms(12)
    own.put(room, Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0))
    own.put(room, Uint8Array.of(0, 0, 128, 63), 8)
    expect([...own.numbers(room)]).toEqual([1, 2, 0x3f800000])
    expect(own.floats(room)[2]).toBe(1)
    expect(() => own.put(room, new Uint8Array(5), 8)).toThrow(InvariantError)
    const far = new KernelMemory(own.memory.memory, 1).takeRoom(3 * PAGE)
    own.write(far.at + 3 * PAGE - 1, Uint8Array.of(9))
    expect(new Uint8Array(own.memory.memory.buffer)[far.at + 3 * PAGE - 1]).toBe(9)
  })
})

describe('regions', () => {
  it('take the first gap that is large enough', () => {
    const memory = newMemory()
    const [a, b, c] = [memory.takeRoom(PAGE), memory.takeRoom(2 * PAGE), memory.takeRoom(1)]
    expect([b.at - a.at, c.at - b.at]).toEqual([PAGE, 2 * PAGE])
    memory.freeRoom(b)
    expect(memory.takeRoom(2 * PAGE + 1).at).toBe(c.at + PAGE)
    expect(memory.takeRoom(2 * PAGE).at).toBe(b.at)
    memory.freeRoom(a)
    expect(memory.takeRoom(1).at).toBe(a.at)
  })

  it('end with the memory', () => {
    expect(() => newMemory().takeRoom((MEMORY_PAGES_MAX + 1) * PAGE)).toThrow(InvariantError)
  })

  it('of one thread stay when another ends', () => {
    const memory = newKernelMemory()
    const [first, last] = [new KernelMemory(memory, 2), new KernelMemory(memory, 33)]
    const [a, b] = [first.takeRoom(1), last.takeRoom(1)]
    const cells = new Int32Array(memory.buffer)
    cells[0] = 3
    forgetThread(memory, 33)
    expect([cells[0], cells[a.cell], cells[b.cell]]).toEqual([3, 2, 0])
    forgetThread(memory, 2)
    expect([cells[0], cells[a.cell]]).toEqual([0, 0])
  })
})

describe('a thread', () => {
  /** A memory that fails when it is used. */
  const failing = (error: unknown) => {
    let uses = 0
    shareKernelMemory({
      get memory() {
        uses++
        throw error
      },
    } as unknown as KernelMemory)
    return () => uses
  }

  it('has one kernel, in the memory that it shares', () => {
    const shared = newMemory()
    shareKernelMemory(shared)
    expect(kernel().memory).toBe(shared)
    expect(kernelIfAny()).toBe(kernel())
    shareKernelMemory(newMemory())
    expect(kernelIfAny()).toBe(kernel())
    expect(kernel().memory).not.toBe(shared)
  })

  it.each([() => new Array(-1), () => instantiate(Uint8Array.of(1), {})])(
    'has no kernel after the error of %s',
    (fail) => {
      let error: unknown = null
      try {
        fail()
      } catch (thrown) {
        error = thrown
      }
      const uses = failing(error)
      expect([kernelIfAny(), kernelIfAny(), uses()]).toEqual([null, null, 1])
      shareKernelMemory(newMemory())
      expect(kernelIfAny()).not.toBeNull()
    },
  )

  it('reports other errors', () => {
    failing(new TypeError('a mistake'))
    expect(kernelIfAny).toThrow(TypeError)
    shareKernelMemory(newMemory())
  })
})
