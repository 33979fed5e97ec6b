// One request of the console: its index, its body as JSON, its answer as a table or as JSON, and the
// request as code.
import {
  type Answer,
  ask,
  bytesText,
  fill,
  type Hit,
  h,
  isAbort,
  readJson,
  requestCode,
  ServerError,
  type Site,
} from '../parts/index.ts'
import { hitTable } from '../search/index.ts'
import { changeText, placeChanges } from './places.ts'
import { exampleOf, KINDS, type Kind, pathOf } from './requests.ts'

const ROWS_MIN = 6
const ROWS_MAX = 24

export class Pane {
  readonly element: HTMLElement
  readonly #site: Site
  readonly #label: string
  readonly #index: HTMLSelectElement
  readonly #kind: HTMLSelectElement
  readonly #body: HTMLTextAreaElement
  readonly #answer = h('div', { class: 'pane-answer' })
  #abort = new AbortController()
  /** The last answer, or null before the first one and after a refusal. */
  #last: Answer | null = null
  #isTable = true

  /** `run`: called when the user wants an answer. */
  constructor(site: Site, label: string, run: () => void) {
    this.#site = site
    this.#label = label
    this.#index = h('select', { 'aria-label': `Index of ${label}` })
    this.#kind = h(
      'select',
      { 'aria-label': `Kind of ${label}`, onchange: () => this.#showExample() },
      Object.entries(KINDS).map(([kind, name]) => h('option', { value: kind }, name)),
    )
    this.#body = h('textarea', {
      class: 'code',
      'aria-label': `Body of ${label} as JSON`,
      spellcheck: 'false',
      autocapitalize: 'off',
      onkeydown: (event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        run()
      },
    })
    this.element = h(
      'section',
      { class: 'pane', 'aria-label': label },
      h('div', { class: 'tools' }, this.#kind, this.#index),
      this.#body,
      this.#answer,
    )
  }

  focus(): void {
    this.#body.focus()
  }

  /** Shows the indexes to choose from. */
  offer(): void {
    const { indexes, question } = this.#site
    const chosen = this.#index.value || question.index
    fill(
      this.#index,
      indexes.map(({ uid }) => h('option', { value: uid, selected: uid === chosen }, uid)),
    )
    if (this.#body.value === '') this.#showExample()
  }

  /** Takes the request of another pane. */
  copy(other: Pane): void {
    this.offer()
    this.#kind.value = other.#kind.value
    this.#index.value = other.#index.value
    this.#body.value = other.#body.value
    this.#body.rows = other.#body.rows
  }

  /** Sends the request and shows the answer. */
  async run(): Promise<void> {
    this.#abort.abort()
    this.#abort = new AbortController()
    const { signal } = this.#abort
    this.#body.removeAttribute('aria-invalid')
    const read = readJson(this.#body.value)
    if (read.error !== null) {
      this.#refuse(read.error)
      return
    }
    try {
      this.#last = await ask<Answer>('POST', this.#path, read.value, signal)
      this.show(null)
    } catch (error) {
      if (isAbort(error)) return
      if (!(error instanceof ServerError)) throw error
      this.#refuse(`${error.message} (${error.code})`)
    }
  }

  /** Shows the answer. `before`: the pane to compare with, or null. */
  show(before: Pane | null): void {
    const answer = this.#last
    if (answer === null) return
    const hits = answer.hits as readonly Hit[] | undefined
    const change = (isTable: boolean): void => {
      this.#isTable = isTable
      this.show(before)
    }
    const choice = (name: string, isTable: boolean): HTMLElement =>
      h(
        'button',
        {
          class: 'quiet small',
          type: 'button',
          'aria-pressed': String(this.#isTable === isTable),
          onclick: () => change(isTable),
        },
        name,
      )
    const { estimatedTotalHits: total, processingTimeMs: ms } = answer
    fill(
      this.#answer,
      h(
        'div',
        { class: 'tools' },
        h('p', { class: 'summary', role: 'status' }, [
          total === undefined ? null : `${total} hits, `,
          ms === undefined ? null : `${ms} ms, `,
          bytesText(new Blob([JSON.stringify(answer)]).size),
        ]),
        hits === undefined
          ? null
          : h('span', { class: 'tools-end choice' }, choice('Table', true), choice('JSON', false)),
      ),
      hits !== undefined && this.#isTable
        ? this.#table(hits, before)
        : h('pre', { class: 'json', tabindex: '0' }, JSON.stringify(answer, null, 2)),
      requestCode({
        method: 'POST',
        target: this.#path,
        body: { type: 'application/json', text: this.#body.value },
      }),
    )
  }

  #table(hits: readonly Hit[], before: Pane | null): HTMLElement {
    const primaryKey = this.#primaryKey
    // After a refusal there is nothing to compare with.
    const isCompared = before !== null && before.#last !== null
    const places = isCompared ? placeChanges(this.#keys, before.#keys) : null
    return hits.length === 0
      ? h('p', { class: 'note' }, 'No hits.')
      : hitTable(hits, {
          label: `Hits of ${this.#label}`,
          primaryKey,
          open: null,
          ...(places === null
            ? {}
            : {
                first: {
                  heading: 'moved',
                  cell: (number) => {
                    const place = places[number]!
                    return h('span', { class: `moved is-${place.change}` }, changeText(place))
                  },
                },
              }),
        })
  }

  get #path(): string {
    return pathOf(this.#kind.value as Kind, this.#index.value)
  }
  get #primaryKey(): string | null {
    return this.#site.indexes.find(({ uid }) => uid === this.#index.value)?.primaryKey ?? null
  }
  /** The primary keys of the hits, or their texts as a whole if the key is not known. */
  get #keys(): readonly string[] {
    const key = this.#primaryKey
    const hits = (this.#last?.hits ?? []) as readonly Hit[]
    return hits.map((hit) => JSON.stringify(key === null ? hit : hit[key]))
  }

  #showExample(): void {
    const { q } = this.#site.question
    const example = exampleOf(this.#kind.value as Kind, this.#index.value, q)
    this.#body.value = JSON.stringify(example, null, 2)
    const lines = this.#body.value.split('\n').length
    this.#body.rows = Math.max(ROWS_MIN, Math.min(ROWS_MAX, lines + 1))
  }

  #refuse(message: string): void {
    this.#last = null
    fill(this.#answer, h('p', { class: 'refusal', role: 'alert' }, message))
    this.#body.setAttribute('aria-invalid', 'true')
  }
}
