// Describes a segment of the text layer: number of terms, lists by form, the longest lists, field
// lengths.
import { decoder } from '../../../format/bytes/index.ts'
import type { Frame } from '../../../format/frame/index.ts'
import { FstCursor, fstStats } from '../../../format/fst/index.ts'
import { TextReader } from '../../../format/postings/index.ts'
import { fieldText, type LayerDescription, type LayerTable } from './description.ts'

/** Number of longest lists that are shown. */
const LONGEST_MAX = 10
/** A list of up to this many documents is short: format/postings/POSTINGS.md, "A posting". */
const SHORT_LIST_DOCUMENTS_MAX = 128

type Names = readonly string[] | null

/** Reads the header of every posting. @throws CorruptionError, VersionError */
export function describeText(frame: Frame, names: Names): LayerDescription {
  const reader = TextReader.open(frame)
  const { small, large, longest } = countLists(reader)
  const dictionaryBytes = frame.section('TERM').length
  const { termCount: terms, occurrenceCount: occurrences, prefixCount } = reader
  const bytesPerOccurrence = frame.section('POST').length / Math.max(1, occurrences)
  const prefixes = { count: prefixCount, bytes: frame.section('PPST').length }
  const lengths = { bytes: frame.section('LENG').length, fields: fieldLengths(reader, names) }
  return {
    content: {
      layer: 'text',
      terms,
      dictionaryBytes,
      occurrences,
      bytesPerOccurrence,
      postings: { small, large },
      prefixes,
      lengths,
      /** The terms with the most documents. */
      longest,
    },
    facts: [
      ['terms', { count: terms }, ', dictionary ', { bytes: dictionaryBytes }],
      ['occurrences', { count: occurrences }, `, ${bytesPerOccurrence.toFixed(2)} bytes each`],
      ['short lists', { count: small.terms }, ', ', { bytes: small.bytes }],
      ['long lists', { count: large.terms }, ', ', { bytes: large.bytes }],
      ['stored prefixes', { count: prefixes.count }, ', ', { bytes: prefixes.bytes }],
      ['field lengths', { bytes: lengths.bytes }],
    ],
    tables: [
      {
        columns: ['longest lists', 'documents', 'bytes'],
        rows: longest.map(({ term, documents, bytes }) => [term, documents, bytes]),
      },
      {
        columns: ['field', 'documents', 'words'],
        rows: lengths.fields.map(({ field, documents, words }) => [field, documents, words]),
      },
    ],
  }
}

function countLists(reader: TextReader) {
  const small = { terms: 0, bytes: 0 }
  const large = { terms: 0, bytes: 0 }
  const longest: { term: string; documents: number; bytes: number }[] = []
  const cursor = new FstCursor(reader.fst)
  while (cursor.next()) {
    const documents = reader.documentFrequency(cursor.ordinal)
    const bytes = reader.postingBytes(cursor.ordinal)
    const lists = documents <= SHORT_LIST_DOCUMENTS_MAX ? small : large
    lists.terms++
    lists.bytes += bytes
    if (longest.length === LONGEST_MAX && documents <= longest[LONGEST_MAX - 1]!.documents) continue
    const term = decoder.decode(cursor.bytes.subarray(0, cursor.length))
    longest.push({ term, documents, bytes })
    longest.sort((a, b) => b.documents - a.documents)
    if (longest.length > LONGEST_MAX) longest.pop()
  }
  return { small, large, longest }
}

const fieldLengths = ({ lengths }: TextReader, names: Names) =>
  lengths.fields.map((field) => {
    const all = lengths.all(field).lengths
    const words = all.reduce((sum, length) => sum + length, 0)
    return { field: fieldText(field, names), documents: all.length, words }
  })

export function textTables(frame: Frame, names: Names): readonly LayerTable[] {
  const reader = TextReader.open(frame)
  return [
    {
      title: 'TERM: the dictionary',
      columns: ['what', 'count'],
      rows: Object.entries(fstStats(reader.fst)),
    },
    {
      title: 'LENG: field lengths',
      columns: ['field', 'documents', 'words'],
      rows: fieldLengths(reader, names).map(({ field, documents, words }) => [
        field,
        documents,
        words,
      ]),
    },
  ]
}
