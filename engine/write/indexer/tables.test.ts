// The tables of a batch: names, ids, chunks, and the output of segments; compared with maps and
// plain lists.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asSegmentNo, FIELDS_MAX } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { NO_ENTRIES } from '../../../format/vectors/index.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import { segmentPath } from '../../store/catalog/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import { type Chunk, ChunkBuilder, externalIdAt, recordAt, vectorsAt } from './chunk.ts'
import { FreeIds } from './free-ids.ts'
import { ExternalIdTable } from './id-table.ts'
import { discardSegment, INLINE_BYTES_MAX, removeSegment, SegmentSink } from './segment-sink.ts'
import { newFileSystem } from './test-support.ts'

const encoder = new TextEncoder()
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('field names', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'a.b', '', 'é', '\u0000'))

  it('have dense ids in the order of first occurrence', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.array(name), (known, met) => {
        const names = new FieldNames(known)
        const expected = [...known]
        for (const one of met) {
          if (!expected.includes(one)) expected.push(one)
          expect(names.idOf(one)).toBe(expected.indexOf(one))
          const bytes = encoder.encode(`<${one}>`)
          expect(names.idOfBytes(bytes, 1, bytes.length - 1)).toBe(expected.indexOf(one))
        }
        expect(names.count).toBe(expected.length)
        expect(names.added).toEqual(expected.slice(known.length))
        for (const [id, one] of expected.entries()) expect(names.name(id)).toBe(one)
      }),
    )
  })

  it('are limited, and existing ones keep their ids', () => {
    const names = new FieldNames(Array.from({ length: FIELDS_MAX }, (_, i) => `f${i}`))
    expect(names.idOf('f65534')).toBe(65_534)
    expect(() => names.idOf('one too many')).toThrow(EngineFault)
    expect(() => names.idOf('one too many')).toThrow(/65,535 fields/)
    expect(names.idOf('f7')).toBe(7)
  })
})

describe('free ids', () => {
  it('are the smallest unused ones, each once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), fc.nat(40), (used, count) => {
        const free = new FreeIds(IdSet.of(used))
        const taken = Array.from({ length: count }, () => free.take())
        const all = Array.from({ length: 200 }, (_, id) => id).filter((id) => !used.includes(id))
        expect(taken).toEqual(all.slice(0, count))
      }),
    )
  })
})

describe('external ids', () => {
  it('are numbered in the order of first occurrence', () => {
    const id = fc.uint8Array({ maxLength: 6 })
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), (drawn) => {
        const table = new ExternalIdTable()
        const expected: string[] = []
        for (const one of drawn) {
          const key = Buffer.from(one).toString('hex')
          if (!expected.includes(key)) expected.push(key)
          expect(table.add(one)).toBe(expected.indexOf(key))
        }
        expect(table.count).toBe(expected.length)
        const found = expected.map((_, n) => Buffer.from(table.bytes(n)).toString('hex'))
        expect(found).toEqual(expected)
      }),
    )
  })

  it('grow past every table', () => {
    const table = new ExternalIdTable()
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 20_000; i++) {
        if (table.add(encoder.encode(`document-${i}`)) !== i) expect.unreachable()
      }
    }
    expect(textOf(table.bytes(19_999))).toBe('document-19999')
    expect(() => table.bytes(20_000)).toThrow(InvariantError)
  })
})

describe('chunks', () => {
  const entry = fc.tuple(fc.nat(5), fc.nat(7), fc.string(), fc.uint8Array({ maxLength: 40 }))

  it('hold the added documents, and restart after `take`', () => {
    const entries = fc.array(entry, { maxLength: 40 })
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 3 }), (chunks) => {
        const builder = new ChunkBuilder()
        const taken = chunks.map((all) => {
          let id = -1
          for (const [gap, into, externalId, record] of all) {
            id += gap + 1
            builder.add(id, into, encoder.encode(externalId), record)
          }
          expect(builder.count).toBe(all.length)
          expect(builder.bytes).toBe(all.reduce((sum, [, , , record]) => sum + record.length, 0))
          return builder.take()
        })
        expect(builder.count).toBe(0)
        taken.forEach((chunk, c) => {
          let id = -1
          expect(chunk.count).toBe(chunks[c]!.length)
          for (const [i, [gap, into, externalId, record]] of chunks[c]!.entries()) {
            id += gap + 1
            expect(chunk.ids[i]).toBe(id)
            expect(chunk.into[i]).toBe(into)
            expect(Buffer.from(externalIdAt(chunk, i))).toEqual(Buffer.from(externalId))
            expect(recordAt(chunk, i)).toEqual(record)
          }
        })
      }),
    )
  })

  it('grow past every table', () => {
    const builder = new ChunkBuilder()
    const record = new Uint8Array(100)
    for (let i = 0; i < 3000; i++)
      builder.add(i * 2, i % 8, encoder.encode(`id${i}`), record.fill(i))
    const chunk = builder.take()
    for (const i of [0, 255, 256, 2999]) {
      expect([chunk.ids[i], chunk.into[i]]).toEqual([i * 2, i % 8])
      expect(textOf(externalIdAt(chunk, i))).toBe(`id${i}`)
      expect(recordAt(chunk, i)).toEqual(new Uint8Array(100).fill(i))
    }
  })

  it('hold the vectors of their documents, if any has some', () => {
    const vectors = [[1, 2], [], [3]].map((bytes) => Uint8Array.from(bytes))
    const builder = new ChunkBuilder()
    const chunkWith = (given: readonly Uint8Array[] | null) => {
      for (let id = 0; id < 3; id++) builder.add(id, 1, new Uint8Array(1), new Uint8Array(1))
      return builder.take(given)
    }
    const found = (chunk: Chunk) => [0, 1, 2].map((i) => vectorsAt(chunk, i))
    expect(found(chunkWith(vectors))).toEqual(vectors)
    expect(found(chunkWith(null))).toEqual([NO_ENTRIES, NO_ENTRIES, NO_ENTRIES])
    expect(() => chunkWith(vectors.slice(1))).toThrow(InvariantError)
  })

  it.each([
    [0, 100, 100],
    [0, 3000, 4096],
    [0, 5000, 8192],
    [5000, 5000, 10_000],
    [5000, 4000, 4000],
    [1 << 20, 1 << 20, (1 << 20) + (1 << 16)],
    [1 << 20, 100, 100],
  ])('of %i expected bytes that have %i take %i of memory', (expected, bytes, memory) => {
    const builder = new ChunkBuilder(expected)
    const piece = Math.min(bytes, 4096)
    for (let at = 0; at < bytes; at += piece) {
      builder.add(at, 1, new Uint8Array(1), new Uint8Array(Math.min(piece, bytes - at)))
    }
    const { records } = builder.take()
    expect([records.length, records.buffer.byteLength]).toEqual([bytes, memory])
  })

  it('accept documents in ascending order only', () => {
    const builder = new ChunkBuilder()
    const add = (id: number) => () => builder.add(id, 1, new Uint8Array(1), new Uint8Array(1))
    add(5)()
    expect(add(5)).toThrow(InvariantError)
    expect(add(4)).toThrow(InvariantError)
  })
})

