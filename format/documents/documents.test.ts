// The documents layer: golden bytes, records, whole segments against a Map, merging, refusals.
// ./DOCUMENTS.md

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compressRuns,
  decompressRuns,
  reframed,
  sectionsOf,
} from '../../fixtures/format/documents/stand-ins.ts'
import { expectGolden } from '../../fixtures/golden.ts'
import { KiB } from '../bytes/index.ts'
import { CorruptionError, InvariantError, VersionError } from '../errors.ts'
import type { FrameWriter } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { FIELDS_MAX } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { JsonBuffer, jsonKey } from '../json/index.ts'
import { ExternalIds } from './external-ids-v1.ts'
import {
  BlockCache,
  DocumentsReader,
  DocumentsWriter,
  encodeRecord,
  externalIdHash,
  mergeDocuments,
  RecordFields,
  RecordWriter,
  renderRecord,
} from './index.ts'
import { BLOCK_TARGET_BYTES, DOCUMENTS_PER_SEGMENT_MAX, EXTERNAL_ID_BYTES_MAX } from './limits.ts'
import { documentsNotes } from './test-notes.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes)

/** Compares two byte arrays in one call; `toEqual` compares element by element, which is slow. */
function expectSame(got: Uint8Array | null, expected: Uint8Array): void {
  expect(got !== null && Buffer.compare(got, expected) === 0).toBe(true)
}

/** A document: id, external id, fields. */
type Doc = {
  readonly id: number
  readonly key: string
  readonly fields: readonly (readonly [number, string])[]
}

const recordOf = (doc: Doc): Uint8Array =>
  encodeRecord(doc.fields.map(([id, value]) => [id, encode(value)] as const))

function write(docs: readonly Doc[]): Uint8Array {
  const parts: Uint8Array[] = []
  const writer = new DocumentsWriter((bytes) => parts.push(bytes.slice()), compressRuns)
  for (const doc of docs) writer.add(doc.id, encode(doc.key), recordOf(doc))
  const length = writer.finish()
  const bytes = new Uint8Array(Buffer.concat(parts))
  expect(bytes.length).toBe(length)
  return bytes
}

const open = (bytes: Uint8Array, cache?: BlockCache): DocumentsReader =>
  DocumentsReader.ofBytes(bytes, decompressRuns, cache)

const films: readonly Doc[] = [
  {
    id: 3,
    key: '7',
    fields: [
      [0, '7'],
      [2, '"x"'],
    ],
  },
  {
    id: 4,
    key: 'heat',
    fields: [
      [0, '"heat"'],
      [1, '["a","b"]'],
      [2, `"${'o'.repeat(90)}"`],
    ],
  },
  { id: 9, key: '-1', fields: [[300, '{}']] },
]

const documents = fc
  .uniqueArray(fc.oneof(fc.nat(300), fc.nat(2 ** 32 - 1)), { maxLength: 60 })
  .chain((ids) =>
    fc.tuple(
      fc.constant(ids.sort((a, b) => a - b)),
      fc.uniqueArray(
        fc.string({ unit: fc.constantFrom('a', 'b', '7', '-'), minLength: 1, maxLength: 9 }),
        {
          minLength: ids.length,
          maxLength: ids.length,
        },
      ),
      fc.array(fc.dictionary(fc.nat(65534).map(String), fc.jsonValue(), { maxKeys: 6 }), {
        minLength: ids.length,
        maxLength: ids.length,
      }),
      fc.array(fc.nat(9000), { minLength: ids.length, maxLength: ids.length }),
    ),
  )
  .map(([ids, keys, fields, sizes]) =>
    ids.map((id, i): Doc => {
      const long = sizes[i]! > 6000 ? [[65534, `"${'z'.repeat(sizes[i]!)}"`] as const] : []
      const short = Object.entries(fields[i]!)
        .map(([field, value]) => [Number(field), JSON.stringify(value)] as const)
        .filter(([field]) => field < 65534)
      return { id, key: keys[i]!, fields: [...short.sort((a, b) => a[0] - b[0]), ...long] }
    }),
  )

