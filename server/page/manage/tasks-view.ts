// The tasks of all indexes or of the current one, newest first, and the progress of the running
// batch. The address may select one task or one batch instead.

import {
  ask,
  type Batch,
  errorNote,
  fill,
  h,
  isAbort,
  type List,
  type PageView,
  plural,
  refill,
  ServerError,
  type Site,
  type Task,
  tasksQuery,
} from '../parts/index.ts'
import { batchCard } from './batch-card.ts'
import { taskRow } from './task-detail.ts'

const STATUSES = ['', 'enqueued', 'processing', 'succeeded', 'failed', 'canceled']
const TASKS_SHOWN = 30

export class TasksView implements PageView {
  readonly element: HTMLElement
  readonly #site: Site
  readonly #batches = h('div', { class: 'batches', 'aria-live': 'polite' })
  readonly #list = h('ul', { class: 'tasks' })
  readonly #total = h('p', { class: 'summary', role: 'status' })
  readonly #note = h('div', { class: 'note-place' })
  readonly #scope = h('select', { 'aria-label': 'Tasks of', onchange: () => this.refresh() })
  readonly #status = h(
    'select',
    { 'aria-label': 'Status', onchange: () => this.refresh() },
    STATUSES.map((value) => h('option', { value }, value === '' ? 'Any status' : value)),
  )
  readonly #choice = h('span', { class: 'tools-end' }, this.#scope, this.#status)
  readonly #all = h('a', { class: 'tools-end', hidden: true }, 'Show all tasks')
  readonly #more: HTMLButtonElement
  readonly #unfolded = new Set<number>()
  #limit = TASKS_SHOWN
  /** The data of the list that is shown, as JSON: equal data is not rendered again. */
  #shown = ''

  constructor(site: Site) {
    this.#site = site
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
      h('div', { class: 'tools' }, this.#total, this.#choice, this.#all),
      this.#note,
      this.#list,
      this.#more,
    )
  }

  tick(): void {
    this.refresh()
  }

  refresh(): void {
    this.#showScope()
    this.#read().catch((error: unknown) => {
      if (isAbort(error)) return
      if (!(error instanceof ServerError)) throw error
      fill(this.#list)
      fill(this.#total)
      fill(this.#batches)
      this.#shown = ''
      fill(this.#note, errorNote(error, this.#site))
    })
  }

  /** Updates the choice of index after the index in the header has changed. */
  #showScope(): void {
    const { question, tasks } = this.#site
    const { index } = question
    const isNamed = tasks.task !== null || tasks.batch !== null
    this.#choice.hidden = isNamed
    this.#all.hidden = !isNamed
    this.#all.href = `#/tasks?${new URLSearchParams({ index })}`
    if (tasks.task !== null) this.#unfolded.add(tasks.task)
    if (this.#scope.dataset['index'] === index) return
    const isChosen = this.#scope.value !== ''
    this.#scope.dataset['index'] = index
    fill(
      this.#scope,
      h('option', { value: '' }, 'All indexes'),
      index === '' ? null : h('option', { value: index, selected: isChosen }, `Index ${index}`),
    )
  }

  async #read(): Promise<void> {
    const place = this.#site.tasks
    const query = tasksQuery(place, this.#scope.value, this.#status.value, this.#limit)
    const running = '/batches?statuses=processing&limit=5'
    const [tasks, batches] = await Promise.all([
      ask<List<Task>>('GET', `/tasks?${query}`),
      ask<List<Batch>>('GET', place.batch === null ? running : `/batches?uids=${place.batch}`),
    ])
    // The address has changed in the meantime.
    if (place !== this.#site.tasks) return
    fill(this.#note, tasks.total === 0 ? h('p', { class: 'note' }, this.#nothing()) : null)
    fill(this.#total, plural(tasks.total, 'task'))
    fill(this.#batches, batches.results.map(batchCard))
    this.#more.hidden = tasks.next === null
    const text = JSON.stringify(tasks.results) + Math.floor(Date.now() / 30_000)
    if (text === this.#shown) return
    this.#shown = text
    refill(
      this.#list,
      tasks.results.map((task) =>
        taskRow(task, this.#unfolded.has(task.uid), (isOpen) => {
          if (isOpen) this.#unfolded.add(task.uid)
          else this.#unfolded.delete(task.uid)
        }),
      ),
    )
  }

  #nothing(): string {
    const { task, batch } = this.#site.tasks
    if (task !== null) return `There is no task #${task}. It may have been deleted.`
    if (batch !== null) return `There are no tasks of batch #${batch}.`
    return this.#status.value === '' ? 'No tasks yet.' : 'No tasks with this status.'
  }
}
