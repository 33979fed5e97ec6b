// The reports of the inspecting commands, as people read them, and values of formats as plain data.
import { describe, expect, it } from 'vitest'
import { findingAbout } from './finding.ts'
import { termListText } from './fst-terms.ts'
import { logPrintText, type PrintedLog } from './log-print.ts'
import { manifestPrintText } from './manifest-print.ts'
import { type DatabaseSummary, manifestStateText } from './manifest-state.ts'
import { plain } from './plain.ts'
import { type SegmentLayout, segmentLayoutText } from './segment-layout.ts'
import { segmentPropertiesText } from './segment-properties.ts'

const problem = findingAbout('a', 'missing', 'it is missing')

it('a layout has a row per section, and the rest', () => {
  const section = {
    tag: 'RECS',
    version: 1,
    offset: 4096,
    bytes: 1024,
    checksum: 0xabc,
    isSound: true,
  }
  const layout = {
    segment: '000001.docs',
    kind: 'DOCS',
    bytes: 4096,
    checksum: 0x1,
    pages: 1,
    sections: [section, { ...section, tag: 'IDS ', isSound: false }],
    otherBytes: 2048,
    tables: [
      { title: 'fields', columns: ['name', 'documents'], rows: [['a', 1200]] },
      { title: 'many', columns: ['name'], rows: Array.from({ length: 1200 }, () => ['x']) },
    ],
    problems: [problem],
  } as unknown as SegmentLayout
  const text = segmentLayoutText(layout)
  expect(text.replace(/(?: {2}x\n)+/, '  x\n')).toMatchInlineSnapshot(`
    "000001.docs: DOCS, 4 KiB (4,096 bytes), 1 page, checksum 00000001

      section  version  offset  bytes   share  checksum  state
      RECS           1   4,096  1,024  25.0 %  00000abc  sound
      IDS            1   4,096  1,024  25.0 %  00000abc  DAMAGED
      other                     2,048  50.0 %

    fields
      name  documents
      a         1,200

    many
      name
      x
      … 1,160 more; --json shows all

    a: it is missing
    "
  `)
  const shown = text.match(/^ {2}x$/gm)!.length
  expect(text).toContain(`… ${(1200 - shown).toLocaleString('en-US')} more; --json shows all`)
  const exact = {
    ...layout,
    tables: [{ ...layout.tables[1]!, rows: layout.tables[1]!.rows.slice(0, shown) }],
  }
  expect(segmentLayoutText(exact)).not.toContain('more')
})

it('the state of a database has its indexes, their layers and segments', () => {
  const segment = {
    segment: 7,
    layer: 'documents',
    place: '000007.docs',
    bytes: 2048,
    documents: 1300,
    dead: 100,
    idMin: 0,
    idMax: 1299,
  }
  const layer = { layer: 'documents', segments: 1, bytes: 2048, documents: 1300, dead: 100 }
  const index = {
    index: 3,
    uid: 'films',
    primaryKey: 'id',
    createdAt: 1_700_000_000_000_000,
    updatedAt: 1_700_000_060_000_000,
    fields: [{ name: 'id', documents: 1200 }],
    settings: {},
    layers: [layer],
    segments: [segment],
  }
  const summary = {
    version: '1.2.3',
    manifest: { path: 'manifest-1.log', bytes: 4096, tail: 'clean' },
    sequence: 1234,
    nextIndex: 4,
    nextSegment: 8,
    indexes: [
      index,
      { ...index, uid: 'books', primaryKey: null, fields: [], layers: [], segments: [] },
    ],
    values: [{ space: 'keys', keys: 1200, bytes: 2048 }],
    outcomes: [5, 6],
  } as unknown as DatabaseSummary
  expect(manifestStateText(summary)).toMatchInlineSnapshot(`
    "release              1.2.3
    manifest             manifest-1.log, 4 KiB, ends clean
    edits                1,234 since the database was created
    next numbers         index 4, segment 8
    values keys          1,200, 2 KiB
    outcomes of batches  5, 6

    films (index 3) · primary key id · 1 field · made 2023-11-14T22:13:20Z, changed 2023-11-14T22:14:20Z
      layer      segments   size   live  dead
      documents         1  2 KiB  1,200   100
      segment      in            size   live  dead      ids
      7 documents  000007.docs  2 KiB  1,200   100  0–1,299

    books (index 3) · no primary key · 0 fields · made 2023-11-14T22:13:20Z, changed 2023-11-14T22:14:20Z
    "
  `)
  const bare = { ...summary, version: null, indexes: [], values: [], outcomes: [] }
  expect(manifestStateText(bare)).toMatchInlineSnapshot(`
    "release       unknown: VERSION cannot be read
    manifest      manifest-1.log, 4 KiB, ends clean
    edits         1,234 since the database was created
    next numbers  index 4, segment 8
    "
  `)
})

