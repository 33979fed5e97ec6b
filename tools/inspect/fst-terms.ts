// `svc-tools fst dump`, `fst grep` and `fst dot`: the terms of a text segment, with their ordinals
// and their numbers of documents.

import { textLayer } from '../../engine/inspect.ts'
import { decoder, encoder } from '../../format/bytes/index.ts'
import {
  buildFst,
  Fst,
  FstCursor,
  FUZZY_QUERY_BYTES_MAX,
  FuzzyCursor,
  fstDot,
} from '../../format/fst/index.ts'
import { TextReader } from '../../format/postings/index.ts'
import { countOf, countText, shorten, ToolError, table } from '../terminal/index.ts'
import { frameOf, layerOf, openSegment, type SegmentChoice } from './segment-source.ts'

type TermRow = {
  readonly ordinal: number
  readonly term: string
  /** Including dead documents. */
  readonly documents: number
  readonly postingBytes: number
  /** Distance from the word of the query; null without one. */
  readonly distance: number | null
}

export type TermList = {
  readonly segment: string
  /** Number of terms in the segment. */
  readonly terms: number
  readonly shown: readonly TermRow[]
  /** True if more terms match. */
  readonly isCut: boolean
}

export type TermLimits = {
  /** Number of terms to list at most; 0 lists all. */
  readonly limit: number
}

const TERM_COLUMNS_MAX = 60

/**
 * Returns the terms that begin with `prefix`, in byte order. @throws ToolError, StorageError,
 * CorruptionError
 */
export function fstDump(
  choice: SegmentChoice,
  options: TermLimits & { readonly prefix: string },
): TermList {
  const { label, reader } = openText(choice)
  const cursor = new FstCursor(reader.fst)
  cursor.seekPrefix(encoder.encode(options.prefix))
  const next = (): Match | null => (cursor.next() ? { ...matchOf(cursor), distance: null } : null)
  return listOf(label, reader, options, next)
}

/**
 * Returns the terms that match a pattern: `~word` means at most one edit, `~~word` two, a trailing
 * `*` matches a prefix within that distance; any other pattern is a regular expression.
 * @throws ToolError, StorageError, CorruptionError
 */
export function fstGrep(choice: SegmentChoice, pattern: string, options: TermLimits): TermList {
  const { label, reader } = openText(choice)
  const next = pattern.startsWith('~')
    ? nearTerms(reader.fst, pattern)
    : matchingTerms(reader.fst, pattern)
  return listOf(label, reader, options, next)
}

type Match = {
  readonly ordinal: number
  readonly term: string
  readonly distance: number | null
}

type Cursor = { readonly bytes: Uint8Array; readonly length: number; readonly ordinal: number }

const matchOf = (cursor: Cursor): Pick<Match, 'ordinal' | 'term'> => ({
  ordinal: cursor.ordinal,
  term: decoder.decode(cursor.bytes.subarray(0, cursor.length)),
})

function nearTerms(fst: Fst, pattern: string): () => Match | null {
  const maxDistance = pattern.startsWith('~~') ? 2 : 1
  const prefix = pattern.endsWith('*')
  const word = pattern.slice(maxDistance, prefix ? -1 : undefined)
  const length = encoder.encode(word).length
  if (length === 0 || length > FUZZY_QUERY_BYTES_MAX) {
    throw new ToolError(`~ must be followed by a word of 1 to ${FUZZY_QUERY_BYTES_MAX} bytes`)
  }
  const options = { maxDistance, prefix, otherFirstDistanceMax: maxDistance } as const
  const cursor = new FuzzyCursor(fst, word, options)
  return () => (cursor.next() ? { ...matchOf(cursor), distance: cursor.distance } : null)
}

function matchingTerms(fst: Fst, pattern: string): () => Match | null {
  const expression = regularExpression(pattern)
  const cursor = new FstCursor(fst)
  return () => {
    while (cursor.next()) {
      const match = matchOf(cursor)
      // Terms of stop words and of spellings begin with a control character.
      if (match.term >= ' ' && expression.test(match.term)) return { ...match, distance: null }
    }
    return null
  }
}

function regularExpression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch (error) {
    // A SyntaxError describes the fault of the expression.
    if (!(error instanceof SyntaxError)) throw error
    throw new ToolError(`${error.message}: quote the pattern for the shell, or use ~word`)
  }
}

function listOf(
  segment: string,
  reader: TextReader,
  { limit }: TermLimits,
  next: () => Match | null,
): TermList {
  const shown: TermRow[] = []
  let match = next()
  for (; match !== null && (limit === 0 || shown.length < limit); match = next()) {
    const { ordinal, term, distance } = match
    const documents = reader.documentFrequency(ordinal)
    shown.push({ ordinal, term, documents, postingBytes: reader.postingBytes(ordinal), distance })
  }
  return { segment, terms: reader.termCount, shown, isCut: match !== null }
}

/**
 * Returns a Graphviz graph of the first `limit` nodes of the dictionary; with a prefix, of a
 * dictionary built from the terms that have it. @throws ToolError, StorageError, CorruptionError
 */
export function fstGraph(
  choice: SegmentChoice,
  options: { readonly prefix: string; readonly limit: number },
): string {
  const { reader } = openText(choice)
  const { prefix, limit } = options
  if (prefix === '') return fstDot(reader.fst, limit)
  const cursor = new FstCursor(reader.fst)
  cursor.seekPrefix(encoder.encode(prefix))
  const terms: Uint8Array[] = []
  // Each term adds at least one node, its end, so further terms would not be visible.
  while (terms.length < limit * DOT_TERMS_PER_NODE && cursor.next()) {
    terms.push(cursor.bytes.slice(0, cursor.length))
  }
  return fstDot(new Fst(buildFst(terms)), limit)
}

/** Terms that share their endings need few nodes. */
const DOT_TERMS_PER_NODE = 100

function openText(choice: SegmentChoice): {
  readonly label: string
  readonly reader: TextReader
} {
  const source = openSegment(choice)
  if (layerOf(source) !== textLayer) {
    const advice = 'name a .text file, or the number of a text segment'
    throw new ToolError(`\`${source.label}\` has no dictionary: ${advice}`)
  }
  return { label: source.label, reader: TextReader.open(frameOf(source)) }
}

export function termListText({ segment, terms, shown, isCut }: TermList): string {
  const withDistance = shown.some(({ distance }) => distance !== null)
  const rows = shown.map((row) => [
    String(row.ordinal),
    shorten(row.term, TERM_COLUMNS_MAX),
    countText(row.documents),
    countText(row.postingBytes),
    ...(withDistance ? [String(row.distance)] : []),
  ])
  const right = (title: string) => ({ title, align: 'right' as const })
  const columns = [right('ordinal'), { title: 'term' }, right('documents'), right('bytes')]
  if (withDistance) columns.push(right('distance'))
  const rest = isCut ? '  … there are more: --limit 0 shows all\n' : ''
  return `${segment}: ${countText(shown.length)} of ${countOf(terms, 'term')}\n${table(columns, rows)}${rest}`
}
