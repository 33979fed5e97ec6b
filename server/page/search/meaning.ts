// The controls of a hybrid search: the embedder, and the semantic ratio.
import { fill, h, type Question } from '../parts/index.ts'

export type Embedders = {
  readonly [name: string]: { readonly source?: string }
}

/** Returns the embedders that can embed a query. */
export const searchingEmbedders = (embedders: Embedders): readonly string[] =>
  Object.keys(embedders).filter((name) => embedders[name]?.source !== 'userProvided')

type Change = (change: Pick<Question, 'embedder'> | Pick<Question, 'ratio'>) => void

export class Meaning {
  readonly element: HTMLElement
  readonly #select = h('select', { 'aria-label': 'Embedder' })
  readonly #slider = h('input', {
    type: 'range',
    min: 0,
    max: 100,
    step: 5,
    'aria-label': 'Share of meaning',
  })
  readonly #share = h('output', { class: 'muted' })
  readonly #balance = h('span', { class: 'balance' }, this.#slider, this.#share)

  constructor(change: Change) {
    this.#select.addEventListener('change', () => change({ embedder: this.#select.value }))
    this.#slider.addEventListener('input', () => this.#describe())
    this.#slider.addEventListener('change', () =>
      change({ ratio: Number(this.#slider.value) / 100 }),
    )
    this.element = h('span', { class: 'meaning', hidden: true }, this.#select, this.#balance)
  }

  show(names: readonly string[], { embedder, ratio }: Question): void {
    fill(
      this.#select,
      h('option', { value: '' }, 'Words alone'),
      names.map((name) => h('option', { value: name, selected: name === embedder }, name)),
    )
    this.element.hidden = names.length === 0
    this.#slider.value = String(Math.round(ratio * 100))
    this.#balance.hidden = !names.includes(embedder)
    this.#describe()
  }

  #describe(): void {
    const text = `${this.#slider.value} % meaning`
    fill(this.#share, text)
    this.#slider.setAttribute('aria-valuetext', text)
  }
}
