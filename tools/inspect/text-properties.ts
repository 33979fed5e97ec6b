// What is in a text segment, counted: terms, lists by kind, the longest of them, field lengths.
import type { Frame } from '../../format/frame/index.ts'
import { FstCursor } from '../../format/fst/index.ts'
import type { TextReader } from '../../format/postings/index.ts'
import { fieldText } from './segment-layout.ts'

/** Lists of terms shown by name. */
const LONGEST_MAX = 10
/** Up to so many documents a list is short: format/postings/POSTINGS.md, "A posting". */
const SHORT_LIST_DOCUMENTS_MAX = 128

type Lists = { readonly terms: number; readonly bytes: number }

export type TextProperties = {
  readonly layer: 'text'
  readonly terms: number
  readonly dictionaryBytes: number
  readonly occurrences: number
  readonly bytesPerOccurrence: number
  readonly postings: { readonly small: Lists; readonly large: Lists }
  readonly prefixes: { readonly count: number; readonly bytes: number }
  readonly lengths: {
    readonly bytes: number
    readonly fields: readonly {
      readonly field: string
      readonly documents: number
      readonly words: number
    }[]
  }
  /** Terms with the most documents. */
  readonly longest: readonly {
    readonly term: string
    readonly documents: number
    readonly bytes: number
  }[]
}

/** Reads the head of every posting. @throws CorruptionError */
export function textProperties(
  frame: Frame,
  reader: TextReader,
  fields: readonly string[] | null,
): TextProperties {
  const small = { terms: 0, bytes: 0 }
  const large = { terms: 0, bytes: 0 }
  const longest: { term: string; documents: number; bytes: number }[] = []
  const cursor = new FstCursor(reader.fst)
  const utf8 = new TextDecoder()
  while (cursor.next()) {
    const documents = reader.documentFrequency(cursor.ordinal)
    const bytes = reader.postingBytes(cursor.ordinal)
    const lists = documents <= SHORT_LIST_DOCUMENTS_MAX ? small : large
    lists.terms++
    lists.bytes += bytes
    if (longest.length === LONGEST_MAX && documents <= longest[LONGEST_MAX - 1]!.documents) continue
    const term = utf8.decode(cursor.bytes.subarray(0, cursor.length))
    longest.push({ term, documents, bytes })
    longest.sort((a, b) => b.documents - a.documents)
    if (longest.length > LONGEST_MAX) longest.pop()
  }
  return {
    layer: 'text',
    terms: reader.termCount,
    dictionaryBytes: frame.section('TERM').length,
    occurrences: reader.occurrenceCount,
    bytesPerOccurrence: frame.section('POST').length / Math.max(1, reader.occurrenceCount),
    postings: { small, large },
    prefixes: { count: reader.prefixCount, bytes: frame.section('PPST').length },
    lengths: {
      bytes: frame.section('LENG').length,
      fields: reader.lengths.fields.map((field) => {
        const { lengths } = reader.lengths.all(field)
        const words = lengths.reduce((sum, length) => sum + length, 0)
        return { field: fieldText(field, fields), documents: lengths.length, words }
      }),
    },
    longest,
  }
}