it('a manifest has its edits, and the faults at its end', () => {
  const edit = {
    sequence: 5,
    checkpoint: false,
    offset: 4096,
    bytes: 1200,
    changes: [{ text: 'index-created: films', change: {} }],
  }
  const manifest = { path: 'm.log', bytes: 8192, tail: 'torn' as const, problems: [problem] }
  const edits = [{ ...edit, checkpoint: true, sequence: 4, changes: [] }, edit]
  expect(manifestPrintText({ ...manifest, edits })).toMatchInlineSnapshot(`
    "m.log: 8 KiB, 2 edits

    checkpoint 4 · 1,200 bytes at 4,096

    edit 5 · 1,200 bytes at 4,096
      index-created: films

    The end is an unfinished write, for example from a power failure; the next start removes it.

    a: it is missing
    "
  `)
  const sound = manifestPrintText({ ...manifest, tail: 'clean', edits: [edit], problems: [] })
  expect(sound).toMatch(/^m\.log: 8 KiB, 1 edit\n/)
  expect(sound).not.toContain('unfinished')
  expect(manifestPrintText({ ...manifest, path: null, tail: null, edits: [] })).toBe(
    '\na: it is missing\n',
  )
})

it('a log has its records, and its end', () => {
  const record = {
    offset: 64,
    bytes: 1200,
    type: 9,
    sequence: 3,
    group: 3,
    text: 'words',
    value: 1,
  }
  const log: PrintedLog = {
    file: 'tasks.log',
    kind: 'TASK',
    number: 2,
    bytes: 4096,
    validBytes: 2000,
    tail: 'clean',
    records: [record, { ...record, text: null }],
    problems: [problem],
  }
  const end = (change: Partial<PrintedLog>): string =>
    logPrintText({ ...log, problems: [], ...change })
      .split('\n')
      .at(-2)!
  expect(logPrintText(log)).toMatchInlineSnapshot(`
    "tasks.log: TASK 2, 4 KiB, 2 records
    @64 #3  words
    @64 #3  type 9, 1,200 bytes
    ends at 2000, then 2,096 bytes of room
    a: it is missing
    "
  `)
  expect([
    end({ validBytes: 4096 }),
    end({ tail: 'torn', validBytes: 4095 }),
    end({ validBytes: null }),
    logPrintText({ ...log, number: null, records: [] }).split('\n')[0],
  ]).toEqual([
    'ends at 4096',
    'ends at 4095, then 1 byte of an unfinished write, which the next start removes',
    '@64 #3  type 9, 1,200 bytes',
    'tasks.log: TASK, 4 KiB, 0 records',
  ])
})

it('terms have their documents, and distances if they have some', () => {
  const row = { ordinal: 3, term: 'lamp', documents: 1200, postingBytes: 10, distance: null }
  const list = { segment: 's', terms: 1300, shown: [row], isCut: true }
  expect(termListText(list)).toMatchInlineSnapshot(`
    "s: 1 of 1,300 terms
      ordinal  term  documents  bytes
            3  lamp      1,200     10
      … there are more: --limit 0 shows all
    "
  `)
  const near = {
    ...list,
    terms: 1,
    isCut: false,
    shown: [{ ...row, distance: 0, term: 'x'.repeat(61) }],
  }
  expect(termListText(near)).toMatchInlineSnapshot(`
    "s: 1 of 1 term
      ordinal  term                                                          documents  bytes  distance
            3  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…      1,200     10         0
    "
  `)
})

it('properties have amounts in their units', () => {
  const described = {
    properties: {
      segment: 's',
      bytes: 2048,
      documents: 1200,
      dead: 3,
      idMin: 0,
      idMax: 1300,
      bytesPerDocument: 1.706,
      content: { layer: 'text' },
    },
    description: {
      content: { layer: 'text' },
      facts: [['words', { count: 1200 }, ' in ', { bytes: 1024 }]],
      tables: [{ columns: ['field', 'words'], rows: [['a', 1200]] }],
    },
  } as unknown as Parameters<typeof segmentPropertiesText>[0]
  expect(segmentPropertiesText(described)).toMatchInlineSnapshot(`
    "s
      layer      text
      size       2 KiB, 1.7 bytes per document
      documents  1,200, 3 dead
      ids        0 to 1,300
      words      1,200 in 1 KiB

      field  words
      a      1,200
    "
  `)
  const { properties } = described
  const none = segmentPropertiesText({ ...described, properties: { ...properties, dead: null } })
  expect(none).not.toContain('dead')
})

describe('values of formats as plain data', () => {
  it.each<[unknown, unknown]>([
    [Uint8Array.of(1, 2), { bytes: 2 }],
    [Float64Array.of(1, 2), [1, 2]],
    [new Map<string, unknown>([['a', Uint8Array.of(1)]]), { a: { bytes: 1 } }],
    [{ toArray: () => [], size: 3 }, { ids: 3 }],
    [{ size: 3 }, { size: 3 }],
    [
      [{ a: null }, 'b', 1],
      [{ a: null }, 'b', 1],
    ],
    [undefined, undefined],
  ])('%#', (value, expected) => {
    expect(plain(value)).toEqual(expected)
  })
})
