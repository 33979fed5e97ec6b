// Checks that the hits of two searches can be merged into one order
// (docs/search-semantics.md#several-searches-in-one-list). Each search has a list of slots:
// relevancy, ascending sort, descending sort. The slots of two searches have to agree up to the
// length of the shorter list.
//
// The list is derived from the ranking rules; messages say which rules were removed or added, and
// where.

import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault, type SearchRequest } from '../../model/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { rankingRuleOf } from '../../settings/values/index.ts'
import type { SortTree } from '../filter/index.ts'
import { isBlank } from '../jobs/index.ts'

type SlotKind = 'relevancy' | 'asc' | 'desc' | 'geo asc' | 'geo desc'

type Slot = {
  readonly kind: SlotKind
  /** The rule and its origin, for messages. */
  readonly text: string
}

export type RuleSlots = {
  /** Position of the search in the request. */
  readonly at: number
  readonly slots: readonly Slot[]
  /** Changes made to the ranking rules, in order. */
  readonly notes: readonly string[]
}

/** Returns the slots of the search at position `at`; `sort` is its parsed sort. */
export function ruleSlots(
  at: number,
  indexUid: IndexUid,
  { rankingRules }: IndexSettings,
  request: SearchRequest,
  sort: SortTree,
): RuleSlots {
  return new SlotList(at, indexUid, request, sort).read(rankingRules)
}

/**
 * Returns the list to compare further searches with: the longer one, or the later one if both have
 * the same length. @throws EngineFault
 */
export function requireComparable(a: RuleSlots, b: RuleSlots): RuleSlots {
  const shared = Math.min(a.slots.length, b.slots.length)
  for (let i = 0; i < shared; i++) {
    const [left, right] = [a.slots[i]!, b.slots[i]!]
    if (left.kind !== right.kind) throw incomparable(a, b, left, right)
  }
  return b.slots.length >= a.slots.length ? b : a
}

class SlotList {
  readonly #at: number
  readonly #indexUid: IndexUid
  readonly #q: string | null
  readonly #sort: SortTree
  readonly #slots: Slot[] = []
  readonly #notes: string[] = []
  /** Built-in rules and sorted fields read so far. */
  readonly #seen = new Set<string>()
  /** The current run of relevancy rules, and the number of rules kept before it. */
  #relevancy: string[] = []
  #ruleCount = 0

  constructor(at: number, indexUid: IndexUid, { q }: SearchRequest, sort: SortTree) {
    this.#at = at
    this.#indexUid = indexUid
    this.#q = q
    this.#sort = sort
  }

  read(rankingRules: readonly string[]): RuleSlots {
    rankingRules.forEach((rule, place) => {
      const parsed = rankingRuleOf(rule)
      if (parsed === null) return
      if (parsed.kind === 'field') this.#custom(rule, parsed.field, parsed.order, place)
      else if (parsed.name === 'sort') this.#requested(place)
      else this.#word(rule, place)
    })
    this.#closeRelevancy()
    return { at: this.#at, slots: this.#slots, notes: this.#notes }
  }

  #word(rule: string, place: number): void {
    if (isBlank(this.#q)) {
      this.#note(
        `  Removed relevancy rule \`${rule}\` at position #${place} in ranking rules because ` +
          `the query is a placeholder search (\`q\`: ${JSON.stringify(this.#q ?? '')})`,
      )
      return
    }
    if (rule !== 'words' && !this.#seen.has('words')) {
      this.#note(' Added rule `words` in front of the first relevancy rule')
      this.#keepWord('words')
    }
    if (this.#isRepeated(rule, rule, place)) return
    this.#keepWord(rule)
  }

  #keepWord(rule: string): void {
    this.#seen.add(rule)
    this.#relevancy.push(rule)
    this.#ruleCount++
  }

