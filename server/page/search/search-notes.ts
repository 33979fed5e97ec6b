// Notes above the hits: whether another spelling was meant, and that nothing was found.
import {
  ALL_TASKS,
  emptyIndexNote,
  h,
  type Question,
  refinedFacets,
  type Site,
  writeAddress,
} from '../parts/index.ts'

/** Asks with a link to the search of the other spelling. */
export function correctionNote(question: Question, corrected: string): HTMLElement {
  const place = {
    view: 'search',
    question: { ...question, q: corrected },
    tasks: ALL_TASKS,
  } as const
  return h(
    'p',
    { class: 'correction' },
    'Did you mean ',
    h('a', { href: writeAddress(place) }, corrected),
    '?',
  )
}

/** `clear`: removes all filters. */
export function nothingNote(question: Question, site: Site, clear: () => void): HTMLElement {
  const index = site.indexes.find(({ uid }) => uid === question.index)
  if (index?.documents === 0) return emptyIndexNote(question.index, site)
  const hasFilters = refinedFacets(question).length > 0
  return h(
    'div',
    { class: 'notice' },
    h('h2', {}, 'Nothing was found'),
    h(
      'p',
      {},
      question.q === ''
        ? 'No document passes the filters.'
        : `No document matches “${question.q}”.`,
      hasFilters ? ' Fewer filters may help.' : ' Try fewer or other words.',
    ),
    hasFilters
      ? h('button', { class: 'primary', type: 'button', onclick: clear }, 'Clear all filters')
      : null,
  )
}
