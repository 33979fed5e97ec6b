// Segments of vectors: reading returns the written content, merging keeps live documents, damage is
// reported.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  encodeVectors,
  openVectors,
  type PlainDocument,
} from '../../fixtures/format/vectors/model.ts'
import { ByteWriter } from '../bytes/index.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { IdSet } from '../idset/index.ts'
import { JsonBuffer } from '../json/index.ts'
import {
  checkVectors,
  comparedVectors,
  decodeEntries,
  encodeEntries,
  entriesAt,
  mergeVectors,
  shownVectors,
  type VectorsReader,
  writeVectorsJson,
} from './index.ts'
import { SimilarityTo } from './similarity.ts'

const float = fc.float({ noNaN: true, noDefaultInfinity: true })
const vectorOf = (dimensions: number) =>
  fc.array(float, { minLength: dimensions, maxLength: dimensions })
const flags = { isOwn: fc.boolean(), regenerates: fc.boolean() }
const entries = fc
  .record({
    plain: fc.option(fc.record({ ...flags, vectors: fc.array(vectorOf(3), { maxLength: 3 }) })),
    bits: fc.option(fc.record({ ...flags, vectors: fc.array(vectorOf(5), { maxLength: 2 }) })),
  })
  .map(({ plain, bits }) => [
    ...(plain === null ? [] : [{ embedder: 'plain', dimensions: 3, ...plain }]),
    ...(bits === null
      ? []
      : [{ embedder: 'bits', form: 'nibbles' as const, dimensions: 5, ...bits }]),
  ])
const documents: fc.Arbitrary<readonly PlainDocument[]> = fc
  .uniqueArray(fc.nat(300), { minLength: 1, maxLength: 20 })
  .chain((ids) =>
    fc
      .array(entries, { minLength: ids.length, maxLength: ids.length })
      .map((all) => ids.sort((a, b) => a - b).map((id, i) => ({ id, entries: all[i]! }))),
  )
  .filter((all) => all.some((one) => one.entries.length > 0))

/** The entries of each document, as plain data. */
function contentOf(reader: VectorsReader): unknown {
  return [...reader.ids.toArray()].map((id) => ({
    id,
    entries: entriesAt(reader, reader.placeOf(id)).map((entry) => ({
      embedder: entry.embedder,
      isOwn: entry.isOwn,
      regenerates: entry.regenerates,
      vectors: shownVectors(entry).map((vector) => [...vector]),
    })),
  }))
}

const shown = (plain: readonly PlainDocument[]): unknown =>
  plain
    .filter((document) => document.entries.length > 0)
    .map(({ id, entries }) => ({
      id,
      entries: entries
        .toSorted((a, b) => (a.embedder < b.embedder ? -1 : 1))
        .map(({ embedder, form, isOwn, regenerates, vectors }) => ({
          embedder,
          isOwn,
          regenerates,
          vectors: vectors.map((vector) =>
            form === 'nibbles' ? vector.map((value) => (value > 0 ? 1 : 0)) : vector,
          ),
        })),
    }))

function merged(inputs: readonly { bytes: Uint8Array; dead: IdSet }[]): Uint8Array | null {
  const out = new ByteWriter(1024)
  const operands = inputs.map(({ bytes, dead }) => ({ reader: openVectors(bytes), dead }))
  const summary = mergeVectors(operands, (piece) => out.bytes(piece))
  return summary === null ? null : out.finish()
}

