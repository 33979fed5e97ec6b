// Memory that threads share: codes are written once, released, and found only by threads that hold
// them.
import { describe, expect, it } from 'vitest'
import { encodeVectors } from '../../fixtures/format/vectors/model.ts'
import { Frame } from '../frame/index.ts'
import { asSegmentNo } from '../ids.ts'
import { Candidates, RowSearch, VectorsReader } from '../vectors/index.ts'
import { forgetThread, KernelMemory, newKernelMemory, shareKernelMemory } from './index.ts'
import { CODE_PAGES_MAX, TEXT_PAGES_MAX } from './limits.ts'

const PAGE = 65536
const noFill = (): never => {
  throw new Error('it is there already')
}
const wanted = (segment: number, pages = 1, part = 0) => ({
  segment,
  part,
  bytes: pages * PAGE - 5,
})

function twoThreads(): readonly [KernelMemory, KernelMemory] {
  const memory = newKernelMemory()
  return [new KernelMemory(memory, 0), new KernelMemory(memory, 1)]
}

describe('memory of the kernel', () => {
  it('holds a segment once for all threads', () => {
    const [a, b] = twoThreads()
    const filled: number[] = []
    const at = a.hold(wanted(7), (start) => filled.push(start))
    expect(filled).toEqual([at])
    expect(b.hold(wanted(7), noFill)).toBe(at)
    expect(b.hold(wanted(7, 1, 1), () => undefined)).not.toBe(at)
    expect(b.heldPages).toBe(2)
  })

  it('keeps a region until the last thread has released it', () => {
    const [a, b] = twoThreads()
    const at = a.hold(wanted(7, 3), () => undefined)
    b.hold(wanted(7, 3), noFill)
    a.release(7)
    expect(b.heldPages).toBe(3)
    b.release(7)
    expect(b.heldPages).toBe(0)
    const length = a.memory.buffer.byteLength
    expect(b.hold(wanted(8, 2), () => undefined)).toBe(at)
    expect(a.hold(wanted(9, 1), () => undefined)).toBe(at! + 2 * PAGE)
    expect(a.memory.buffer.byteLength).toBe(length)
  })

  it('does not wait while another thread writes a region', () => {
    const [a, b] = twoThreads()
    a.hold(wanted(7), () => expect(b.hold(wanted(7), noFill)).toBe(null))
    expect(b.hold(wanted(7), noFill)).not.toBe(null)
  })

  it('is free again when writing it fails', () => {
    const [a] = twoThreads()
    expect(() => a.hold(wanted(7), noFill)).toThrow('it is there already')
    expect(a.heldPages).toBe(0)
  })

  it('releases everything that an ended thread held: regions, also incomplete ones, and the lock', () => {
    const [a, b] = twoThreads()
    a.hold(wanted(7), () => undefined)
    b.hold(wanted(7), noFill)
    a.takeRoom(PAGE)
    const cells = new Int32Array(a.memory.buffer)
    cells[0] = 1
    expect(b.hold(wanted(8), () => undefined)).toBe(null)
    forgetThread(a.memory, 0)
    expect(cells[0]).toBe(0)
    expect(b.heldPages).toBe(1)
    b.release(7)
    expect(b.heldPages).toBe(0)
    expect(b.takeRoom(2 * PAGE).at).toBe(PAGE)
  })

  it('has a limit beyond which codes are not stored', () => {
    const [a] = twoThreads()
    expect(a.hold(wanted(7, CODE_PAGES_MAX + 1), noFill)).toBe(null)
    expect(a.hold(wanted(7, TEXT_PAGES_MAX + 1, -1), noFill)).toBe(null)
    expect(a.hold(wanted(7, TEXT_PAGES_MAX, -1), () => undefined)).not.toBe(null)
    expect(a.hold(wanted(8, 1, -1), noFill)).toBe(null)
    expect(a.hold(wanted(8), () => undefined)).not.toBe(null)
    a.release(7)
    expect(new KernelMemory(a.memory, 40).hold(wanted(7), noFill)).toBe(null)
  })

  it('gives the same candidates as copied codes', () => {
    const documents = Array.from({ length: 3000 }, (_, id) => ({
      id,
      entries: [{ embedder: 'e', vectors: [[Math.sin(id), Math.cos(id * 7), id % 13, 1]] }],
    }))
    const frame = Frame.open(encodeVectors(documents), 'VECT')
    const query = Float32Array.of(0.3, -0.2, 1, 0.5)
    const candidatesOf = (reader: VectorsReader) => {
      const candidates = new Candidates(100)
      new RowSearch(query).scan(reader.embedder('e')!, 0, candidates, null)
      return [...candidates.take().get(0)!]
    }
    const expected = candidatesOf(VectorsReader.open(frame))
    const [a] = twoThreads()
    shareKernelMemory(a)
    const reader = VectorsReader.open(frame, asSegmentNo(12))
    expect(candidatesOf(reader)).toEqual(expected)
    expect(a.heldPages).toBe(1)
    expect(candidatesOf(VectorsReader.open(frame, asSegmentNo(12)))).toEqual(expected)
    reader.close()
    expect(a.heldPages).toBe(0)
  })
})
