// The search box, and below it a list of suggestions while something is typed. The focus stays in the
// box; `aria-activedescendant` announces the active suggestion, or else the active hit.
import {
  ask,
  countText,
  fill,
  filterOf,
  h,
  ICONS,
  icon,
  indexPath,
  isAbort,
  MARK_BEGINS,
  MARK_ENDS,
  type Question,
  ServerError,
} from '../parts/index.ts'
import { marked } from './hits.ts'

const SUGGESTIONS_MAX = 6

type Suggestion = {
  readonly text: string
  readonly highlighted: string
  readonly hits: number
}

export type QueryBoxOptions = {
  /** The current search, whose index and filters suggestions have. */
  readonly question: () => Question
  /** Called after each change of the text. */
  readonly search: (q: string) => void
  /** Called for keys that the list of suggestions does not use. */
  readonly onKey: (event: KeyboardEvent) => void
}

export class QueryBox {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
  readonly #options: QueryBoxOptions
  readonly #list = h('ul', {
    class: 'suggestions',
    id: 'suggestions',
    role: 'listbox',
    'aria-label': 'Suggestions',
    hidden: true,
  })
  #suggestions: readonly Suggestion[] = []
  #active = -1
  #abort = new AbortController()

  constructor(options: QueryBoxOptions) {
    this.#options = options
    this.input = h('input', {
      id: 'query',
      class: 'query',
      dir: 'auto',
      type: 'search',
      role: 'combobox',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      enterkeyhint: 'search',
      placeholder: 'Search',
      'aria-label': 'Search the index',
      'aria-controls': 'hits',
      'aria-expanded': 'true',
      'aria-autocomplete': 'list',
      'aria-keyshortcuts': '/',
      'aria-describedby': 'keys-hint',
      oninput: () => {
        options.search(this.input.value)
        this.#suggest()
      },
      onkeydown: (event) => {
        if (event.isComposing || !this.#onKey(event.key)) options.onKey(event)
        else event.preventDefault()
      },
      onblur: () => this.close(),
    })
    this.element = h(
      'div',
      { class: 'query-place' },
      icon(ICONS.search),
      this.input,
      h('kbd', { class: 'slash', 'aria-hidden': 'true' }, '/'),
      keysHint(),
      this.#list,
    )
  }

  close(): void {
    this.#abort.abort()
    this.#show([])
  }

  #suggest(): void {
    this.#abort.abort()
    this.#abort = new AbortController()
    const { signal } = this.#abort
    const question = this.#options.question()
    const request = {
      q: this.input.value,
      limit: SUGGESTIONS_MAX,
      filter: filterOf(question),
      highlightPreTag: MARK_BEGINS,
      highlightPostTag: MARK_ENDS,
    }
    ask<{ readonly suggestions: readonly Suggestion[] }>(
      'POST',
      indexPath(question.index, '/suggest'),
      request,
      signal,
    )
      .then(({ suggestions }) => {
        const isWanted = !signal.aborted && document.activeElement === this.input
        if (isWanted) this.#show(suggestions)
      })
      .catch((error: unknown) => {
        // The search of the same text reports what is wrong.
        if (!isAbort(error) && !(error instanceof ServerError)) throw error
        if (!signal.aborted) this.#show([])
      })
  }

  #show(suggestions: readonly Suggestion[]): void {
    this.#activate(-1)
    this.#suggestions = suggestions
    const isOpen = suggestions.length > 0
    this.#list.hidden = !isOpen
    this.input.setAttribute('aria-controls', isOpen ? 'suggestions' : 'hits')
    fill(
      this.#list,
      suggestions.map((suggestion, i) => this.#option(suggestion, i)),
    )
  }

  #option({ highlighted, hits, text }: Suggestion, number: number): HTMLElement {
    return h(
      'li',
      {
        class: 'suggestion',
        role: 'option',
        id: optionId(number),
        'aria-selected': 'false',
        'aria-label': text,
        // Keeps the focus in the box.
        onpointerdown: (event: Event) => event.preventDefault(),
        onclick: () => this.#take(text),
      },
      h('span', { class: 'suggestion-text' }, marked(highlighted)),
      h('span', { class: 'muted' }, countText(hits)),
    )
  }

  #take(text: string): void {
    this.close()
    this.input.value = text
    this.#options.search(text)
  }

  #activate(number: number): void {
    this.#list.children[this.#active]?.setAttribute('aria-selected', 'false')
    const option = this.#list.children[number]
    this.#active = option === undefined ? -1 : number
    if (option === undefined) this.input.removeAttribute('aria-activedescendant')
    else this.input.setAttribute('aria-activedescendant', optionId(number))
    option?.setAttribute('aria-selected', 'true')
  }

  /**
   * Returns true if the key was for the list. Below the last suggestion the hits begin, whose keys
   * are not for it.
   */
  #onKey(key: string): boolean {
    if (this.#list.hidden) return false
    const { length } = this.#suggestions
    if (key === 'ArrowDown' && this.#active < length - 1) this.#activate(this.#active + 1)
    else if (key === 'ArrowUp' && this.#active >= 0) this.#activate(this.#active - 1)
    else if (key === 'Enter' && this.#active >= 0) this.#take(this.#suggestions[this.#active]!.text)
    else if (key === 'ArrowDown' || key === 'Enter' || key === 'Escape') {
      this.close()
      return key === 'Escape'
    } else return false
    return true
  }
}

const optionId = (number: number): string => `suggestion-${number}`

/**
 * Returns the list of keys that work in the search box; CSS shows it while the box has the focus.
 */
const keysHint = (): HTMLElement =>
  h(
    'span',
    { class: 'keys-hint', id: 'keys-hint' },
    h('kbd', {}, '↑'),
    h('kbd', {}, '↓'),
    ' choose ',
    h('kbd', {}, 'Enter'),
    ' open',
  )
