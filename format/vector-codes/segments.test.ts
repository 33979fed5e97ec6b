// Rows in lists: each row once, in a list near it; a search reads the lists that may have candidates
// and finds what a comparison with all rows finds.
import { describe, expect, it } from 'vitest'
import {
  clustered,
  distanceTo,
  encodeVectors,
  openVectors,
  type PlainDocument,
} from '../../fixtures/format/vectors/model.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { asSegmentNo } from '../ids.ts'
import { KernelMemory, kernel, newKernelMemory, shareKernelMemory } from '../kernel/index.ts'
import { Candidates, checkVectors, RowSearch, VectorsReader } from '../vectors/index.ts'
import { SimilarityTo } from '../vectors/similarity.ts'
import { LISTS_MAX, SHARED_ROWS_MIN } from './limits.ts'
import { CodeTable } from './table.ts'

const DIMENSIONS = 8
const ALWAYS = { rowsMin: 100, shareMax: 1 }

const documentsOf = (vectors: readonly (readonly number[])[]): PlainDocument[] =>
  vectors.map((vector, id) => ({ id, entries: [{ embedder: 'e', vectors: [vector] }] }))

const u32 = (bytes: Uint8Array): number[] => [...new Uint32Array(bytes.slice().buffer)]
const f32 = (bytes: Uint8Array): number[] => [...new Float32Array(bytes.slice().buffer)]

describe('a segment with lists', () => {
  const vectors = clustered(3000, 20, 0.3)
  const bytes = encodeVectors(documentsOf(vectors), ALWAYS)
  const frame = Frame.open(bytes, 'VECT')
  const section = frame.section('LIST').bytes

  it('has the layout of CODES.md', () => {
    const [lists, blocks] = u32(section.subarray(0, 8)) as [number, number]
    const starts = u32(section.subarray(8, 12 + 4 * lists))
    const spreads = f32(section.subarray(12 + 4 * lists, 12 + 8 * lists))
    const centersAt = 12 + 8 * lists
    const rowsAt = centersAt + 4 * DIMENSIONS * lists
    const centers = f32(section.subarray(centersAt, rowsAt))
    const rows = u32(section.subarray(rowsAt, rowsAt + 64 * blocks))
    expect(section.length).toBe(rowsAt + 64 * blocks + 16 * (DIMENSIONS / 4) * blocks + 64 * blocks)
    expect(starts[0]).toBe(0)
    expect(starts[lists]).toBe(blocks)
    const stored = rows.filter((row) => row !== 0xffffffff)
    expect(stored.toSorted((a, b) => a - b)).toEqual(vectors.map((_, row) => row))
    for (let list = 0; list < lists; list++) {
      const own = rows.slice(starts[list]! * 16, starts[list + 1]! * 16)
      const real = own.filter((row) => row !== 0xffffffff)
      expect(own.slice(0, real.length)).toEqual(real.toSorted((a, b) => a - b))
      expect(own.length - real.length).toBeLessThan(16)
      const center = centers.slice(list * DIMENSIONS, (list + 1) * DIMENSIONS)
      const square = real.reduce((sum, row) => sum + distanceTo(vectors[row]!, center) ** 2, 0)
      expect(spreads[list]!).toBeCloseTo(Math.sqrt(square / Math.max(1, real.length)), 3)
    }
  })

  it('has no other codes, and is for releases that know lists', () => {
    expect(frame.has('CODE')).toBe(false)
    expect(() => frame.section('EMBS', 1, 1)).toThrow(VersionError)
    const plain = Frame.open(encodeVectors(documentsOf(vectors)), 'VECT')
    expect([plain.has('LIST'), plain.section('EMBS', 1, 1).version]).toEqual([false, 1])
  })

  it.each([
    ['no lists', 0, 0],
    ['too many lists', 0, 1 << 15],
    ['too few blocks', 4, 100],
    ['too many blocks', 4, 100_000],
    ['a first list that begins late', 8, 1],
    ['lists that do not ascend', 12, 100_000],
  ])('is refused with %s', (_, at, value) => {
    const changed = section.slice()
    new DataView(changed.buffer).setUint32(at, value, true)
    const search = (): void => {
      const other = encodeFrame('VECT', (writer) => {
        for (const { tag, version, bytes: own } of frame.sections) {
          writer.section(tag, version, tag === 'LIST' ? changed : own)
        }
      })
      const rows = openVectors(other).embedder('e')!
      new RowSearch(new Float32Array(DIMENSIONS).fill(1)).scan(rows, 0, new Candidates(10), null)
    }
    expect(search).toThrow(CorruptionError)
  })

  it('may have as many lists as the limit, and no more', () => {
    const open = (lists: number): unknown => {
      const head = Uint32Array.of(lists, 1)
      const list = { tag: 'LIST', length: 8, read: () => new Uint8Array(head.buffer) }
      return CodeTable.openLists(list as never, 0, { rows: 16, dimensions: 1 }, null)
    }
    expect(() => open(LISTS_MAX + 1)).toThrow(`1 to ${LISTS_MAX} lists, got ${LISTS_MAX + 1}`)
    expect(open(LISTS_MAX)).toMatchObject({ lists: LISTS_MAX })
  })
})

it.each([SHARED_ROWS_MIN - 1, SHARED_ROWS_MIN])(
  'threads share the codes of %i rows or not',
  (count) => {
    shareKernelMemory(new KernelMemory(newKernelMemory(), 0))
    const frame = Frame.open(encodeVectors(documentsOf(clustered(count, 2, 1))), 'VECT')
    const reader = VectorsReader.open(frame, asSegmentNo(4))
    const at = reader.embedder('e')!.codes!.shared(kernel())
    expect(at === null).toBe(count < SHARED_ROWS_MIN)
    reader.close()
  },
)

