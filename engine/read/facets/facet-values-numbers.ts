// The values that a facet search finds: texts (facet-values), and numbers whose text begins with the
// query, exactly and without typos. Numbers are shown as texts, like the keys of facets.
import {
  compareBytes,
  decoder,
  type ExactNumber,
  encoder,
  exactText,
} from '../../../format/bytes/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  type FacetValueHit,
  type FacetValueOptions,
  type NumberedSegment,
  searchFacetTexts,
} from './facet-values.ts'
import type { FacetValueQuery } from './facet-values-match.ts'
import { type FieldPart, MergedNumbers } from './merged-values.ts'
import { type CandidatePart, candidateParts } from './segments.ts'

type NumberHit = { readonly value: ExactNumber; readonly text: string; readonly count: number }

/** Numbers between two calls of `pause`: about 1 ms. */
const PAUSE_NUMBERS = 4096

/** Returns the first `limit` matching numbers in display order. */
function numberHits(
  parts: readonly CandidatePart[],
  fieldId: FieldId,
  { limit, order, pause, query }: FacetValueOptions,
): NumberHit[] {
  let hits: NumberHit[] = []
  const compare = order === 'count' ? moreFrequent : alphabetical
  const numbers = new MergedNumbers(fieldParts(parts, fieldId), Number.POSITIVE_INFINITY)
  for (let seen = 1; numbers.next(); seen++) {
    if (seen % PAUSE_NUMBERS === 0) pause()
    const text = exactText(numbers.value)
    if (!matches(text, query)) continue
    hits.push({ value: numbers.value, text, count: numbers.count })
    if (hits.length >= limit + PAUSE_NUMBERS) hits = hits.sort(compare).slice(0, limit)
  }
  return hits.sort(compare).slice(0, limit)
}

const fieldParts = (parts: readonly CandidatePart[], fieldId: FieldId): FieldPart[] =>
  parts.flatMap((part) => {
    const field = part.segment.reader.field(fieldId)
    return field === null ? [] : [{ part, field }]
  })

function matches(text: string, query: FacetValueQuery): boolean {
  if (query.kind === 'any') return true
  return query.kind === 'whole' ? text === query.text : text.startsWith(query.text)
}

const alphabetical = (a: NumberHit, b: NumberHit): number => (a.text < b.text ? -1 : 1)
const moreFrequent = (a: NumberHit, b: NumberHit): number => b.count - a.count || alphabetical(b, a)

/**
 * Returns the matching values in display order: by alphabet numbers come first. A number and a text
 * that look the same are one value. @throws CorruptionError, errors of `pause`
 */
export function searchFacetValues(
  segments: readonly NumberedSegment[],
  fieldId: FieldId,
  candidates: IdSet,
  options: FacetValueOptions,
): readonly FacetValueHit[] {
  const { limit, order } = options
  const texts = searchFacetTexts(segments, fieldId, candidates, options)
  if (limit === 0 || candidates.isEmpty) return texts
  const parts = candidateParts(segments, candidates)
  const numbers = numberHits(parts, fieldId, options)
  if (numbers.length === 0) return texts
  const byText = new Map(numbers.map((hit) => [hit.text, hit]))
  const others: FacetValueHit[] = []
  for (const hit of texts) {
    const same = byText.get(decoder.decode(hit.value))
    if (same === undefined) others.push(hit)
    else byText.set(same.text, { ...same, count: countOfBoth(parts, fieldId, same) })
  }
  const shown = [...byText.values()].map(({ count, text }) => ({
    value: encoder.encode(text),
    count,
  }))
  const all = [...shown, ...others]
  if (order === 'count') {
    all.sort((a, b) => b.count - a.count || compareBytes(b.value, a.value))
  }
  return all.slice(0, limit)
}

/** Returns the number of candidates with the number, or with its text. */
function countOfBoth(
  parts: readonly CandidatePart[],
  fieldId: FieldId,
  { text, value }: NumberHit,
): number {
  const key = encoder.encode(text)
  let count = 0
  for (const { segment, set } of parts) {
    const field = segment.reader.field(fieldId)
    if (field === null) continue
    const numbered = field.findNumber(value)
    const written = field.findString(key)
    const withNumber = numbered < 0 ? IdSet.empty : field.numberPosting(numbered)
    const withText = written < 0 ? IdSet.empty : field.stringPosting(written)
    count += withNumber.or(withText).and(set).size
  }
  return count
}
