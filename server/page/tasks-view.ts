// What is going on: the batch that runs, with its progress, and the tasks, newest first.
import { bar, fill, h } from './element.ts'
import { refusalNote } from './notes.ts'
import { ask, isAbort, Refusal } from './server.ts'
import type { PageView, Site } from './site.ts'
import { agoText, camelText, durationText, plural } from './words.ts'

type Task = {
  readonly uid: number
  readonly indexUid: string | null
  readonly status: string
  readonly type: string
  readonly details: unknown
  readonly error: { readonly message: string; readonly code: string } | null
  readonly duration: string | null
  readonly enqueuedAt: string
}
type Step = { readonly currentStep: string; readonly finished: number; readonly total: number }
type Batch = {
  readonly uid: number
  readonly progress: { readonly steps: readonly Step[]; readonly percentage: number } | null
  readonly stats: { readonly totalNbTasks: number }
  readonly startedAt: string
}
type List<T> = {
  readonly results: readonly T[]
  readonly total: number
  readonly next: number | null
}

const STATUSES = ['', 'enqueued', 'processing', 'succeeded', 'failed', 'canceled']
const TASKS_SHOWN = 30

export class TasksView implements PageView {
  readonly element: HTMLElement
  readonly #site: Site
  readonly #batches = h('div', { class: 'batches', 'aria-live': 'polite' })
  readonly #list = h('ul', { class: 'tasks' })
  readonly #total = h('p', { class: 'summary', role: 'status' })
  readonly #note = h('div', { class: 'note-place' })
  readonly #unfolded = new Set<number>()
  #status = ''
  #limit = TASKS_SHOWN
  #shown = ''
  readonly #more: HTMLButtonElement

  constructor(site: Site) {
    this.#site = site
    const status = h(
      'select',
      {
        'aria-label': 'Status',
        onchange: () => {
          this.#status = status.value
          this.refresh()
        },
      },
      STATUSES.map((value) => h('option', { value }, value === '' ? 'All tasks' : value)),
    )
    this.#more = h(
      'button',
      {
        class: 'more',
        type: 'button',
        hidden: true,
        onclick: () => {
          this.#limit += TASKS_SHOWN
          this.refresh()
        },
      },
      'Show more',
    )
    this.element = h(
      'div',
      { class: 'column' },
      this.#batches,
      h('div', { class: 'tools' }, this.#total, status),
      this.#note,
      this.#list,
      this.#more,
    )
  }

  tick(): void {
    this.refresh()
  }

  refresh(): void {
    this.#read().catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof Refusal)) throw error
      fill(this.#list)
      this.#shown = ''
      fill(this.#note, refusalNote(error, this.#site))
    })
  }

  async #read(): Promise<void> {
    const statuses = this.#status === '' ? '' : `&statuses=${this.#status}`
    const [tasks, batches] = await Promise.all([
      ask<List<Task>>('GET', `/tasks?limit=${this.#limit}${statuses}`),
      ask<List<Batch>>('GET', '/batches?statuses=processing&limit=5'),
    ])
    fill(this.#note, tasks.total === 0 ? h('p', { class: 'note' }, 'No tasks of this kind.') : null)
    fill(this.#total, plural(tasks.total, 'task'))
    fill(this.#batches, batches.results.map(batchCard))
    this.#more.hidden = tasks.next === null
    // Made anew only when something changed, so that a selection or the focus stays where it is.
    const text = JSON.stringify(tasks.results) + Math.floor(Date.now() / 30_000)
    if (text === this.#shown) return
    this.#shown = text
    fill(
      this.#list,
      tasks.results.map((task) => this.#row(task)),
    )
  }

  #row(task: Task): HTMLElement {
    const { uid, status, type, indexUid, duration, enqueuedAt, error, details } = task
    const more = h(
      'details',
      {
        open: this.#unfolded.has(uid),
        ontoggle: () => {
          if (more.open) this.#unfolded.add(uid)
          else this.#unfolded.delete(uid)
        },
      },
      h(
        'summary',
        {},
        h('span', { class: 'task-uid' }, `#${uid}`),
        h('span', { class: `pill is-${status}` }, status),
        h('span', { class: 'task-type' }, camelText(type)),
        h('span', { class: 'task-index' }, indexUid ?? 'all indexes'),
        h('span', { class: 'task-time' }, durationText(duration) || '–'),
        h('span', { class: 'task-time' }, agoText(enqueuedAt, Date.now())),
      ),
      error === null
        ? null
        : h('p', { class: 'refusal' }, error.message, ' ', h('code', {}, error.code)),
      h('pre', { tabindex: '0' }, JSON.stringify(details ?? {}, null, 2)),
    )
    return h('li', {}, more)
  }
}

function batchCard({ uid, progress, stats, startedAt }: Batch): HTMLElement {
  const percentage = progress?.percentage ?? 0
  return h(
    'article',
    { class: 'card batch' },
    h(
      'header',
      {},
      h('h2', {}, `Batch #${uid}`),
      h('span', { class: 'pill is-processing' }, `${percentage.toFixed(0)} %`),
      h(
        'span',
        { class: 'muted' },
        `${plural(stats.totalNbTasks, 'task')} · ${agoText(startedAt, Date.now())}`,
      ),
    ),
    bar(percentage / 100, `${percentage.toFixed(0)} percent`),
    h(
      'ol',
      { class: 'steps' },
      (progress?.steps ?? []).map(({ currentStep, finished, total }) =>
        h('li', {}, currentStep, h('span', { class: 'count' }, `${finished} / ${total}`)),
      ),
    ),
  )
}
