// The filters beside the hits: checkboxes with counts for values, a lower and an upper limit for
// numbers.
import {
  type Answer,
  ask,
  type Child,
  countText,
  type Facet,
  fill,
  filterOf,
  h,
  indexPath,
  intervalOf,
  isAbort,
  partedFacets,
  plural,
  type Question,
  type Range,
  refill,
  refinedFacets,
  ServerError,
  valuesOf,
  wordMembers,
} from '../parts/index.ts'

const SHOWN = 8
/**
 * A facet with at least this many values gets a search field, because the list shows only some of
 * them.
 */
const FINDER_FROM = 30

export type FacetEvents = {
  readonly tick: (facet: string, value: string, isOn: boolean) => void
  readonly range: (facet: string, range: Range) => void
  readonly clear: () => void
}

export class Facets {
  readonly element = h('div', { class: 'facets' })
  readonly #events: FacetEvents
  readonly #unfolded = new Set<string>()
  readonly #sought = new Map<string, string>()
  /** The number of values that an answer has of each facet, or null if the key may not read it. */
  valuesMax: number | null = null
  #question: Question | null = null
  #facets: readonly Facet[] = []
  /** The documents of each bar, by facet and by the number at which the bar begins. */
  #histograms: Histograms = {}

  constructor(events: FacetEvents) {
    this.#events = events
  }

