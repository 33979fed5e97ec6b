// Reads and writes the part of the page's address after `#`: the view, the index, and the search or
// task to show. The address can be bookmarked and shared; it never contains a key.
import { type Question, RATIO_DEFAULT, type Range } from './query.ts'
import { ALL_TASKS, type TaskPlace } from './task-model.ts'

export const VIEWS = ['search', 'chat', 'indexes', 'tasks', 'network', 'settings'] as const
export type View = (typeof VIEWS)[number]

export type Place = {
  readonly view: View
  readonly question: Question
  readonly tasks: TaskPlace
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

export function readAddress(hash: string): Place {
  const [path = '', text = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const given = new URLSearchParams(text)
  const ticked = new Map<string, Set<string>>()
  const ranges = new Map<string, Range>()
  for (const [name, value] of given) {
    if (name.startsWith('is.')) {
      const facet = name.slice(3)
      ticked.set(facet, (ticked.get(facet) ?? new Set()).add(value))
    } else if (name.startsWith('in.')) {
      const [low, high] = value.split('..', 2).map((end) => (NUMBER.test(end) ? Number(end) : null))
      ranges.set(name.slice(3), { low: low ?? null, high: high ?? null })
    }
  }
  return {
    view: VIEWS.find((view) => view === path) ?? 'search',
    question: {
      index: given.get('index') ?? '',
      q: given.get('q') ?? '',
      sort: given.get('sort') ?? '',
      embedder: given.get('by') ?? '',
      ratio: ratioOf(given.get('ratio')),
      ticked,
      ranges,
    },
    tasks: tasksOf(given),
  }
}

/**
 * Returns the same object for all addresses without a task and a batch, so that callers can compare
 * objects.
 */
function tasksOf(given: URLSearchParams): TaskPlace {
  const [task, batch] = ['task', 'batch'].map((name) => {
    const text = given.get(name) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : null
  })
  if (typeof task === 'number') return { task, batch: null }
  return typeof batch === 'number' ? { task: null, batch } : ALL_TASKS
}

const ratioOf = (text: string | null): number =>
  text === null || !NUMBER.test(text) ? RATIO_DEFAULT : Math.max(0, Math.min(1, Number(text)))

export function writeAddress({ view, question, tasks }: Place): string {
  const { index, q, sort, embedder, ratio, ticked, ranges } = question
  const told = new URLSearchParams()
  if (index !== '') told.set('index', index)
  if (view === 'search') {
    if (q !== '') told.set('q', q)
    if (sort !== '') told.set('sort', sort)
    if (embedder !== '') {
      told.set('by', embedder)
      told.set('ratio', String(ratio))
    }
    for (const [facet, values] of ticked) {
      for (const value of values) told.append(`is.${facet}`, value)
    }
    for (const [facet, { low, high }] of ranges) {
      if (low !== null || high !== null) told.set(`in.${facet}`, `${low ?? ''}..${high ?? ''}`)
    }
  }
  if (view === 'tasks') {
    if (tasks.task !== null) told.set('task', String(tasks.task))
    if (tasks.batch !== null) told.set('batch', String(tasks.batch))
  }
  const text = told.toString()
  return `#/${view}${text === '' ? '' : `?${text}`}`
}