describe('a search of lists', () => {
  it.each([
    ['in clusters', 0.3],
    ['in all directions', 3],
  ])('finds the nearest rows (%s)', (_, spread) => {
    const rows = openVectors(
      encodeVectors(documentsOf(clustered(6000, 40, spread)), ALWAYS),
    ).embedder('e')!
    expect(rows.codes!.isListed).toBe(true)
    let missed = 0
    for (const vector of clustered(20, 40, spread, { seed: 77 })) {
      const query = Float32Array.from(vector)
      const exact = new SimilarityTo(query)
      const accepts = (row: number): boolean => row % 3 > 0
      const order = Array.from({ length: rows.count }, (_, row) => [exact.of(rows, row), row])
        .filter(([, row]) => accepts(row!))
        .sort(([a], [b]) => b! - a!)
      const candidates = new Candidates(200)
      new RowSearch(query).scan(rows, 0, candidates, accepts)
      const found = new Set(candidates.take().get(0))
      for (const row of found) expect(accepts(row)).toBe(true)
      missed += order.slice(0, 10).filter(([, row]) => !found.has(row!)).length
    }
    expect(missed).toBeLessThanOrEqual(1)
  })

  it('finds the same rows in the memory that threads share', () => {
    const frame = Frame.open(encodeVectors(documentsOf(clustered(5000, 20, 0.3)), ALWAYS), 'VECT')
    const query = Float32Array.from(clustered(1, 20, 0.3, { seed: 5 })[0]!)
    const found = (reader: VectorsReader): number[] => {
      const candidates = new Candidates(100)
      new RowSearch(query).scan(reader.embedder('e')!, 0, candidates, null)
      return [...candidates.take().get(0)!]
    }
    const expected = found(VectorsReader.open(frame))
    expect(expected).toHaveLength(100)
    const memory = new KernelMemory(newKernelMemory(), 0)
    shareKernelMemory(memory)
    const reader = VectorsReader.open(frame, asSegmentNo(3))
    expect(found(reader)).toEqual(expected)
    expect(memory.heldPages).toBeGreaterThan(0)
    expect(found(reader)).toEqual(expected)
    reader.close()
    expect(memory.heldPages).toBe(0)
  })

  it('finds rows whose codes say nothing', () => {
    const vectors = clustered(3000, 20, 0.3)
    // Too short for a code; it points away from all others, as the query does.
    vectors[1234] = vectors[0]!.map((value) => value * -1e-6)
    vectors[2345] = vectors[0]!.map(() => 0)
    const rows = openVectors(encodeVectors(documentsOf(vectors), ALWAYS)).embedder('e')!
    const query = Float32Array.from(vectors[1234]!, (value) => value * 1e6)
    const candidates = new Candidates(1)
    new RowSearch(query).scan(rows, 0, candidates, null)
    expect([...candidates.take().get(0)!]).toEqual([1234])
  })
})

describe('lists are written', () => {
  const of = (vectors: readonly (readonly number[])[]): Uint8Array =>
    encodeVectors(documentsOf(vectors), { rowsMin: 20_000, shareMax: 0.5 })
  const hasLists = (bytes: Uint8Array): boolean => Frame.open(bytes, 'VECT').has('LIST')

  it('for many rows, where searches read fewer codes', () => {
    expect(hasLists(of(clustered(20_000, 100, 0.1)))).toBe(true)
    expect(hasLists(of(clustered(19_999, 100, 0.1)))).toBe(false)
    expect(hasLists(of(clustered(20_000, 1, 9, { dimensions: 64 })))).toBe(false)
    expect(hasLists(of(clustered(20_000, 1, 0).map(() => [0, 0, 0, 0, 0, 0, 0, 0])))).toBe(false)
  })

  it('after rows that have no direction', () => {
    const some = clustered(20_000, 100, 0.1).map((vector, i) =>
      i % 2 === 0 ? vector.map(() => 0) : vector,
    )
    const bytes = of(some)
    expect(hasLists(bytes)).toBe(true)
    const rows = openVectors(bytes).embedder('e')!
    // List 0 has all rows without a direction.
    expect(rows.codes!.spreads[0]).toBe(Number.POSITIVE_INFINITY)
    expect(rows.codes!.spreads.filter((spread) => !Number.isFinite(spread))).toHaveLength(1)
    const first = rows.codes!.rows(0, rows.codes!.starts[1]!)!
    expect(first.filter((row) => row < 20_000 && row % 2 === 0)).toHaveLength(10_000)
  })

  it('from 131,072 rows on; a check writes them again', () => {
    const many = Array.from({ length: 512 }, (_, id) => ({
      id,
      entries: [
        {
          embedder: 'e',
          vectors: Array.from({ length: 256 }, (_, i) => {
            const angle = (((id * 256 + i) * 37) % 2048) / 300
            return [Math.cos(angle), Math.sin(angle)]
          }),
        },
      ],
    }))
    const bytes = encodeVectors(many)
    expect(hasLists(bytes)).toBe(true)
    checkVectors(Frame.open(bytes, 'VECT'))
    const older = encodeVectors(many, { rowsMin: Number.POSITIVE_INFINITY, shareMax: 0 })
    checkVectors(Frame.open(older, 'VECT'))
  })
})
