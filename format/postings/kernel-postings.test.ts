// The kernel over postings gives the same documents and occurrences as the reader, and leaves
// damaged bytes to it.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ByteWriter } from '../bytes/index.ts'
import { Frame } from '../frame/index.ts'
import { asSegmentNo } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { KernelMemory, kernel, newKernelMemory, shareKernelMemory } from '../kernel/index.ts'
import { LengthsBuilder, Occurrences, TextReader, TextWriter } from './index.ts'
import { KernelPostings } from './kernel-postings.ts'
import { BUCKETS } from './limits.ts'

/** By term: documents of a list, the distance of their ids, occurrences of each at most. */
const LISTS: readonly (readonly [number, number, number])[] = [
  [1, 1, 1],
  [3, 40_000, 2],
  [40, 5, 3],
  [128, 11, 1],
  [129, 700, 4],
  [700, 1, 3],
  [1100, 60, 2],
  [4100, 17, 1],
  [30_000, 3, 2],
  [20_000, 1, 90],
]
const ID_MIN = 77

function segment(): { frame: Frame; reader: TextReader } {
  const all = new Set<number>()
  const lists = LISTS.map(([documents, step, most], t) => {
    const docs: number[] = []
    const packed: number[] = []
    for (let d = 0; d < documents; d++) {
      const id = ID_MIN + d * step + (t % 3)
      all.add(id)
      const count = d % 50 === 0 ? most : 1 + (d % Math.min(3, most))
      for (let i = 0, at = 0; i < count; i++) {
        at += 1 + ((d * 31 + i * 7 + t) % 40)
        docs.push(id)
        packed.push(((d % 4) + Math.floor(i / 2)) * 65_536 + at * (d % 9 === 0 ? 97 : 1))
      }
    }
    return { docs, packed }
  })
  const out = new ByteWriter()
  const ids = Uint32Array.from(all).sort()
  const writer = new TextWriter(ids, (bytes) => out.bytes(bytes), 2)
  lists.forEach(({ docs, packed }, t) => {
    const name = new TextEncoder().encode(String.fromCharCode(97 + t))
    writer.term(name, Uint32Array.from(docs), Uint32Array.from(packed), 0, docs.length)
  })
  writer.finish(new LengthsBuilder())
  const frame = Frame.open(out.finish(), 'TEXT')
  return { frame, reader: TextReader.open(frame) }
}

const { frame, reader } = segment()
const terms = LISTS.length

function postingsOf(postings: Uint8Array, known = terms): KernelPostings {
  const { documentCount: documents, idMin, idMax } = reader
  const bytes = KernelPostings.bytesOf(postings.length, terms)
  const offsets = frame
    .section('TOFF')
    .u32()
    .subarray(0, known + 1)
  const source = { postings, offsets, documents, idMin, idMax }
  return KernelPostings.of(asSegmentNo(3), bytes, source, () => source)!
}

function expectedUnion(
  ordinals: readonly number[],
  fields: readonly number[] | null,
  buckets: readonly number[] | null,
): IdSet {
  const words = new Uint32Array((reader.idMax >>> 5) + 1)
  for (const ordinal of ordinals) {
    if (fields !== null) reader.orDocumentsInFields(ordinal, fields, words)
    else if (buckets === null) reader.orDocuments(ordinal, words)
    else for (const bucket of buckets) reader.orDocumentsInBucket(ordinal, bucket, words)
  }
  return IdSet.ofWords(words)
}

/** By document of `ids`: its occurrences, ascending. */
function expectedOccurrences(ordinals: readonly number[], ids: Uint32Array): number[][] {
  const found = new Occurrences()
  found.clear()
  for (const ordinal of ordinals) reader.occurrencesFor(ordinal, ids, ids.length, found)
  const byId = new Map<number, number[]>([...ids].map((id) => [id, []]))
  for (let d = 0; d < found.count; d++) {
    byId.get(found.docs[d]!)!.push(...found.packed.subarray(found.starts[d], found.starts[d + 1]))
  }
  return [...byId.values()].map((list) => list.sort((a, b) => a - b))
}

const anyOrdinals = fc.uniqueArray(fc.nat(terms - 1), { maxLength: 4 })
const anyIds = fc
  .uniqueArray(fc.oneof(fc.nat(2000), fc.nat(200_000)), { maxLength: 300 })
  .map((ids) => Uint32Array.from(ids).sort())

beforeAll(() => shareKernelMemory(new KernelMemory(newKernelMemory(), 0)))