/** Expects that every method of the reader agrees with the list. */
function expectHolds(reader: DocumentsReader, docs: readonly Doc[]): void {
  expect(reader.count).toBe(docs.length)
  expect([...reader.idSet().toArray()]).toEqual(docs.map((doc) => doc.id))
  const cursor = reader.cursor()
  for (const [position, doc] of docs.entries()) {
    const record = recordOf(doc)
    expect(reader.has(doc.id)).toBe(true)
    expectSame(reader.record(doc.id), record)
    expect(decode(reader.externalId(doc.id))).toBe(doc.key)
    expect(reader.idOf(encode(doc.key))).toBe(doc.id)
    expect([...reader.fieldsOf(doc.id)!]).toEqual(doc.fields.map(([field]) => field))
    expect(cursor.next()).toBe(true)
    expect([cursor.position, cursor.id]).toEqual([position, doc.id])
    expectSame(cursor.record, record)
    expect(decode(cursor.externalId)).toBe(doc.key)
  }
  expect(cursor.next()).toBe(false)
  for (const id of [0, 5, 301, 2 ** 32 - 1]) {
    if (docs.some((doc) => doc.id === id)) continue
    expect([reader.has(id), reader.record(id), reader.externalId(id)]).toEqual([false, null, null])
  }
  expect(reader.idOf(encode('no such id'))).toBe(-1)
  reader.verifyAll()
}

describe('bytes', () => {
  for (const [name, docs] of [
    ['three', films],
    ['none', []],
  ] as const) {
    it(`are the golden ones: ${name}`, () => {
      const bytes = write(docs)
      const notes = documentsNotes(bytes, decompressRuns)
      const shown = expectGolden(`documents/v1/${name}`, bytes, notes)
      expectHolds(open(shown), docs)
    })
  }

  it('depend on the documents alone', () => {
    expectSame(write(films), write(films))
    expect(externalIdHash(encode('1'))).toBe(0x551f758f)
    expect(externalIdHash(encode(''))).toBe(0xab3e7c0b)
  })
})

