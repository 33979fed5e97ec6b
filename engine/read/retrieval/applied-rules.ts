// Decides which search rules apply to a search (docs/search-semantics.md#search-rules): the stored
// ones, and the one that came with the search.
import type {
  Features,
  InlineRuleOutcomes,
  RuleConditions,
  SearchRequest,
} from '../../model/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import type { FilterTree } from '../filter-syntax/index.ts'
import {
  type AppliedRule,
  compareRules,
  hasActions,
  QUERY_WORDS_MAX,
  type SearchRule,
} from '../search-rules/index.ts'
import { missingValue } from './required-values.ts'

/** The request that conditions are compared with; `tree`: its parsed filter. */
type Conditional = {
  readonly request: Pick<SearchRequest, 'q' | 'inlineRule'>
  readonly tree: FilterTree | null
}

const NO_RULES: readonly AppliedRule[] = []

/** Returns the rules that apply, in their order. `stored`: active rules in their order. */
export function appliedRules(
  stored: readonly SearchRule[],
  { request, tree }: Conditional,
  features: Features,
): readonly AppliedRule[] {
  const { inlineRule: inline } = request
  if ((stored.length === 0 && inline === null) || !features.dynamicSearchRules) return NO_RULES
  const rules = inline === null ? stored : withInline(stored, inline)
  const subject = new Subject(request.q ?? '', tree)
  return rules.filter(({ conditions }) => subject.satisfies(conditions))
}

/** The sent rule takes the place of a stored one with its uid. */
function withInline(
  stored: readonly SearchRule[],
  inline: NonNullable<SearchRequest['inlineRule']>,
): readonly AppliedRule[] {
  const others: AppliedRule[] = stored.filter(({ uid }) => uid !== inline.uid)
  return inline.active && hasActions(inline) ? [...others, inline].sort(compareRules) : others
}

/** Returns the outcome of each condition of the sent rule, or null if none was sent. */
export function inlineRuleOutcomes({ request, tree }: Conditional): InlineRuleOutcomes | null {
  const { inlineRule } = request
  if (inlineRule === null) return null
  const outcomes = new Subject(request.q ?? '', tree).outcomes(inlineRule.conditions)
  return { satisfiesActiveCondition: inlineRule.active, ...outcomes }
}

type Outcomes = Omit<InlineRuleOutcomes, 'satisfiesActiveCondition'>

/** The query and the filter that conditions are compared with. */
class Subject {
  readonly #q: string
  readonly #tree: FilterTree | null
  #words: ReadonlySet<string> | null = null

  constructor(q: string, tree: FilterTree | null) {
    this.#q = q
    this.#tree = tree
  }

  satisfies(conditions: RuleConditions): boolean {
    const { time, query, filter } = conditions
    return (
      (time === undefined || timeOutcome(time) === 'satisfied') &&
      (query?.isEmpty === undefined || this.#isEmpty(query.isEmpty) === 'satisfied') &&
      (query?.words === undefined || this.#missingWord(query.words) === null) &&
      (filter === undefined || missingValue(this.#tree, filter.values) === null)
    )
  }

  outcomes({ time, query, filter }: RuleConditions): Outcomes {
    return {
      ...(time === undefined ? {} : { satisfiesTimeCondition: timeOutcome(time) }),
      ...(query?.isEmpty === undefined
        ? {}
        : { satisfiesQueryEmptyCondition: this.#isEmpty(query.isEmpty) }),
      ...(query?.words === undefined
        ? {}
        : { satisfiesQueryWordsCondition: wordOutcome(this.#missingWord(query.words)) }),
      ...(filter === undefined
        ? {}
        : { satisfiesFilterCondition: facetOutcome(missingValue(this.#tree, filter.values)) }),
    }
  }

  #isEmpty(wanted: boolean): NonNullable<Outcomes['satisfiesQueryEmptyCondition']> {
    if (wanted === (this.#q.trim() === '')) return 'satisfied'
    return wanted ? 'queryNotEmpty' : 'queryEmpty'
  }

  /** Returns the first word that the query lacks, or null; a condition without words never holds. */
  #missingWord(words: string): string | null {
    this.#words ??= new Set(wordsOf(this.#q).slice(0, QUERY_WORDS_MAX))
    const wanted = wordsOf(words)
    if (wanted.length === 0) return words
    return wanted.find((word) => this.#words?.has(word) !== true) ?? null
  }
}

function timeOutcome({
  start,
  end,
}: NonNullable<RuleConditions['time']>): NonNullable<Outcomes['satisfiesTimeCondition']> {
  const now = Date.now()
  if (start !== undefined && now < Date.parse(start)) return 'tooEarly'
  return end !== undefined && now > Date.parse(end) ? 'tooLate' : 'satisfied'
}

const wordOutcome = (word: string | null) =>
  word === null ? 'satisfied' : { missingWord: { word } }

const facetOutcome = (facet: string | null) =>
  facet === null ? 'satisfied' : { missingFacet: { facet } }

const wordsOf = (text: string): readonly string[] =>
  normalizeFacet(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