describe('the kernel over postings', () => {
  it('needs room for the postings, and for the offset of each and the end', () => {
    expect([0, 4, 5].map((bytes) => KernelPostings.bytesOf(bytes, 2))).toEqual([12, 16, 20])
  })

  it('unites what the reader unites', () => {
    const own = postingsOf(frame.section('POST').all())
    const anyNames = fc.oneof(
      fc.constant({ fields: null, buckets: null }),
      fc.record({
        fields: fc
          .uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 })
          .map((list) => list.sort()),
        buckets: fc.constant(null),
      }),
      fc.record({
        fields: fc.constant(null),
        buckets: fc.uniqueArray(fc.constantFrom(...BUCKETS), { minLength: 1, maxLength: 4 }),
      }),
    )
    let answered = 0
    fc.assert(
      fc.property(anyOrdinals, anyNames, (ordinals, { fields, buckets }) => {
        const found = own.unite(Uint32Array.from(ordinals), ordinals.length, fields, buckets)
        if (found === null) return
        answered++
        const expected = expectedUnion(ordinals, fields, buckets)
        expect(found.size).toBe(expected.size)
        expect(found.equals(expected)).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(answered).toBe(300)
    kernel().memory.release(3)
  })

  it('finds the occurrences that the reader finds', () => {
    const own = postingsOf(frame.section('POST').all())
    fc.assert(
      fc.property(anyOrdinals, fc.nat(terms), fc.nat(terms), anyIds, (some, a, b, ids) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const ordinals = some.filter((ordinal) => ordinal < from || ordinal >= to)
        const range = Array.from({ length: to - from }, (_, i) => from + i)
        const { starts, packed } = own.occurrences(ordinals, from, to, ids)!
        const found = Array.from(ids, (_, i) => [...packed.subarray(starts[i], starts[i + 1])])
        expect(found).toEqual(expectedOccurrences([...ordinals, ...range], ids))
      }),
      { numRuns: 300 },
    )
    kernel().memory.release(3)
  })

  it('leaves to the reader what does not fit into its room', () => {
    const own = postingsOf(frame.section('POST').all())
    const ids = expectedUnion([8], null, null).toArray()
    expect(own.occurrences([8], 0, 0, ids)!.packed.length).toBeGreaterThan(30_000)
    expect(
      own.occurrences(
        Array.from({ length: 9 }, () => 8),
        0,
        0,
        ids,
      ),
    ).toBe(null)
    expect(own.occurrences([0], 0, 0, new Uint32Array(32_769))).toBe(null)
    expect(
      own.unite(
        Uint32Array.of(0),
        1,
        Array.from({ length: 1025 }, () => 0),
        null,
      ),
    ).toBe(null)
    expect(own.unite(new Uint32Array(4097), 4097, null, null)).toBe(null)
    expect(own.unite(Uint32Array.of(terms), 1, null, null)).toBe(null)
    kernel().memory.release(3)
  })

  it('refuses terms behind the last one, whose offsets another segment has left', () => {
    const all = frame.section('POST').all()
    postingsOf(all)
    kernel().memory.release(3)
    const own = postingsOf(all, terms - 2)
    const answers = [-3, -2, -1].map((place) =>
      own.unite(Uint32Array.of(terms + place), 1, null, null),
    )
    expect(answers.map((answer) => answer === null)).toEqual([false, true, true])
    kernel().memory.release(3)
  })

  it('answers as much as fits into its room', () => {
    const own = postingsOf(frame.section('POST').all())
    const ids = expectedUnion([1], null, null).toArray()
    const many = new Uint32Array(4096).fill(1)
    expect([...own.unite(many, 4096, null, null)!.toArray()]).toEqual([...ids])
    const fields = new Array<number>(1024).fill(1)
    const inField = expectedUnion([1], [1], null)
    expect(own.unite(Uint32Array.of(1), 1, fields, null)!.equals(inField)).toBe(true)
    expect(own.occurrences([], 0, 0, new Uint32Array(32_768))!.packed).toHaveLength(0)
    const none = Uint32Array.of(reader.idMax)
    expect(own.occurrences(new Array<number>(4096).fill(1), 0, 0, none)!.packed).toHaveLength(0)
    expect(own.occurrences(new Array<number>(4097).fill(1), 0, 0, none)).toBeNull()
    kernel().memory.release(3)
  })

  it('reads and writes nothing else if bytes are damaged', () => {
    const sound = frame.section('POST').all()
    const offsets = frame.section('TOFF').u32()
    const guard = kernel().lastingRoom(65_536).fill(0xaa)
    let refused = 0
    const anyChange = fc.record({
      ordinal: fc.nat(terms - 1),
      // The beginning of a posting holds most of what can be wrong.
      at: fc.oneof(fc.nat(60), fc.nat(3000)),
      value: fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255)),
    })
    const changes = fc.array(anyChange, { minLength: 1, maxLength: 5 })
    const bytes = sound.slice()
    postingsOf(bytes)
    fc.assert(
      fc.property(changes, anyOrdinals, anyIds, fc.nat(5), (damage, ordinals, ids, name) => {
        bytes.set(sound)
        for (const { ordinal, at, value } of damage) {
          bytes[Math.min(offsets[ordinal]! + at, offsets[ordinal + 1]! - 1)] = value
        }
        kernel().memory.release(3)
        const own = postingsOf(bytes)
        const all = Uint32Array.from(ordinals)
        const answers = [
          own.unite(all, all.length, null, null),
          own.unite(all, all.length, [name], null),
          own.unite(all, all.length, null, [name, 24]),
          own.occurrences(ordinals, 0, terms - 2, ids),
        ]
        for (const answer of answers) if (answer === null) refused++
      }),
      { numRuns: 500 },
    )
    expect(refused).toBeGreaterThan(100)
    expect(guard.every((byte) => byte === 0xaa)).toBe(true)
  })
})
