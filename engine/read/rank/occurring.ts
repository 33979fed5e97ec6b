// Splits documents by the cheapest place in which a term occurs in them. Rules that look at places
// (attributeRank, wordPosition) ask this for few documents, and sets stored in the index for many.
import { IdSet } from '../../../format/idset/index.ts'
import type { Alternatives, Phrase, TermSpace } from '../query/index.ts'
import type { LocalOccurrences, Word } from '../segments/index.ts'

/** Up to this many documents, reading their occurrences is quicker than uniting stored sets. */
export const LOCAL_DOCUMENTS_MAX = 1024

/** The cost of an occurrence, given as `field << 16 | position`; Infinity: does not count. */
export type CostOf = (packed: number) => number

/** Documents of `universe` by the least cost of an occurrence of the term; ascending costs. */
export function costsByDocument(
  space: TermSpace,
  term: Alternatives,
  universe: IdSet,
  costOf: CostOf,
): Map<number, IdSet> {
  const ids = universe.toArray()
  const costs = new Float64Array(ids.length).fill(Number.POSITIVE_INFINITY)
  const words = [...term.original, ...term.derived]
  if (words.length > 0 || term.prefix !== null) {
    lower(costs, space.index.occurrences(words, term.prefix, ids), costOf, null)
  }
  for (const phrase of term.phrases) {
    const first = firstWord(space, phrase)
    if (first === null) continue
    const members = space.phraseDocs(phrase)
    const among = (d: number): boolean => members.has(ids[d]!)
    lower(costs, space.index.occurrences([first], null, ids), costOf, among)
  }
  return group(ids, costs)
}

function lower(
  costs: Float64Array,
  { starts, packed }: LocalOccurrences,
  costOf: CostOf,
  among: ((d: number) => boolean) | null,
): void {
  for (let d = 0; d < costs.length; d++) {
    const to = starts[d + 1]!
    if (starts[d] === to || (among !== null && !among(d))) continue
    let least = costs[d]!
    for (let i = starts[d]!; i < to; i++) {
      const cost = costOf(packed[i]!)
      if (cost < least) least = cost
    }
    costs[d] = least
  }
}

/** Ascending ids by their value in `costs`; infinite ones are left out. */
function group(ids: Uint32Array, costs: Float64Array): Map<number, IdSet> {
  const groups = new Map<number, number[]>()
  for (let d = 0; d < ids.length; d++) {
    const cost = costs[d]!
    if (cost === Number.POSITIVE_INFINITY) continue
    const members = groups.get(cost)
    if (members === undefined) groups.set(cost, [ids[d]!])
    else members.push(ids[d]!)
  }
  const order = [...groups.keys()].sort((a, b) => a - b)
  const sets = new Map<number, IdSet>()
  for (const cost of order) sets.set(cost, IdSet.ofSorted(Uint32Array.from(groups.get(cost)!)))
  return sets
}

/** The first word of a phrase that is not a hole, when the index has it. */
export function firstWord(space: TermSpace, phrase: Phrase): Word | null {
  const text = phrase.words.find((word) => word !== null)
  return text === undefined || text === null ? null : space.index.word(text)
}
