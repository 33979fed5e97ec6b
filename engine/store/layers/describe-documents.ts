// Describes a segment of the documents layer: runs, blocks, and the bytes of each field.
import { DocumentsReader, RecordFields } from '../../../format/documents/index.ts'
import type { Frame } from '../../../format/frame/index.ts'
import { decompress } from '../storage/index.ts'
import { fieldText, type LayerDescription, type LayerTable } from './description.ts'

/** Reads every record. @throws CorruptionError, VersionError */
export function describeDocuments(frame: Frame, names: readonly string[] | null): LayerDescription {
  const reader = DocumentsReader.open(frame, decompress)
  const records = countRecords(reader)
  const runs = frame.section('RUNS').length / 8
  const blocks = reader.blocks.count
  const storedBytes = frame.section('BLKS').length
  const { recordBytes, longestRecordBytes } = records
  const compression = recordBytes / Math.max(1, storedBytes)
  const externalIdBytes = frame.section('XIDS').length
  const fields = [...records.fields]
    .map(([field, count]) => ({ field: fieldText(field, names), ...count }))
    .sort((a, b) => b.bytes - a.bytes)
  return {
    content: {
      layer: 'documents',
      runs,
      blocks,
      storedBytes,
      recordBytes,
      /** Bytes of records per stored byte. */
      compression,
      longestRecordBytes,
      externalIdBytes,
      /** Top-level fields by bytes, the largest first. */
      fields,
    },
    facts: [
      ['runs of ids', { count: runs }],
      ['records', { bytes: recordBytes }, ', the longest ', { bytes: longestRecordBytes }],
      [
        'blocks',
        { count: blocks },
        ', ',
        { bytes: storedBytes },
        `: ${compression.toFixed(2)} × smaller`,
      ],
      ['external ids', { bytes: externalIdBytes }],
    ],
    tables: [
      {
        columns: ['field', 'documents', 'bytes'],
        rows: fields.map(({ field, documents, bytes }) => [field, documents, bytes]),
      },
    ],
  }
}

type FieldCount = { documents: number; bytes: number }

function countRecords(reader: DocumentsReader) {
  const counts = new Map<number, FieldCount>()
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
  return { recordBytes, longestRecordBytes, fields: counts }
}

/** Returns the table of blocks described in format/documents/DOCUMENTS.md. */
export function blocksTable(frame: Frame): LayerTable {
  const { blocks } = DocumentsReader.open(frame, decompress)
  const words = frame.section('BIDX').u32()
  const rows: number[][] = []
  for (let block = 0; block < blocks.count; block++) {
    const at = words[block * 4 + 2]!
    const stored = words[block * 4 + 6]! - at
    const before = words[block * 4 + 1]!
    const first = blocks.firstPosition(block)
    rows.push([block, at, stored, before, first, blocks.firstPosition(block + 1) - first])
  }
  const columns = ['block', 'offset', 'bytes', 'before', 'first', 'documents']
  return { title: 'BLKS: blocks, and their bytes before compression', columns, rows }
}