describe('a segment of vectors', () => {
  it('returns the written content', () => {
    fc.assert(
      fc.property(documents, (plain) => {
        const bytes = encodeVectors(plain)
        expect(contentOf(openVectors(bytes))).toEqual(shown(plain))
        expect(() => checkVectors(Frame.open(bytes, 'VECT'))).not.toThrow()
      }),
    )
  })

  it('is the same bytes when it is merged alone, and when its parts are merged', () => {
    fc.assert(
      fc.property(documents, fc.nat(20), (plain, at) => {
        const bytes = encodeVectors(plain)
        expect(merged([{ bytes, dead: IdSet.empty }])).toEqual(bytes)
        const parts = [plain.slice(0, at), plain.slice(at)].filter((part) =>
          part.some((one) => one.entries.length > 0),
        )
        const inputs = parts.map((part) => ({ bytes: encodeVectors(part), dead: IdSet.empty }))
        expect(merged(inputs.toReversed())).toEqual(bytes)
      }),
    )
  })

  it('reports the progress of a merge, and stops if the callback throws', () => {
    const some = Array.from({ length: 700 }, (_, id) => {
      const vectors = [[id, 1, 0]]
      const flags = { isOwn: true, regenerates: false }
      return { id, entries: [{ embedder: 'plain', dimensions: 3, ...flags, vectors }] }
    })
    const inputs = [{ reader: openVectors(encodeVectors(some)), dead: IdSet.of([5]) }]
    const calls: [number, number][] = []
    mergeVectors(
      inputs,
      () => undefined,
      (done, total) => calls.push([done, total]),
    )
    expect(calls.length).toBeGreaterThan(8)
    for (const [i, [done, total]] of calls.entries()) {
      expect(total).toBe(4 * 699)
      expect(done).toBeLessThanOrEqual(total)
      expect(done).toBeGreaterThan(calls[i - 1]?.[0] ?? 0)
    }
    const stop = (done: number): void => {
      if (done > 1000) throw new Error('called off')
    }
    expect(() => mergeVectors(inputs, () => undefined, stop)).toThrow('called off')
  })

  it('drops dead documents in a merge', () => {
    const plain = [1, 2, 3].map((id) => ({ id, entries: [{ embedder: 'e', vectors: [[id, 1]] }] }))
    const left = merged([{ bytes: encodeVectors(plain), dead: IdSet.of([2]) }])
    expect(left).toEqual(encodeVectors([plain[0]!, plain[2]!]))
    expect(merged([{ bytes: encodeVectors(plain), dead: IdSet.of([1, 2, 3]) }])).toBeNull()
  })

  it('takes the dimensions of its first vector, not of an entry without one', () => {
    const plain: readonly PlainDocument[] = [
      { id: 1, entries: [{ embedder: 'e', vectors: [], dimensions: 2 }] },
      { id: 2, entries: [{ embedder: 'e', vectors: [[1, 2, 3]] }] },
    ]
    expect(openVectors(encodeVectors(plain)).embedder('e')!.dimensions).toBe(3)
  })

  it('has fragments only for embedders with fragments', () => {
    const entries = [
      { embedder: 'a', vectors: [[1, 2]], fragments: Uint8Array.of(7) },
      { embedder: 'b', vectors: [[3, 4]] },
    ]
    const reader = openVectors(encodeVectors([{ id: 1, entries }]))
    expect(reader.embedder('a')!.fragments()).toEqual(Uint8Array.of(7))
    expect(reader.embedder('b')!.fragments()).toBeNull()
  })

  it('with another number of documents is refused', () => {
    const entries = [{ embedder: 'e', vectors: [[1, 2]] }]
    const bytes = encodeVectors([3, 9, 12].map((id) => ({ id, entries })))
    const bent = encodeFrame('VECT', (writer) => {
      for (const { tag, version, bytes: content } of Frame.open(bytes, 'VECT').sections) {
        const copy = content.slice()
        if (tag === 'DOCS') copy[0] = 4
        writer.section(tag, version, copy)
      }
    })
    expect(() => openVectors(bent)).toThrow('DOCS @0: bad_value, expected 3, got 4')
  })

  it('with any damage is refused by the check', () => {
    const bytes = encodeVectors([
      { id: 3, entries: [{ embedder: 'e', vectors: [[1, 2, 3]] }] },
      { id: 9, entries: [{ embedder: 'e', vectors: [[4, 5, 6]] }] },
    ])
    for (let at = 0; at < bytes.length; at++) {
      const bent = bytes.slice()
      bent[at]! ^= 1
      expect(() => checkVectors(Frame.open(bent, 'VECT')), `byte ${at}`).toThrow(
        at === 8 || at === 9 ? VersionError : CorruptionError,
      )
    }
  })
})

