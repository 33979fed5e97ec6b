// The numbers of a whole index that scores need: how many documents there are, how long the fields
// are, and how many documents have each word of the query.
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { SearchStatistics } from '../../model/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { QueryGraph, TermSpace } from '../query-graph/index.ts'
import type { TextIndex } from '../segment-text/index.ts'
import { queryWordsOf, TYPOS } from './query-words.ts'

export type Statistics = {
  readonly documents: number
  /** Returns the number of words in a field of all documents. */
  readonly wordsOf: (field: FieldId) => number
  /** As of `SearchStatistics`; null: those of the view. */
  readonly frequencies: readonly (readonly number[])[] | null
}

/** Returns the average length of a field; 1 if none has words. */
export const averageOf = (field: FieldId, { documents, wordsOf }: Statistics): number =>
  wordsOf(field) / documents || 1

/** `documents`: live documents of the index. */
export const statisticsOf = (index: TextIndex, documents: number): Statistics => ({
  documents,
  wordsOf: (field) => index.wordsInField(field),
  frequencies: null,
})

/** Returns the statistics of a whole network. `names`: of the fields of this instance, by id. */
export const statisticsFrom = (
  { documents, words, frequencies }: SearchStatistics,
  names: readonly string[],
): Statistics => {
  const byField = new Map(Object.entries(words))
  return { documents, wordsOf: (field) => byField.get(names[field]!) ?? 0, frequencies }
}

/** Counts the part of some live documents in the statistics of a network. */
export function countStatistics(
  graph: QueryGraph,
  space: TermSpace,
  among: IdSet,
  { fields, names }: { readonly fields: readonly FieldId[]; readonly names: readonly string[] },
): SearchStatistics {
  const { index } = space
  const words = mapped(fields, (field) => [names[field]!, wordsAmong(index, field, among)] as const)
  return {
    documents: among.size,
    words: Object.fromEntries(words.filter(([, count]) => count > 0)),
    frequencies: mapped(queryWordsOf(graph), ({ docsWithin }) =>
      mapped(TYPOS, (typos) => docsWithin(typos).andSize(among)),
    ),
  }
}

/** Sums by set of documents, which stays the same object while a view lives. */
const sums = new WeakMap<TextIndex, WeakMap<IdSet, Map<FieldId, number>>>()

function wordsAmong(index: TextIndex, field: FieldId, among: IdSet): number {
  let bySet = sums.get(index)
  if (bySet === undefined) sums.set(index, (bySet = new WeakMap()))
  let byField = bySet.get(among)
  if (byField === undefined) bySet.set(among, (byField = new Map()))
  let words = byField.get(field)
  if (words === undefined) {
    const ids = among.toArray()
    const lengths = new Uint16Array(ids.length)
    index.fieldLengths(field, ids, lengths)
    words = 0
    for (let i = 0; i < lengths.length; i++) words += lengths[i]!
    byField.set(field, words)
  }
  return words
}