describe('a record', () => {
  it('is as the page shows it', () => {
    expect(Buffer.from(recordOf(films[0]!)).toString('hex')).toBe('02000101033722' + '7822')
  })

  it('gives its fields back, and as JSON', () => {
    const name = (id: number): Uint8Array => jsonKey(`field ${id}`)
    const entries = fc.uniqueArray(fc.tuple(fc.nat(65534), fc.jsonValue()), {
      selector: ([id]) => id,
    })
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 3 }), (all, indent) => {
        const writer = new RecordWriter()
        writer.begin()
        for (const [id, value] of all) writer.add(id, encode(JSON.stringify(value, null, indent)))
        const record = writer.finish().slice()
        const sorted = [...all].sort((a, b) => a[0] - b[0])
        const fields = new RecordFields()
        fields.read(record)
        expect([...fields.ids.subarray(0, fields.count)]).toEqual(sorted.map(([id]) => id))
        for (const [i, [id, value]] of sorted.entries()) {
          expect(fields.indexOf(id)).toBe(i)
          expect(decode(fields.value(i))).toBe(JSON.stringify(value))
        }
        expect(fields.indexOf(65536)).toBe(-1)
        const out = new JsonBuffer()
        renderRecord(record, name, null, out)
        const text = sorted.map(([id, value]) => `"field ${id}":${JSON.stringify(value)}`)
        expect(decode(out.view())).toBe(`{${text.join(',')}}`)
        const selected = new Uint8Array(40000)
        for (let id = 0; id < selected.length; id += 2) selected[id] = 1
        out.clear()
        renderRecord(record, name, selected, out)
        const kept = text.filter((_, i) => sorted[i]![0] % 2 === 0 && sorted[i]![0] < 40000)
        expect(decode(out.view())).toBe(`{${kept.join(',')}}`)
      }),
    )
  })

  it('holds many fields', () => {
    const all = Array.from(
      { length: FIELDS_MAX },
      (_, id) => [FIELDS_MAX - 1 - id, encode(`${id}`)] as const,
    )
    const writer = new RecordWriter()
    writer.begin()
    for (const [id, value] of [...all].reverse()) writer.add(id, value)
    const fields = new RecordFields()
    fields.read(writer.finish())
    expect(fields.count).toBe(FIELDS_MAX)
    expect(decode(fields.value(FIELDS_MAX - 1))).toBe('0')
    for (const id of [FIELDS_MAX - 1, FIELDS_MAX]) {
      expect(() => writer.add(id, encode('1'))).toThrow(InvariantError)
    }
  })

  it('refuses every truncation, and flipped bits that make it inconsistent', () => {
    const fields = new RecordFields()
    const record = recordOf(films[1]!)
    for (let n = 0; n < record.length; n++) {
      expect(() => fields.read(record.subarray(0, n))).toThrow(CorruptionError)
    }
    expect(() => fields.read(Uint8Array.from([...record, 1]))).toThrow(CorruptionError)
    for (let bit = 0; bit < record.length * 8; bit++) {
      record[bit >> 3]! ^= 1 << (bit & 7)
      try {
        fields.read(record)
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptionError)
      }
      record[bit >> 3]! ^= 1 << (bit & 7)
    }
    expect(() => fields.read(Uint8Array.of(30))).toThrow('expected fields in 1 bytes, got 30')
    const long = Uint8Array.of(1, 0, 0x80, 0x80, 0x80, 0x80, 8, 49)
    expect(() => fields.read(long)).toThrow('record @2: bad_value, expected at most 1073741824')
    const length = (...varint: readonly number[]) => Uint8Array.of(1, 0, ...varint, 49)
    // 2^30, and one more.
    expect(() => fields.read(length(0x80, 0x80, 0x80, 0x80, 4))).toThrow('record @7: bad_length')
    expect(() => fields.read(length(0x81, 0x80, 0x80, 0x80, 4))).toThrow('record @2: bad_value')
    fields.read(Uint8Array.of(1, 0xfe, 0xff, 3, 1, 49))
    expect(fields.ids[0]).toBe(FIELDS_MAX - 1)
    const bad = [
      [],
      [1],
      [1, 0xff, 0xff, 3, 1, 49],
      [1, 0],
      [1, 0, 0],
      [1, 0x80, 0, 1, 49],
      [1, 0xff, 0xff, 4, 1, 49],
      [2, 0, 1, 0xff, 0xff, 3, 1, 49, 49],
    ]
    for (const bytes of bad)
      expect(() => fields.read(Uint8Array.from(bytes))).toThrow(CorruptionError)
  })
})

