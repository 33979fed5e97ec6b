// The vectors of a chunk: known ones count in bytes at once, awaited ones when they are taken.
import { expect, it } from 'vitest'
import { ChunkVectors } from './chunk-vectors.ts'

const entry = { embedder: 'e', form: 'floats', isOwn: true, regenerates: false } as const
const known = { ...entry, dimensions: 2, rows: 2, fragments: null, stored: new Uint8Array(16) }

it('counts bytes of known vectors, and vectors of all, until they are taken', () => {
  const chunk = new ChunkVectors()
  chunk.add([known, { ...entry, embedder: 'f', ticket: 7 }])
  chunk.add([{ ...entry, ticket: 8 }])
  chunk.add([])
  chunk.undo()
  chunk.add([known])
  expect(chunk.bytes).toBe(32)
  const rows = [Float32Array.of(1, 2), Float32Array.of(3, 4), Float32Array.of(5, 6)]
  const made = new Map([[7, { rows, fragments: null }]])
  const asked: unknown[] = []
  const { encoded, counts } = chunk.take(made, (embedder, given) => {
    asked.push([embedder, given.length])
    return 2
  })
  expect(asked).toEqual([
    ['f', 3],
    ['e', 0],
  ])
  // The second document has no vectors.
  expect(counts).toEqual({ vectors: 7, documents: 2 })
  expect(encoded).toHaveLength(3)
  expect(chunk.bytes).toBe(0)
  expect(chunk.take(new Map(), () => 2)).toEqual({
    encoded: [],
    counts: { vectors: 0, documents: 0 },
  })
})
