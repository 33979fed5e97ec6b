// `svc-tools segment properties`: what is in a segment, counted.

import { decompress } from '../../engine/storage/index.ts'
import { ColumnsReader } from '../../format/columns/index.ts'
import { DocumentsReader, RecordFields } from '../../format/documents/index.ts'
import { assert } from '../../format/errors.ts'
import type { Frame } from '../../format/frame/index.ts'
import type { Layer } from '../../format/manifest/index.ts'
import { TextReader } from '../../format/postings/index.ts'
import { bytesText, countText, table } from '../terminal/index.ts'
import { fieldText } from './segment-layout.ts'
import { frameOf, layerOf, openSegment, type SegmentChoice } from './segment-source.ts'
import { type TextProperties, textProperties } from './text-properties.ts'

export type FieldCount = {
  readonly field: string
  readonly documents: number
  readonly bytes: number
}

export type DocumentsProperties = {
  readonly layer: 'documents'
  readonly runs: number
  readonly blocks: number
  readonly storedBytes: number
  readonly recordBytes: number
  /** Bytes of records by stored byte. */
  readonly compression: number
  readonly longestRecordBytes: number
  readonly externalIdBytes: number
  /** Top-level fields by bytes, the largest first. */
  readonly fields: readonly FieldCount[]
}

export type ColumnsProperties = {
  readonly layer: 'columns'
  readonly points: number
  /** By field id. */
  readonly fields: readonly {
    readonly field: string
    readonly documents: number
    readonly distinctNumbers: number
    readonly documentsWithNumbers: number
    readonly distinctStrings: number
    readonly documentsWithStrings: number
    readonly nulls: number
    readonly empties: number
  }[]
}

export type SegmentProperties = {
  readonly segment: string
  readonly bytes: number
  readonly documents: number
  /** Of them dead in the database it belongs to; null when it was named by its file. */
  readonly dead: number | null
  readonly idMin: number
  readonly idMax: number
  readonly bytesPerDocument: number
  readonly content: DocumentsProperties | TextProperties | ColumnsProperties
}

/** Reads all of it. @throws ToolFailure, StorageError, CorruptionError, VersionError */
export function segmentProperties(choice: SegmentChoice): SegmentProperties {
  const source = openSegment(choice)
  const frame = frameOf(source)
  const { ids, content } = contentOf(layerOf(source), frame, source.fields)
  const { bytes, state } = source
  return {
    segment: source.label,
    bytes: bytes.length,
    documents: ids.count,
    dead: state === null ? null : state.dead.size,
    idMin: ids.min,
    idMax: ids.max,
    bytesPerDocument: bytes.length / Math.max(1, ids.count),
    content,
  }
}

type Content = {
  readonly ids: { readonly count: number; readonly min: number; readonly max: number }
  readonly content: SegmentProperties['content']
}

function contentOf(layer: Layer, frame: Frame, fields: readonly string[] | null): Content {
  switch (layer) {
    case 'documents': {
      const reader = DocumentsReader.open(frame, decompress)
      const { size, min, max } = reader.idSet()
      return { ids: { count: size, min, max }, content: documentsProperties(frame, reader, fields) }
    }
    case 'text': {
      const reader = TextReader.open(frame)
      const { documentCount: count, idMin: min, idMax: max } = reader
      return { ids: { count, min, max }, content: textProperties(frame, reader, fields) }
    }
    case 'columns': {
      const reader = ColumnsReader.open(frame)
      const { docCount: count, firstId: min, lastId: max } = reader
      return { ids: { count, min, max }, content: columnsProperties(reader, fields) }
    }
  }
}

function documentsProperties(
  frame: Frame,
  reader: DocumentsReader,
  names: readonly string[] | null,
): DocumentsProperties {
  const counts = new Map<number, { documents: number; bytes: number }>()
  const fields = new RecordFields()
  const cursor = reader.cursor()
  let recordBytes = 0
  let longestRecordBytes = 0
  while (cursor.next()) {
    const { record } = cursor
    recordBytes += record.length
    longestRecordBytes = Math.max(longestRecordBytes, record.length)
    fields.read(record)
    for (let i = 0; i < fields.count; i++) {
      const count = counts.get(fields.ids[i]!) ?? { documents: 0, bytes: 0 }
      count.documents++
      count.bytes += fields.starts[i + 1]! - fields.starts[i]!
      counts.set(fields.ids[i]!, count)
    }
  }
  const storedBytes = frame.section('BLKS').length
  return {
    layer: 'documents',
    runs: frame.section('RUNS').length / 8,
    blocks: reader.blocks.count,
    storedBytes,
    recordBytes,
    compression: recordBytes / Math.max(1, storedBytes),
    longestRecordBytes,
    externalIdBytes: frame.section('XIDS').length,
    fields: [...counts]
      .map(([field, count]) => ({ field: fieldText(field, names), ...count }))
      .sort((a, b) => b.bytes - a.bytes),
  }
}