describe('a segment', () => {
  it('holds the added documents', () => {
    fc.assert(
      fc.property(documents, fc.nat(3), (docs, shift) => {
        const bytes = write(docs)
        const moved = new Uint8Array(bytes.length + shift).subarray(shift)
        moved.set(bytes)
        expectHolds(open(moved), docs)
      }),
    )
  })

  it('holds external ids of up to 511 bytes', () => {
    const keys = ['a', 'b'].map((letter) => letter.repeat(EXTERNAL_ID_BYTES_MAX))
    const docs = keys.map((key, id): Doc => ({ id, key, fields: [[0, '1']] }))
    const bytes = write(docs)
    expectHolds(open(bytes), docs)
    const sections = sectionsOf(bytes)
    new DataView(sections.get('XEND')!.buffer).setUint32(0, EXTERNAL_ID_BYTES_MAX + 1, true)
    expect(() => open(reframed(sections)).externalId(0)).toThrow(
      'XEND @0: bad_value, expected 1 to 511 bytes, got 512',
    )
  })

  it('holds thousands', () => {
    const docs = Array.from({ length: 5000 }, (_, i): Doc => {
      const id = i < 2000 ? i : i * 3
      return {
        id,
        key: `k${i * 7}`,
        fields: [
          [0, `${i}`],
          [1, `"${'ab'.repeat(i % 50)}"`],
        ],
      }
    })
    const bytes = write(docs)
    const reader = open(bytes)
    expectHolds(reader, docs)
    expect(reader.blocks.count).toBeGreaterThan(20)
    const part = reader.cursor(1990, 2010)
    const ids: number[] = []
    while (part.nextLive(IdSet.of([1995, 6000]))) ids.push(part.id)
    expect(ids).toEqual(
      docs
        .slice(1990, 2010)
        .map((d) => d.id)
        .filter((id) => id !== 1995 && id !== 6000),
    )
    expect(() => {
      const writer = new DocumentsWriter(() => undefined, compressRuns)
      writer.add(1, encode('same'), recordOf(docs[0]!))
      writer.add(2, encode('same'), recordOf(docs[1]!))
      writer.finish()
    }).toThrow(InvariantError)
  })

  it('ends blocks by the records alone, with a large record in its own block', () => {
    const sizes = [3000, 3000, 3000, 20000, 10, BLOCK_TARGET_BYTES, 1, 2]
    const docs = sizes.map(
      (n, id): Doc => ({
        id,
        key: `${id}`,
        fields: [[0, '1'.repeat(n)]],
      }),
    )
    const reader = open(write(docs))
    const firsts = Array.from({ length: reader.blocks.count }, (_, b) =>
      reader.blocks.firstPosition(b),
    )
    expect(firsts).toEqual([0, 2, 3, 4, 5, 6])
    expectHolds(reader, docs)
  })

  it('shares a cache that stays within its bounds', () => {
    const docs = Array.from(
      { length: 400 },
      (_, id): Doc => ({ id, key: `${id}`, fields: [[0, `"${'x'.repeat(500)}"`]] }),
    )
    const bytes = write(docs)
    const cache = new BlockCache(40_000)
    const readers = [open(bytes, cache), open(bytes, cache)]
    for (let i = 0; i < 1000; i++) {
      const id = (i * 7919) % 400
      expectSame(readers[i % 2]!.record(id), recordOf(docs[id]!))
      expect(cache.bytes).toBeLessThanOrEqual(40_000)
    }
    expect(cache.bytes).toBeGreaterThan(20_000)
    const held = readers[0]!.record(3)!
    for (const reader of readers) reader.close()
    expect(cache.bytes).toBe(0)
    expectSame(held, recordOf(docs[3]!))
  })
})

describe('a cache that recycles', () => {
  it('gives the same records as one that does not', () => {
    const docs = Array.from(
      { length: 2000 },
      (_, id): Doc => ({ id, key: `${id}`, fields: [[0, `"${id} ${'x'.repeat(id % 300)}"`]] }),
    )
    const bytes = write(docs)
    const cache = new BlockCache(96 * KiB, true)
    const into = (stored: Uint8Array, length: number, target?: Uint8Array): Uint8Array => {
      const raw = decompressRuns(stored, length)
      target?.set(raw)
      return target ?? raw
    }
    const reader = DocumentsReader.ofBytes(bytes, into, cache)
    for (let i = 0; i < 3000; i++) {
      const id = (i * 7919) % docs.length
      expectSame(reader.record(id), recordOf(docs[id]!))
      if (i % 3 === 0) cache.recycle()
    }
  })

  it('holds no block whose bytes are damaged', () => {
    const docs = Array.from(
      { length: 200 },
      (_, id): Doc => ({ id, key: `${id}`, fields: [[0, `"${'x'.repeat(400)}"`]] }),
    )
    const cache = new BlockCache(32 * KiB, true)
    let isDamaged = true
    const damaged = (stored: Uint8Array, length: number, target?: Uint8Array): Uint8Array => {
      if (isDamaged) {
        target?.fill(0xff)
        throw new CorruptionError('bad_value', { section: 'runs', offset: 0 }, 'runs', 'rubbish')
      }
      const raw = decompressRuns(stored, length)
      target!.set(raw)
      return target!
    }
    const reader = DocumentsReader.ofBytes(write(docs), damaged, cache)
    expect(() => reader.record(7)).toThrow(CorruptionError)
    expect(cache.bytes).toBe(0)
    isDamaged = false
    expectSame(reader.record(7), recordOf(docs[7]!))
  })
})

