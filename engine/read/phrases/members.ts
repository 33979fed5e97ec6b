// The documents of phrases. Results for a large segment are cached with it, in parts, like those of
// pairs of many documents.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import {
  type Found,
  inLarge,
  inSmall,
  partsOf,
  segmentIndex,
  type TextIndex,
  uniteLive,
  wordsIn,
} from '../segment-text/index.ts'
import { documentsInRow, documentsSharingField, type PhrasePart } from './places.ts'

/** Of fewer documents positions are read each time: some microseconds each. */
const CACHED_MIN = 64

export type PhraseQuery = {
  readonly parts: readonly PhrasePart[]
  /** Ascending; null for all. */
  readonly fields: readonly number[] | null
  /** True if positions count; otherwise sharing a field suffices. */
  readonly byWord: boolean
}

/** Returns the documents of `among`, which have all words, in which the phrase stands in a field. */
export function phraseMembers(index: TextIndex, query: PhraseQuery, among: IdSet): IdSet {
  if (among.size < CACHED_MIN) return read(index, query, among.toArray())
  const key = keyOf(query)
  const found: Found[] = []
  index.segments.forEach(({ reader, dead }, s) => {
    if (!index.isLarge(s)) return
    const sets = partsOf(reader, key, inLarge(index, s, among), (ids) => {
      const own = segmentIndex(reader)
      const parts = mapped(query.parts, (part) => ({ ...part, words: wordsIn(own, part.words) }))
      return [read(own, { ...query, parts }, ids)]
    })
    if (sets.length > 0) found.push({ set: sets[0]!, dead })
  })
  const few = inSmall(index, among)
  if (few.length > 0) found.push({ set: read(index, query, few), dead: null })
  return uniteLive(found).and(among)
}

function read(index: TextIndex, { byWord, fields, parts }: PhraseQuery, ids: Uint32Array): IdSet {
  const find = byWord ? documentsInRow : documentsSharingField
  return IdSet.ofSorted(find(index, parts, fields, ids))
}

const keyOf = ({ byWord, fields, parts }: PhraseQuery): string =>
  [
    byWord ? 'r' : 's',
    fields?.join() ?? '',
    ...mapped(parts, ({ isBehindBreak, prefix, words }) =>
      [isBehindBreak ? ',' : '', prefix ?? '', ...mapped(words, ({ text }) => text)].join('\u0000'),
    ),
  ].join('\u0004')