describe('entries of a document', () => {
  it('are read as they were written', () => {
    const bytes = encodeVectors([
      {
        id: 0,
        entries: [
          { embedder: 'é', vectors: [[1, 2]], fragments: Uint8Array.of(7) },
          { embedder: 'z', vectors: [], regenerates: true },
        ],
      },
    ])
    const all = entriesAt(openVectors(bytes), 0)
    expect(decodeEntries(encodeEntries(all))).toEqual(all)
    expect(decodeEntries(encodeEntries([]))).toEqual([])
  })

  it('of nibbles are stable: what is read and stored again is the same', () => {
    const [entry] = entriesAt(
      openVectors(
        encodeVectors([
          { id: 0, entries: [{ embedder: 'e', form: 'nibbles', vectors: [[0.5, -2, 0, 3e-9]] }] },
        ]),
      ),
      0,
    )
    expect(shownVectors(entry!)[0]).toEqual(Float32Array.of(1, 0, 0, 1))
    const [near] = comparedVectors(entry!)
    expect([...near!].map(Math.sign)).toEqual([1, -1, -1, 1])
  })
})

describe('similarity', () => {
  const similarity = (a: readonly number[], b: readonly number[], form?: 'nibbles'): number => {
    const entry = { embedder: 'e', vectors: [b], ...(form === undefined ? {} : { form }) }
    const rows = openVectors(encodeVectors([{ id: 0, entries: [entry] }])).embedder('e')!
    return new SimilarityTo(Float32Array.from(a)).of(rows, 0)
  }

  it('ranges from opposite to equal directions', () => {
    expect(similarity([1, 0], [5, 0])).toBe(1)
    expect(similarity([1, 0], [0, 2])).toBe(0.5)
    expect(similarity([1, 0], [-3, 0])).toBe(0)
  })

  it('without a direction is that of a right angle, and 1 if the query has none', () => {
    expect(similarity([0, 0], [1, 0])).toBe(1)
    expect(similarity([1, 0], [0, 0])).toBe(0.5)
    expect(similarity([1, 0], [Number.POSITIVE_INFINITY, 0])).toBe(0.5)
  })

  it('needs lengths whose product is above the step of 32-bit floats at 1', () => {
    const step = 2 ** -23
    expect([similarity([step], [-1]), similarity([2 * step], [-1])]).toEqual([1, 0])
    expect([similarity([1], [-step]), similarity([1], [-2 * step])]).toEqual([0.5, 0])
    // The query has a direction, but not together with this row.
    expect(similarity([2 * step], [-0.5])).toBe(0.5)
  })

  it('of short nibbles counts signs, in 64ths', () => {
    expect(similarity([1, -1, 1, 1], [0, 2, 3, 4], 'nibbles')).toBe(1 - 2 / 64)
  })

  it('of long nibbles is near that of the floats', () => {
    const vector = Array.from({ length: 200 }, (_, i) => Math.sin(i * 12.9898) * 3)
    const other = Array.from({ length: 200 }, (_, i) => Math.sin(i * 78.233) + vector[i]!)
    const exact = similarity(vector, other)
    expect(Math.abs(similarity(vector, other, 'nibbles') - exact)).toBeLessThan(0.01)
  })
})

describe('vectors as JSON', () => {
  it('are the shortest decimals that are the same 32-bit floats', () => {
    const out = new JsonBuffer()
    writeVectorsJson([Float32Array.of(0.1, -2.5, 3, 1e-20, 16777216), Float32Array.of(1 / 3)], out)
    expect(Buffer.from(out.view()).toString()).toBe(
      '[[0.1,-2.5,3.0,1e-20,16777216.0],[0.33333334]]',
    )
  })

  it('read back as the same floats; NaN and infinities are null', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const out = new JsonBuffer()
        writeVectorsJson([Float32Array.of(value)], out)
        const [[read]] = JSON.parse(Buffer.from(out.view()).toString()) as [[number]]
        expect(Math.fround(read) + 0).toBe(Math.fround(value) + 0)
      }),
    )
    const out = new JsonBuffer()
    writeVectorsJson([Float32Array.of(Number.NaN, Number.NEGATIVE_INFINITY)], out)
    expect(Buffer.from(out.view()).toString()).toBe('[[null,null]]')
  })
})
