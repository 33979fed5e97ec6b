// The question whether another spelling was meant, with a link to its search.
import { ALL_TASKS, h, type Question, writeAddress } from '../parts/index.ts'

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
