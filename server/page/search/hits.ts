// The list of hits, one card each.
import {
  bar,
  type Child,
  type Hit,
  h,
  imageOrigins,
  markedPieces,
  matchingElements,
  type Question,
} from '../parts/index.ts'
import { hitText } from './hit-text.ts'
import { picture, pictureOf } from './picture.ts'
import { ruleScores } from './ranking.ts'

/** Returns the pieces of a text with tags of the search, as elements. */
export const marked = (text: string): readonly Child[] =>
  markedPieces(text).map((piece, i) => (i % 2 === 1 ? h('mark', {}, piece) : piece))

const HIT_ID = 'hit-'
export const hitId = (number: number): string => `${HIT_ID}${number}`
export const isHitId = (id: string | null): boolean => id?.startsWith(HIT_ID) === true

export function hitCard(
  hit: Hit,
  number: number,
  primaryKey: string | null,
  question: Question,
  open: () => void,
): HTMLLIElement {
  const { heading, text, facts } = hitText(hit, primaryKey, matchingElements(question, hit))
  // Without a query all hits have the same score, so none is shown.
  const isRanked = ruleScores(hit['_rankingScoreDetails']).length > 0
  const score = isRanked ? Number(hit['_rankingScore'] ?? 0) : null
  const key = primaryKey === null ? undefined : hit[primaryKey]
  const address = pictureOf(hit, imageOrigins())
  return h(
    'li',
    { class: 'hit', role: 'option', id: hitId(number), 'aria-selected': 'false', onclick: open },
    address === null ? null : picture(address, 'hit-picture'),
    h(
      'div',
      { class: 'hit-head' },
      h(
        'h2',
        { class: 'hit-heading', dir: 'auto' },
        heading === null ? 'no fields' : marked(heading.text),
      ),
      score === null
        ? null
        : h(
            'span',
            { class: 'hit-score', title: 'Ranking score' },
            bar(score, `ranking score ${score.toFixed(2)}`),
            h('span', { 'aria-hidden': 'true' }, score.toFixed(2)),
          ),
    ),
    text === null ? null : h('p', { class: 'hit-text', dir: 'auto' }, marked(text.text)),
    h(
      'p',
      { class: 'facts' },
      key === undefined || heading?.name === primaryKey
        ? null
        : fact(primaryKey ?? '', String(key)),
      facts.map(({ name, text }) => fact(name, text)),
    ),
  )
}

const fact = (name: string, text: string): HTMLElement =>
  h(
    'span',
    { class: 'fact' },
    h('span', { class: 'fact-name' }, name),
    ' ',
    h('span', { class: 'fact-text', dir: 'auto' }, marked(text)),
  )
