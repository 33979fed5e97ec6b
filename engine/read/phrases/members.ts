// The documents of phrases.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import { type TextIndex, wordsIn } from '../segment-text/index.ts'
import { cachedMembers } from './cached-members.ts'
import { type PhrasePart, type Places, placesInRow, placesSharingField } from './places.ts'

export type PhraseQuery = {
  readonly parts: readonly PhrasePart[]
  /** Ascending; null for all. */
  readonly fields: readonly number[] | null
  /** True if positions count; otherwise sharing a field suffices. */
  readonly byWord: boolean
}

/** Returns the documents of `among`, which have all words, in which the phrase stands in a field. */
export function phraseMembers(index: TextIndex, query: PhraseQuery, among: IdSet): IdSet {
  const { byWord, fields } = query
  const find = byWord ? placesInRow : placesSharingField
  const [members] = cachedMembers(index, keyOf(query), 1, among, (own, ids) => {
    const parts =
      own === index
        ? query.parts
        : mapped(query.parts, (part) => ({ ...part, words: wordsIn(own, part.words) }))
    return [IdSet.ofSorted(find(own, parts, fields, ids).ids)]
  })
  return members!
}

/**
 * Returns the places of a phrase in ascending `ids`, with the documents that have some: one place,
 * anywhere in its field, for each time that the phrase occurs there.
 */
export const phrasePlaces = (
  index: TextIndex,
  { byWord, fields, parts }: PhraseQuery,
  ids: Uint32Array,
): Places => (byWord ? placesInRow : placesSharingField)(index, parts, fields, ids)

const keyOf = ({ byWord, fields, parts }: PhraseQuery): string =>
  [
    byWord ? 'r' : 's',
    fields?.join() ?? '',
    ...mapped(parts, ({ isBehindBreak, prefix, words }) =>
      [isBehindBreak ? ',' : '', prefix ?? '', ...mapped(words, ({ text }) => text)].join('\u0000'),
    ),
  ].join('\u0004')
