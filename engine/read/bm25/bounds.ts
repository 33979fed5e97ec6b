// The bounds of the words of a search in large segments, cached by the thread. They hold for
// averages that are a little smaller as well, so that they stay valid while documents are added.
import type { FieldId } from '../../../format/ids.ts'
import type { TermSpace } from '../query-graph/index.ts'
import { segmentKey, THREAD_BUDGET } from '../segment-text/index.ts'
import type { Bounded } from './contenders.ts'
import { Frequencies, type Parameters, saturated } from './frequencies.ts'
import { ImpactCache } from './impact-cache.ts'
import { Impacts, LEVELS } from './impacts.ts'
import type { QueryWord } from './query-words.ts'
import { averageOf, type Statistics } from './statistics.ts'

/** Averages between two steps have the same bounds. */
const STEP = 1.005
/** How many times larger a bound may be because of that. */
export const SLACK = STEP

/** Shared by all segments of this thread. */
const THREAD_IMPACTS = new ImpactCache()
THREAD_BUDGET.add('bounds', THREAD_IMPACTS)

/** A word of the query with its idf. */
export type Weighted = QueryWord & { readonly idf: number }

export class WordBounds {
  readonly #space: TermSpace
  readonly #parameters: Parameters
  readonly #statistics: Statistics
  readonly #frequencies: Frequencies

  constructor(space: TermSpace, parameters: Parameters, statistics: Statistics) {
    this.#space = space
    this.#parameters = parameters
    this.#statistics = statistics
    THREAD_IMPACTS.makeRoomFor(space.index.idEnd)
    // Occurrences in longer fields count less, and a larger average makes all fields shorter.
    this.#frequencies = new Frequencies(space, parameters, {
      documents: 1,
      wordsOf: (field) => STEP ** this.#stepOf(field),
      frequencies: null,
    })
  }

  /** Returns the bounds of a word in a large segment, or null if no live document there has it. */
  of(word: Weighted, segment: number): Bounded | null {
    const { index } = this.#space
    const dead = index.segments[segment]!.dead?.size ?? 0
    const key = this.#keyOf(word, segment)
    const known = THREAD_IMPACTS.get(key)
    let impacts = known
    // A search of an older view needs documents that have died since.
    if (impacts === null || impacts.deadMax > dead) {
      const docs = word.docs.and(index.liveIn(segment))
      if (docs.isEmpty) return null
      impacts = new Impacts(docs.toArray())
      if (known === null) {
        THREAD_IMPACTS.add(key, impacts)
        THREAD_BUDGET.fit()
      }
    }
    impacts.deadMax = dead
    return { idf: word.idf, impacts, levelsOf: (ids) => this.#levelsOf(word, ids) }
  }

  #levelsOf(word: QueryWord, ids: Uint32Array): Uint8Array {
    const found = new Float64Array(ids.length)
    this.#frequencies.add(word, ids, found)
    const { k1 } = this.#parameters
    const levels = new Uint8Array(ids.length)
    for (let i = 0; i < ids.length; i++) levels[i] = Math.ceil(saturated(found[i]!, k1) * LEVELS)
    return levels
  }

  /** Everything on which the bounds depend. */
  #keyOf({ matches }: QueryWord, segment: number): string {
    const { index, rules } = this.#space
    const { b, k1, weightOf } = this.#parameters
    const fields = new Set<FieldId>()
    let key = `${segmentKey(index.segments[segment]!.reader)}${k1},${b}`
    for (const match of matches) {
      const { factor, phrase, prefix, scope, words } = match
      key += `;${factor},${scope.fields?.join() ?? '*'}:`
      for (const { ordinals, within } of words) {
        if (ordinals[segment]! >= 0) key += `${ordinals[segment]},`
        if (within !== null) key += `\u0001${within}\u0000`
      }
      if (prefix !== null) key += `\u0002${prefix}`
      if (phrase !== null) {
        key += `\u0003${phrase.key}\u0000${rules.hasStopWords}${rules.pairsByWord}`
      }
      for (const field of this.#frequencies.fieldsOf(match)) fields.add(field)
    }
    for (const field of fields) key += `;${field}:${weightOf(field)},${this.#stepOf(field)}`
    return key
  }

  /** Returns the number of the step that is not below the average length of a field. */
  #stepOf(field: FieldId): number {
    return Math.ceil(Math.log(averageOf(field, this.#statistics)) / Math.log(STEP))
  }
}