  show(question: Question, facets: readonly Facet[], histograms: Histograms = {}): void {
    this.#question = question
    this.#facets = facets
    this.#histograms = histograms
    const isAny = refinedFacets(question).length > 0
    const { filled, empty } = partedFacets(question, facets)
    refill(
      this.element,
      isAny
        ? h(
            'button',
            { class: 'link', type: 'button', onclick: () => this.#events.clear() },
            'Clear all filters',
          )
        : null,
      filled.map((facet) =>
        facet.stats !== null || question.ranges.has(facet.name)
          ? this.#numbers(facet)
          : this.#values(facet),
      ),
      empty.length === 0
        ? null
        : h(
            'details',
            { class: 'empty-facets' },
            h('summary', {}, `${plural(empty.length, 'facet')} without values`),
            h(
              'ul',
              { class: 'tags' },
              empty.map((name) => h('li', {}, name)),
            ),
          ),
    )
  }

  #values(facet: Facet): HTMLElement {
    const { name } = facet
    const ticked = this.#question?.ticked.get(name) ?? new Set<string>()
    const values = valuesOf(facet, ticked)
    const isUnfolded = this.#unfolded.has(name)
    const size = Object.keys(facet.counts).length
    const isCut = this.valuesMax !== null && size >= this.valuesMax
    const shown = isUnfolded ? values : values.slice(0, SHOWN)
    const list = h(
      'ul',
      {},
      shown.map(({ value, count }) => this.#box(name, value, count, ticked.has(value))),
    )
    const more = h(
      'button',
      {
        class: 'link',
        type: 'button',
        'data-focus': `more ${name}`,
        onclick: () => {
          if (!this.#unfolded.delete(name)) this.#unfolded.add(name)
          if (this.#question !== null) this.show(this.#question, this.#facets, this.#histograms)
        },
      },
      isUnfolded
        ? 'Fewer'
        : isCut
          ? `The ${countText(size)} most frequent`
          : `All ${countText(values.length)}`,
    )
    return h(
      'fieldset',
      {},
      h('legend', {}, name),
      values.length >= FINDER_FROM ? this.#finder(name, list) : null,
      list,
      values.length > SHOWN ? more : null,
    )
  }

  #box(facet: string, value: string, count: number, isOn: boolean): HTMLElement {
    const box = h('input', {
      type: 'checkbox',
      checked: isOn,
      'data-focus': `box ${facet} ${value}`,
      onchange: (event) => {
        const { checked } = event.currentTarget as HTMLInputElement
        this.#events.tick(facet, value, checked)
      },
    })
    const isEmpty = count === 0 && !isOn
    return h(
      'li',
      { class: isEmpty ? 'facet-value is-empty' : 'facet-value' },
      h(
        'label',
        {},
        box,
        h('span', { class: 'facet-name', dir: 'auto' }, value),
        h('span', { class: 'count' }, countText(count)),
      ),
    )
  }

  /** Returns a field that requests the values with the typed prefix from the server. */
  #finder(facet: string, list: HTMLElement): HTMLElement {
    let abort = new AbortController()
    const find = async (text: string): Promise<void> => {
      const question = this.#question
      if (question === null) return
      const { facetHits } = await ask<FacetAnswer>(
        'POST',
        indexPath(question.index, '/facet-search'),
        {
          facetName: facet,
          facetQuery: text,
          q: question.q,
          ...wordMembers(question.options),
          filter: filterOf(question, facet),
        },
        abort.signal,
      )
      const ticked = question.ticked.get(facet)
      fill(
        list,
        facetHits.map(({ value, count }) =>
          this.#box(facet, value, count, ticked?.has(value) ?? false),
        ),
      )
    }
    return h('input', {
      type: 'search',
      class: 'facet-finder',
      placeholder: `Find in ${facet}`,
      'aria-label': `Find a value of ${facet}`,
      'data-focus': `find ${facet}`,
      value: this.#sought.get(facet) ?? '',
      oninput: (event) => {
        const { value } = event.currentTarget as HTMLInputElement
        this.#sought.set(facet, value)
        abort.abort()
        abort = new AbortController()
        find(value).catch((error: unknown) => {
          // The index may have facet search disabled; the list then stays unchanged.
          if (!isAbort(error) && !(error instanceof ServerError)) throw error
        })
      },
    })
  }

  #numbers(facet: Facet): HTMLElement {
    const { name, stats } = facet
    const range = this.#question?.ranges.get(name) ?? { low: null, high: null }
    const end = (which: 'low' | 'high', hint: number | undefined): HTMLInputElement =>
      h('input', {
        type: 'number',
        step: 'any',
        inputmode: 'decimal',
        placeholder: hint === undefined ? '' : String(hint),
        value: range[which] === null ? null : String(range[which]),
        'aria-label': `${name}, ${which === 'low' ? 'at least' : 'at most'}`,
        'data-focus': `${which} ${name}`,
        onchange: (event) => {
          const { value } = event.currentTarget as HTMLInputElement
          const number = value === '' ? null : Number(value)
          this.#events.range(name, { ...range, [which]: number })
        },
      })
    return h(
      'fieldset',
      {},
      h('legend', {}, name),
      bars(facet, range, this.#histograms[name]),
      h(
        'div',
        { class: 'ends' },
        end('low', stats?.min),
        h('span', {}, 'to'),
        end('high', stats?.max),
      ),
    )
  }
}

type Histograms = NonNullable<Answer['facetDistribution']>

/** Draws how many documents have which numbers; bars outside of the range are pale. */
function bars(facet: Facet, { low, high }: Range, counts: Histograms[string] = {}): Child {
  const found = new Map(Object.entries(counts).map(([from, count]) => [Number(from), count]))
  if (found.size === 0) return null
  const interval = intervalOf(facet)
  const begins = [...found.keys()]
  const first = Math.min(...begins)
  const places = Math.round((Math.max(...begins) - first) / interval) + 1
  const most = Math.max(...found.values())
  const drawn = begins.map((from) => {
    const isIn = (low === null || from + interval > low) && (high === null || from <= high)
    const to = Number((from + interval).toPrecision(PRECISION))
    const count = found.get(from) ?? 0
    const bar = h('span', {
      class: isIn ? 'histogram-bar' : 'histogram-bar is-out',
      title: `${from} to ${to}: ${countText(count)}`,
    })
    // The content security policy forbids style attributes.
    bar.style.gridColumn = String(Math.round((from - first) / interval) + 1)
    bar.style.height = `${Math.max(HEIGHT_MIN, (count / most) * 100).toFixed(1)}%`
    return bar
  })
  const label = `${facet.name}: documents by value, most at ${begins.find((from) => found.get(from) === most)}`
  const element = h('div', { class: 'histogram', role: 'img', 'aria-label': label }, drawn)
  element.style.gridTemplateColumns = `repeat(${places}, 1fr)`
  return element
}

/** Percent of the height that a bar of a single document has. */
const HEIGHT_MIN = 4

/** Digits without the errors of sums of doubles. */
const PRECISION = 12

type FacetAnswer = { readonly facetHits: readonly { value: string; count: number }[] }
