// Reads and writes the part of the page's address after `#`: the view, the index, and the search or
// task to show. The address can be bookmarked and shared; it never contains a key.
import type { Range } from './filters.ts'
import { type Question, RATIO_DEFAULT } from './query.ts'
import { readOptions, writeOptions } from './search-options.ts'
import { ALL_TASKS, type TaskPlace } from './task-model.ts'

export const VIEWS = [
  'search',
  'console',
  'chat',
  'indexes',
  'tasks',
  'network',
  'settings',
  'keys',
] as const
export type View = (typeof VIEWS)[number]

export type Place = {
  readonly view: View
  readonly question: Question
  readonly tasks: TaskPlace
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

export function readAddress(hash: string): Place {
  const [path = '', text = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const parameters = new URLSearchParams(text)
  const ticked = new Map<string, Set<string>>()
  const ranges = new Map<string, Range>()
  for (const [name, value] of parameters) {
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
      index: parameters.get('index') ?? '',
      q: parameters.get('q') ?? '',
      sort: parameters.get('sort') ?? '',
      embedder: parameters.get('by') ?? '',
      ratio: ratioOf(parameters.get('ratio')),
      options: readOptions(parameters),
      ticked,
      ranges,
    },
    tasks: tasksOf(parameters),
  }
}

/**
 * Returns the same object for all addresses without a task and a batch, so that callers can compare
 * objects.
 */
function tasksOf(parameters: URLSearchParams): TaskPlace {
  const [task, batch] = ['task', 'batch'].map((name) => {
    const text = parameters.get(name) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : null
  })
  if (typeof task === 'number') return { task, batch: null }
  return typeof batch === 'number' ? { task: null, batch } : ALL_TASKS
}

const ratioOf = (text: string | null): number =>
  text === null || !NUMBER.test(text) ? RATIO_DEFAULT : Math.max(0, Math.min(1, Number(text)))

export function writeAddress({ view, question, tasks }: Place): string {
  const { index, q, sort, embedder, ratio, options, ticked, ranges } = question
  const parameters = new URLSearchParams()
  if (index !== '') parameters.set('index', index)
  if (view === 'search') {
    if (q !== '') parameters.set('q', q)
    if (sort !== '') parameters.set('sort', sort)
    if (embedder !== '') {
      parameters.set('by', embedder)
      parameters.set('ratio', String(ratio))
    }
    writeOptions(options, parameters)
    for (const [facet, values] of ticked) {
      for (const value of values) parameters.append(`is.${facet}`, value)
    }
    for (const [facet, { low, high }] of ranges) {
      if (low !== null || high !== null)
        parameters.set(`in.${facet}`, `${low ?? ''}..${high ?? ''}`)
    }
  }
  if (view === 'tasks') {
    if (tasks.task !== null) parameters.set('task', String(tasks.task))
    if (tasks.batch !== null) parameters.set('batch', String(tasks.batch))
  }
  const text = parameters.toString()
  return `#/${view}${text === '' ? '' : `?${text}`}`
}