describe('merging', () => {
  it('gives the bytes of a single writer', () => {
    const owners = fc.array(fc.nat(3), { minLength: 60, maxLength: 60 })
    const dying = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })
    fc.assert(
      fc.property(documents, owners, dying, (docs, owner, dead) => {
        const inputs = [0, 1, 2, 3].map((n) => {
          // A replaced document has its old, dead copy in the segment before.
          const mine = docs.filter((_, i) => owner[i] === n || (dead[i] && owner[i] === n + 1))
          const old = docs.filter((_, i) => dead[i] && owner[i] === n + 1)
          return { reader: open(write(mine)), dead: IdSet.of(old.map((doc) => doc.id)) }
        })
        const parts: Uint8Array[] = []
        const writer = new DocumentsWriter((bytes) => parts.push(bytes.slice()), compressRuns)
        mergeDocuments(inputs, writer)
        expect(writer.count).toBe(docs.length)
        writer.finish()
        expectSame(Buffer.concat(parts), write(docs))
      }),
    )
  })

  it('asserts that no document is live twice', () => {
    const twice = [films, films.slice(1)].map((docs) => ({
      reader: open(write(docs)),
      dead: IdSet.empty,
    }))
    const writer = new DocumentsWriter(() => undefined, compressRuns)
    expect(() => mergeDocuments(twice, writer)).toThrow(InvariantError)
  })
})