function columnsProperties(
  reader: ColumnsReader,
  names: readonly string[] | null,
): ColumnsProperties {
  const fields = Array.from(reader.fieldIds, (id) => {
    const field = reader.field(id)
    assert(field !== null, 'a field of the table is there')
    return {
      field: fieldText(id, names),
      documents: field.exists().size,
      distinctNumbers: field.numberCount,
      documentsWithNumbers: field.numberHolders().size,
      distinctStrings: field.stringCount,
      documentsWithStrings: field.stringHolders().size,
      nulls: field.nulls().size,
      empties: field.empties().size,
    }
  })
  return { layer: 'columns', points: reader.geo()?.count ?? 0, fields }
}

export function segmentPropertiesText(properties: SegmentProperties): string {
  const { segment, bytes, documents, dead, idMin, idMax, bytesPerDocument, content } = properties
  const facts: [string, string][] = [
    ['layer', content.layer],
    ['size', `${bytesText(bytes)}, ${bytesPerDocument.toFixed(1)} bytes a document`],
    ['documents', `${countText(documents)}${dead === null ? '' : `, ${countText(dead)} dead`}`],
    ['ids', `${countText(idMin)} to ${countText(idMax)}`],
  ]
  switch (content.layer) {
    case 'documents':
      return factsText(segment, [...facts, ...documentsFacts(content)], fieldCounts(content.fields))
    case 'text':
      return factsText(segment, [...facts, ...textFacts(content)], textTables(content))
    case 'columns':
      return factsText(
        segment,
        [...facts, ['points', countText(content.points)]],
        columnsTable(content),
      )
  }
}

const factsText = (
  title: string,
  facts: readonly (readonly [string, string])[],
  rest: string,
): string => `${title}\n${table([{ title: '' }, { title: '' }], facts)}${rest}`

const right = (title: string) => ({ title, align: 'right' as const })

const documentsFacts = (content: DocumentsProperties): [string, string][] => [
  ['runs of ids', countText(content.runs)],
  [
    'records',
    `${bytesText(content.recordBytes)}, the longest ${bytesText(content.longestRecordBytes)}`,
  ],
  [
    'blocks',
    `${countText(content.blocks)}, ${bytesText(content.storedBytes)}: ` +
      `${content.compression.toFixed(2)} × smaller`,
  ],
  ['external ids', bytesText(content.externalIdBytes)],
]

function fieldCounts(fields: readonly FieldCount[]): string {
  const rows = fields.map((f) => [f.field, countText(f.documents), countText(f.bytes)])
  return `\n${table([{ title: 'field' }, right('documents'), right('bytes')], rows)}`
}

const textFacts = (content: TextProperties): [string, string][] => {
  const { small, large } = content.postings
  return [
    ['terms', `${countText(content.terms)}, dictionary ${bytesText(content.dictionaryBytes)}`],
    [
      'occurrences',
      `${countText(content.occurrences)}, ${content.bytesPerOccurrence.toFixed(2)} bytes each`,
    ],
    ['short lists', `${countText(small.terms)}, ${bytesText(small.bytes)}`],
    ['long lists', `${countText(large.terms)}, ${bytesText(large.bytes)}`],
    [
      'stored prefixes',
      `${countText(content.prefixes.count)}, ${bytesText(content.prefixes.bytes)}`,
    ],
    ['field lengths', bytesText(content.lengths.bytes)],
  ]
}

function textTables(content: TextProperties): string {
  const longest = content.longest.map((t) => [t.term, countText(t.documents), countText(t.bytes)])
  const fields = content.lengths.fields.map((f) => [
    f.field,
    countText(f.documents),
    countText(f.words),
  ])
  return (
    `\n${table([{ title: 'longest lists' }, right('documents'), right('bytes')], longest)}` +
    `\n${table([{ title: 'field' }, right('documents'), right('words')], fields)}`
  )
}

function columnsTable(content: ColumnsProperties): string {
  const titles = ['documents', 'numbers', 'in', 'strings', 'in', 'nulls', 'empties']
  const rows = content.fields.map((f) => [
    f.field,
    ...[f.documents, f.distinctNumbers, f.documentsWithNumbers].map(countText),
    ...[f.distinctStrings, f.documentsWithStrings, f.nulls, f.empties].map(countText),
  ])
  return `\n${table([{ title: 'field' }, ...titles.map(right)], rows)}`
}
