// Suggests completions of what is typed (docs/suggestions.md).
//
//   checks (request, then index) → documents (filter) → words and titles → best ones → JSON
import { BRACKET, BRACKET_END, COMMA, compareText } from '../../../format/bytes/index.ts'
import type { SuggestRequest } from '../../model/index.ts'
import { normalizeWhole } from '../../text/index.ts'
import { MemberWriter, searchBuffer, takeAnswer, writeText, writeValue } from '../answers/index.ts'
import {
  isBlank,
  type SearchableView,
  StepTimes,
  type SuggestJob,
  type Watch,
} from '../jobs/index.ts'
import { controlOf, type ForeignIndexes, filtered, readFilter } from '../retrieval/index.ts'
import { TYPED_UNITS_MAX } from './limits.ts'
import { shownScope } from './shown-fields.ts'
import { titleSuggestions } from './titles.ts'
import { type Suggestion, Typed } from './typed.ts'
import { wordSuggestions } from './words.ts'

/**
 * Returns `{suggestions, query, processingTimeMs}` as JSON.
 * @throws EngineFault, StorageError, Canceled
 */
export function runSuggest(
  view: SearchableView,
  { features, request }: SuggestJob,
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  const control = controlOf(view, watch)
  const { uid } = view.ref
  const tree = readFilter(request.filter, 'suggest', uid, features, control)
  const named = view.search.scope(uid, request.attributes, 'invalid_suggest_attributes')
  const others = foreign?.filtersOf(view, control) ?? null
  const universe = filtered(view, tree, 'suggest', control, others)
  const { q, limit } = request
  if (isBlank(q) || q.length > TYPED_UNITS_MAX || limit === 0) return answer([], request, times)
  const typed = new Typed(view, request, shownScope(view, named), universe, control)
  const found = [...wordSuggestions(typed), ...titleSuggestions(typed, named !== null)]
  return answer(chosen(found.sort(bestFirst), typed), request, times)
}

const bestFirst = (a: Suggestion, b: Suggestion): number =>
  b.hits - a.hits || a.text.length - b.text.length || compareText(a.text, b.text)

/**
 * Returns the best suggestions, best first, each once, without the typed text itself. Titles have
 * fewer hits than words, so each source has half of the places, and those that the other leaves.
 */
function chosen(found: readonly Suggestion[], { limit, text }: Typed): readonly Suggestion[] {
  const seen = new Set([folded(text)])
  const once = found.filter((suggestion) => {
    const form = folded(suggestion.text)
    return !seen.has(form) && seen.add(form)
  })
  const titles = once.filter(({ source }) => source === 'titles')
  const words = once.filter(({ source }) => source === 'words')
  const titlesMax = Math.max(Math.floor(limit / 2), limit - words.length)
  const chosenTitles = titles.slice(0, titlesMax)
  return [...words.slice(0, limit - chosenTitles.length), ...chosenTitles].sort(bestFirst)
}

const folded = (text: string): string => normalizeWhole(text.trim(), null)

function answer(
  suggestions: readonly Suggestion[],
  { q, tags }: SuggestRequest,
  times: StepTimes,
): Uint8Array {
  const out = searchBuffer()
  const members = new MemberWriter(out)
  members.begin('suggestions').byte(BRACKET)
  suggestions.forEach(({ hits, source, text, typed }, i) => {
    if (i > 0) out.byte(COMMA)
    const suggestion = new MemberWriter(out)
    writeText(suggestion.begin('text'), text)
    if (tags !== null) {
      const marked = `${tags.pre}${text.slice(0, typed)}${tags.post}${text.slice(typed)}`
      writeText(suggestion.begin('highlighted'), marked)
    }
    writeValue(suggestion.begin('hits'), hits)
    writeText(suggestion.begin('source'), source)
    suggestion.end()
  })
  out.byte(BRACKET_END)
  writeText(members.begin('query'), q)
  members.value('processingTimeMs', times.elapsedMs())
  members.end()
  return takeAnswer(out)
}