describe('a reader', () => {
  const bytes = write(films)

  /** Returns true if `run` throws a typed refusal. */
  function refused(run: () => Uint8Array): boolean {
    try {
      const reader = open(run())
      expectHolds(reader, films)
      return false
    } catch (error) {
      if (error instanceof CorruptionError || error instanceof VersionError) return true
      throw error
    }
  }

  it('refuses every flipped bit and every truncation', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      expect(
        refused(() => bytes),
        `bit ${bit}`,
      ).toBe(true)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
    }
    for (let n = 0; n < bytes.length; n++) expect(refused(() => bytes.subarray(0, n))).toBe(true)
    expect(refused(() => bytes)).toBe(false)
  })

  it('refuses contradictions under right checksums', () => {
    const sections = sectionsOf(bytes)
    const with32 = (tag: string, at: number, value: number): Uint8Array => {
      const changed = new Map(sections)
      const copy = changed.get(tag)!.slice()
      new DataView(copy.buffer).setUint32(at, value, true)
      return reframed(changed.set(tag, copy))
    }
    expect(refused(() => reframed(sections))).toBe(false)
    const changes: readonly (readonly [string, number, number])[] = [
      ['BIDX', 0, 1],
      ['BIDX', 4, 0xffffffff],
      ['BIDX', 4, 2 ** 30],
      ['BIDX', 4, 1],
      ['BIDX', 8, 1],
      ['BIDX', 16, 2],
      ['BIDX', 16, 4],
      ['BIDX', 20, 1],
      ['BIDX', 24, 7],
      ['BIDX', 28, 1],
      ['RUNS', 0, 9],
      ['RUNS', 0, 8],
      ['RUNS', 4, 1],
      ['RUNS', 8, 5],
      ['RUNS', 12, 0],
      ['RUNS', 12, 3],
      ['XEND', 0, 0],
      ['XEND', 0, 100],
      ['XEND', 4, 0],
      ['XEND', 8, 0xffffffff],
    ]
    for (const [tag, at, value] of changes) {
      expect(
        refused(() => with32(tag, at, value)),
        `${tag} ${at} ${value}`,
      ).toBe(true)
    }
    for (let slot = 0; slot < 4; slot++) {
      const old = new DataView(
        sections.get('XHSH')!.buffer,
        sections.get('XHSH')!.byteOffset,
      ).getUint32(slot * 4, true)
      if (old !== 0) expect(refused(() => with32('XHSH', slot * 4, old | 0xffffff))).toBe(true)
    }
    for (const tag of sections.keys()) {
      const less = new Map(sections)
      less.delete(tag)
      expect(
        refused(() => reframed(less)),
        `without ${tag}`,
      ).toBe(true)
      const longer = new Map(sections).set(tag, Uint8Array.from([...sections.get(tag)!, 0]))
      if (tag !== 'XIDS')
        expect(
          refused(() => reframed(longer)),
          `longer ${tag}`,
        ).toBe(true)
    }
  })

  it('verifies the table before it looks for an id', () => {
    const bent = bytes.slice()
    bent[20]! ^= 1
    expect(() => open(bent).idOf(encode('unknown'))).toThrow(CorruptionError)
    const sections = sectionsOf(bytes)
    const none = new Uint8Array(sections.get('XHSH')!.length)
    const reader = open(reframed(new Map(sections).set('XHSH', none)))
    expect(() => reader.verifyAll()).toThrow('XHSH @0: bad_value, expected 0, got -1')
  })

  it('refuses ids of more than 32 bits, and more documents than slots can number', () => {
    const docs = [1, 8, 9].map((id): Doc => ({ id, key: `${id}`, fields: [[0, '1']] }))
    const runs = sectionsOf(write(docs)).get('RUNS')!.slice()
    new DataView(runs.buffer).setUint32(8, 0xffffffff, true)
    const far = reframed(new Map(sectionsOf(write(docs))).set('RUNS', runs))
    expect(() => open(far).idSet()).toThrow('RUNS @8: bad_value, expected ids of 32 bits')
    // Of a slot 24 bits are for a position, from 1 on.
    expect(DOCUMENTS_PER_SEGMENT_MAX).toBe(0xffffff)
    const ends = new Uint8Array((DOCUMENTS_PER_SEGMENT_MAX + 1) * 4)
    expect(() => open(reframed(new Map(sectionsOf(bytes)).set('XEND', ends)))).toThrow(
      'XEND @0: bad_length, expected 4 × up to 16777215',
    )
    const section = (length: number) => ({ length, u32: () => new Uint32Array(0) }) as never
    const most = section(DOCUMENTS_PER_SEGMENT_MAX * 4)
    expect(() => new ExternalIds(section(0), most, section(0))).toThrow('XHSH @0: bad_length')
  })

  it('finds the longest external id', () => {
    const docs: readonly Doc[] = [{ id: 1, key: 'k'.repeat(511), fields: [[0, '1']] }]
    expectHolds(open(write(docs)), docs)
  })

  it('refuses a table without a free slot, and other versions', () => {
    const sections = sectionsOf(bytes)
    const full = sections.get('XHSH')!.slice()
    for (let at = 0; at < full.length; at += 4) full.set([1, 0, 0, 0xee], at)
    const reader = open(reframed(new Map(sections).set('XHSH', full)))
    expect(() => reader.idOf(encode('unknown'))).toThrow(CorruptionError)
    const newer = encodeFrame('DOCS', (frame: FrameWriter) => {
      for (const [tag, section] of sections) frame.section(tag, tag === 'RUNS' ? 2 : 1, section)
    })
    expect(() => open(newer)).toThrow(VersionError)
  })
})
