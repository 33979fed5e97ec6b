// Finds the documents in which an element of a list equals given words, or begins with them.
// Positions say it: behind the last word of an element stands its end (`ELEMENT_END`), and
// WIDE_STEP behind its last word begins the next one.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import { ELEMENT_END, WIDE_STEP } from '../../text/index.ts'
import { type LocalOccurrences, scopeOf, type TextIndex, type Word } from '../segment-text/index.ts'
import { cachedMembers } from './cached-members.ts'

/** A word, and how many positions behind the beginning of an element it stands. */
export type ElementWord = { readonly word: Word; readonly position: number }

export type ElementMembers = { readonly equal: IdSet; readonly begun: IdSet }

const NO_MEMBERS: ElementMembers = { equal: IdSet.empty, begun: IdSet.empty }
/** From the end of an element to the beginning of the next one. */
const END_TO_NEXT = WIDE_STEP - 1
const POSITION_MAX = 0xffff

/**
 * Returns the documents of `among` in which an element of a list in one of `fields` equals the
 * words, and those in which one begins with them. `words`: at least one, by ascending position.
 */
export function elementMembers(
  index: TextIndex,
  words: readonly ElementWord[],
  fields: readonly number[],
  among: IdSet,
): ElementMembers {
  const end = index.word(ELEMENT_END)
  const withLists = end === null ? new Set() : index.fieldsOf([end])
  const searched = fields.filter((field) => withLists.has(field))
  if (end === null || searched.length === 0) return NO_MEMBERS
  const scope = scopeOf(searched)
  let candidates = among.and(index.docs(end, scope))
  for (const { word } of words) {
    if (candidates.isEmpty) return NO_MEMBERS
    candidates = candidates.and(index.docs(word, scope))
  }
  const searchedFields = new Set(searched)
  const [equal, begun] = cachedMembers(index, keyOf(words, searched), 2, candidates, (own, ids) =>
    read(own, words, searchedFields, ids),
  )
  return { equal: equal!, begun: begun! }
}

const keyOf = (words: readonly ElementWord[], fields: readonly number[]): string =>
  ['e', fields.join(), ...mapped(words, ({ word, position }) => `${position} ${word.text}`)].join(
    '\u0004',
  )

/** Returns the documents of ascending `ids` with an equal element, and with a begun one. */
function read(
  index: TextIndex,
  words: readonly ElementWord[],
  fields: ReadonlySet<number>,
  ids: Uint32Array,
): readonly [equal: IdSet, begun: IdSet] {
  const placesOf = (text: string): LocalOccurrences | null => {
    const word = index.word(text)
    return word === null ? null : index.occurrences([word], null, ids)
  }
  const ends = placesOf(ELEMENT_END)
  const equal: number[] = []
  const begun: number[] = []
  const places = mapped(words, ({ word }) => placesOf(word.text))
  if (ends === null || places.includes(null)) return [IdSet.empty, IdSet.empty]
  const rows = places as readonly LocalOccurrences[]
  const { starts, packed } = rows[0]!
  const first = words[0]!.position
  const length = words.at(-1)!.position + 1
  for (let d = 0; d < ids.length; d++) {
    let isBegun = false
    let isEqual = false
    for (let i = starts[d]!; i < starts[d + 1]! && !isEqual; i++) {
      const place = packed[i]! - first
      const position = (packed[i]! & POSITION_MAX) - first
      if (position < 0 || position + length > POSITION_MAX || !fields.has(place >>> 16)) continue
      const isStart =
        position === 0 || (position > END_TO_NEXT && has(ends, d, place - END_TO_NEXT))
      const end = isStart ? placeFrom(ends, d, place) : -1
      if (end < place + length || end >>> 16 !== place >>> 16) continue
      if (!words.every((one, w) => has(rows[w]!, d, place + one.position))) continue
      isBegun = true
      isEqual = end === place + length
    }
    if (isBegun) begun.push(ids[d]!)
    if (isEqual) equal.push(ids[d]!)
  }
  return [IdSet.of(equal), IdSet.of(begun)]
}

/** Returns true if document number `d` has an occurrence at `place`. */
const has = (found: LocalOccurrences, d: number, place: number): boolean =>
  placeFrom(found, d, place) === place

/** Returns the first occurrence of document number `d` from `place` on, or -1. */
function placeFrom({ starts, packed }: LocalOccurrences, d: number, place: number): number {
  const to = starts[d + 1]!
  let low = starts[d]!
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (packed[middle]! < place) low = middle + 1
    else high = middle
  }
  return low < to ? packed[low]! : -1
}