describe('the sink of a segment', () => {
  const path = segmentPath(asSegmentNo(4), 'text')
  const bytesOf = (length: number): Uint8Array =>
    Uint8Array.from({ length }, (_, i) => (i * 7919) >>> 3)

  it('stores few bytes in the edit and many in a file', () => {
    const sizes = fc.oneof(
      fc.integer({ min: 8, max: 3000 }),
      fc.integer({ min: INLINE_BYTES_MAX - 2, max: INLINE_BYTES_MAX + 2 }),
      fc.integer({ min: INLINE_BYTES_MAX, max: 2 * INLINE_BYTES_MAX }),
    )
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1, max: 20_000 })), (length, cuts) => {
        const fs = newFileSystem()
        const sink = new SegmentSink(fs, asSegmentNo(4), 'text')
        const bytes = bytesOf(length)
        let at = 0
        for (const cut of cuts) {
          sink.write(bytes.subarray(at, Math.min(at + cut, length)))
          at = Math.min(at + cut, length)
        }
        sink.write(bytes.subarray(at))
        const { location, ...rest } = sink.finish({ documents: 3, idMin: 10, idMax: 20 })
        expect(rest).toEqual({
          segment: 4,
          layer: 'text',
          documents: 3,
          idMin: 10,
          idMax: 20,
          bytes: length,
        })
        expect(location.kind).toBe(length > INLINE_BYTES_MAX ? 'file' : 'inline')
        expect(fs.exists(path)).toBe(location.kind === 'file')
        if (location.kind === 'inline') expect(Buffer.from(location.frame).equals(bytes)).toBe(true)
        else {
          expect(Buffer.from(fs.map(path, length)).equals(bytes)).toBe(true)
          const checksum = new DataView(bytes.buffer).getUint32(length - 8, true)
          expect(location.checksum).toBe(checksum)
        }
        expect(fs.openFiles).toBe(0)
      }),
    )
  })

  it.each([100, INLINE_BYTES_MAX + 1])('abandoned after %i bytes leaves nothing', (length) => {
    const fs = newFileSystem()
    const sink = new SegmentSink(fs, asSegmentNo(4), 'text')
    sink.write(bytesOf(length))
    sink.abandon()
    sink.abandon()
    expect(fs.list('segments')).toEqual([])
    expect(fs.openFiles).toBe(0)
  })

  it('is discarded with its file, if it has one; only errors of the disk do not matter', () => {
    const fs = newFileSystem()
    const made = (length: number) => {
      const sink = new SegmentSink(fs, asSegmentNo(4), 'text')
      sink.write(bytesOf(length))
      return sink.finish({ documents: 1, idMin: 0, idMax: 0 })
    }
    const remove = vi.spyOn(fs, 'remove')
    removeSegment(fs, made(100))
    expect(remove).not.toHaveBeenCalled()
    const inFile = made(INLINE_BYTES_MAX + 1)
    for (const [error, message] of [
      [new StorageError('io', path, 'no'), null],
      [new TypeError('ours'), 'ours'],
    ] as const) {
      remove.mockImplementationOnce(() => {
        throw error
      })
      const discard = () => discardSegment(fs, inFile)
      if (message === null) discard()
      else expect(discard).toThrow(message)
    }
    discardSegment(fs, inFile)
    expect(fs.list('segments')).toEqual([])
  })
})
