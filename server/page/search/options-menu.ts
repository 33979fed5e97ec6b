// The menu of options of a search: what is rarely changed, behind one button.
import {
  type Child,
  changedOptions,
  FUSIONS,
  fill,
  h,
  type SearchOptions,
  STRATEGIES,
} from '../parts/index.ts'

const STRATEGY_WORDS: { readonly [strategy in SearchOptions['strategy']]: string } = {
  last: 'Words at the end of the query',
  all: 'No words',
  frequency: 'The most frequent words',
  any: 'All words but one',
}
const FUSION_WORDS: { readonly [fusion in SearchOptions['fusion']]: string } = {
  score: 'By their scores',
  rrf: 'By their ranks',
}

export class OptionsMenu {
  readonly element: HTMLDetailsElement
  readonly #summary = h('summary', { class: 'quiet small' })
  readonly #strategy = select(STRATEGIES, STRATEGY_WORDS)
  readonly #fusion = select(FUSIONS, FUSION_WORDS)
  readonly #merging = h('label', { class: 'field' }, 'Words and meaning are merged', this.#fusion)
  readonly #boolean = h('input', { type: 'checkbox' })
  readonly #exact = h('input', { type: 'checkbox' })

  /** `change`: called with all options after each change of one. */
  constructor(change: (options: SearchOptions) => void) {
    const operators = ['AND', 'OR', 'NOT', '+', '-'].flatMap((sign): Child[] => [
      ' ',
      h('code', {}, sign),
    ])
    this.element = h(
      'details',
      {
        class: 'options',
        onchange: () => change(this.#read()),
        onkeydown: (event) => this.#onKey(event),
        onfocusout: (event) => {
          const { relatedTarget: to } = event
          if (to instanceof Node && !this.element.contains(to)) this.element.open = false
        },
      },
      this.#summary,
      h(
        'div',
        { class: 'options-panel' },
        h('label', { class: 'field' }, 'A hit may lack', this.#strategy),
        this.#merging,
        h('label', { class: 'check' }, this.#boolean, h('span', {}, 'Operators:', operators)),
        h('label', { class: 'check' }, this.#exact, 'Exact number of hits'),
      ),
    )
  }

  /** `isHybrid`: whether the search merges hits by words with hits by meaning. */
  show(options: SearchOptions, isHybrid: boolean): void {
    const { strategy, isBoolean, isExact, fusion } = options
    this.#strategy.value = strategy
    this.#fusion.value = fusion
    this.#boolean.checked = isBoolean
    this.#exact.checked = isExact
    this.#merging.hidden = !isHybrid
    const count = changedOptions(options).filter((name) => isHybrid || name !== 'fusion').length
    fill(this.#summary, count === 0 ? 'Options' : `Options (${count})`)
  }

  #read(): SearchOptions {
    return {
      strategy: this.#strategy.value as SearchOptions['strategy'],
      isBoolean: this.#boolean.checked,
      isExact: this.#exact.checked,
      fusion: this.#fusion.value as SearchOptions['fusion'],
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || !this.element.open) return
    this.element.open = false
    this.#summary.focus()
    event.stopPropagation()
  }
}

const select = <Value extends string>(
  values: readonly Value[],
  words: { readonly [value in Value]: string },
): HTMLSelectElement =>
  h(
    'select',
    {},
    values.map((value) => h('option', { value }, words[value])),
  )