  #requested(place: number): void {
    if (this.#sort.length === 0) {
      this.#note(
        ` Removed rule \`sort\` at position #${place} in ranking rules because ` +
          '`query.sort` is empty',
      )
      return
    }
    if (this.#isRepeated('sort', 'sort', place)) return
    this.#closeRelevancy()
    this.#sort.forEach((key, i) => {
      const origin = `\`queries[${this.#at}].sort[${i}]\`, ${this.#rules(this.#ruleCount)}`
      const way = key.direction === 'asc' ? 'ascending' : 'descending'
      if (key.kind === 'geo') {
        const text = `${origin}: ${way} geo sort rule(s) default`
        this.#slots.push({ kind: `geo ${key.direction}`, text })
      } else if (!this.#seen.has(fieldKey(key.field))) {
        this.#seen.add(fieldKey(key.field))
        const text = `${origin}: ${way} sort rule(s) on field \`${key.field}\``
        this.#slots.push({ kind: key.direction, text })
      }
    })
    this.#ruleCount++
  }

  #custom(rule: string, field: string, order: 'asc' | 'desc', place: number): void {
    if (this.#isRepeated(fieldKey(field), rule, place)) return
    this.#closeRelevancy()
    const way = order === 'asc' ? 'ascending' : 'descending'
    const origin = `\`queries[${this.#at}]\`, ${this.#rules(this.#ruleCount)}`
    this.#slots.push({ kind: order, text: `${origin}: ${way} sort rule(s) ${rule}` })
    this.#ruleCount++
  }

  #closeRelevancy(): void {
    const rules = this.#relevancy
    if (rules.length === 0) return
    const first = this.#ruleCount - rules.length
    const origin = `\`queries[${this.#at}]\`, ${this.#rules(first, this.#ruleCount - 1)}`
    const text = `${origin}: relevancy rule(s) ${rules.join(', ')}`
    this.#slots.push({ kind: 'relevancy', text })
    this.#relevancy = []
  }

  #isRepeated(key: string, rule: string, place: number): boolean {
    if (!this.#seen.has(key)) {
      this.#seen.add(key)
      return false
    }
    this.#note(` Removed repeated rule \`${rule}\` at position #${place} in ranking rules`)
    return true
  }

  /** The name of a range of rules, numbered after the removals. */
  #rules(first: number, last: number = first): string {
    const range = first === last ? String(first) : `${first}..=${last}`
    return `\`${this.#indexUid}.rankingRules[${range}]\``
  }

  /** `text` begins with the blanks that precede its number. */
  #note(text: string): void {
    const words = text.trimStart()
    const blanks = ' '.repeat(text.length - words.length)
    this.#notes.push(`  ${blanks}${this.#notes.length + 1}. ${words}`)
  }
}

const fieldKey = (field: string): string => `field ${field}`

function incomparable(a: RuleSlots, b: RuleSlots, left: Slot, right: Slot): EngineFault {
  const lines = [
    `The results of queries #${a.at} and #${b.at} are incompatible: `,
    `  1. ${left.text}`,
    `  2. ${right.text}`,
    `  - ${reason(left.kind, right.kind)}`,
    ...notesOf(a),
    ...notesOf(b),
    '',
  ]
  return new EngineFault('invalid_multi_search_query_ranking_rules', lines.join('\n'))
}

function reason(left: SlotKind, right: SlotKind): string {
  const kinds = [familyOf(left), familyOf(right)]
  const [first, second] = FAMILIES.filter((family) => kinds.includes(family))
  return second === undefined
    ? `cannot compare two ${first} rules in opposite directions`
    : `cannot compare a ${first} rule with a ${second} rule`
}

const FAMILIES = ['relevancy', 'sort', 'geosort'] as const

const familyOf = (kind: SlotKind): (typeof FAMILIES)[number] =>
  kind === 'relevancy' ? 'relevancy' : kind.startsWith('geo') ? 'geosort' : 'sort'

const notesOf = ({ at, notes }: RuleSlots): readonly string[] =>
  notes.length === 0
    ? []
    : [
        `  - note: The ranking rules of query #${at} were modified during canonicalization:`,
        ...notes,
      ]
