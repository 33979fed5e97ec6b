// The search view: the search box, the filters, the sort order, the hits, and the document
// inspector. It sends a search after every change. Its parts have their own files.

import {
  type Answer,
  ask,
  countsFor,
  countText,
  errorNote,
  type Facet,
  facetsOf,
  fill,
  h,
  histogramsFor,
  ICONS,
  icon,
  indexPath,
  isAbort,
  PAGE_HITS,
  type Question,
  type SearchBody,
  ServerError,
  type Site,
  searchFor,
  withCounts,
  withTick,
} from '../parts/index.ts'
import { Facets } from './facets.ts'
import { HitList } from './hit-list.ts'
import { Inspector } from './inspector.ts'
import { type Embedders, Meaning, searchingEmbedders } from './meaning.ts'
import { OptionsMenu } from './options-menu.ts'
import { QueryBox } from './query-box.ts'
import { correctionNote, nothingNote } from './search-notes.ts'

type Settings = {
  readonly sortableAttributes?: readonly string[]
  readonly embedders?: Embedders
  readonly localizedAttributes?: readonly { readonly stemming?: unknown }[] | null
  readonly filterableAttributes?: readonly unknown[]
  readonly faceting?: { readonly maxValuesPerFacet: number }
}

type Answers = { readonly results: readonly Answer[] }

export class SearchView {
  readonly element: HTMLElement
  readonly #site: Site
  readonly #box: QueryBox
  readonly #input: HTMLInputElement
  readonly #list: HitList
  readonly #note = h('div', { class: 'note-place' })
  readonly #summary = h('p', { class: 'summary', role: 'status' })
  readonly #sort = h('select', { 'aria-label': 'Order' })
  readonly #meaning: Meaning
  readonly #options = new OptionsMenu((options) => this.#change({ options }))
  readonly #more = h('button', { class: 'more', type: 'button', hidden: true }, 'Show more')
  readonly #facets: Facets
  readonly #inspector: Inspector
  readonly #side: HTMLElement
  #abort = new AbortController()
  #settingsOf = ''
  /** False if the index has no filterable attributes: a request for facets would fail. */
  #hasFacets = true
  #embedders: Embedders = {}
  #hasStems = false
  /** The element that had the focus before the inspector was opened. */
  #returnTo: HTMLElement | null = null
  /** The index whose hits are shown. */
  #shownIndex = ''
  #isEnd = true
  #isLoading = false

  constructor(site: Site) {
    this.#site = site
    this.#box = new QueryBox({
      question: () => site.question,
      search: (q) => this.#change({ q }),
      onKey: (event) => this.#onKey(event),
    })
    this.#input = this.#box.input
    this.#list = new HitList(
      this.#input,
      (number) => this.#inspect(number),
      (event) => this.#onKey(event),
    )
    this.#facets = new Facets({
      tick: (facet, value, isOn) =>
        this.#change({ ticked: withTick(site.question, facet, value, isOn) }),
      range: (facet, range) =>
        this.#change({ ranges: new Map([...site.question.ranges, [facet, range]]) }),
      clear: () => this.#clearFilters(),
    })
    this.#meaning = new Meaning((change) => {
      this.#change(change)
      this.#showMeaning()
    })
    this.#inspector = new Inspector({
      close: () => (this.#returnTo?.isConnected ? this.#returnTo : this.#input).focus(),
      step: (by) => {
        this.#list.step(by)
        this.#inspect(Math.max(0, this.#list.active))
      },
    })
    this.#side = h(
      'aside',
      { class: 'side', id: 'filters', 'aria-label': 'Filters' },
      this.#facets.element,
    )
    this.#sort.addEventListener('change', () => this.#change({ sort: this.#sort.value }))
    this.#more.addEventListener('click', () => this.#load())
    new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) this.#load()
      },
      { rootMargin: '400px' },
    ).observe(this.#more)
    this.element = this.#layout()
  }

  focus(): void {
    this.#input.focus()
    this.#input.select()
  }

  /** Handles Escape for any focused element; returns false if there was nothing to close. */
  escape(): boolean {
    if (!this.#inspector.isOpen) return false
    this.#inspector.close()
    return true
  }

  /**
   * Reads the settings and searches again, because the address, the index or documents have
   * changed.
   */
  refresh(): void {
    const { question } = this.#site
    if (this.#input.value !== question.q) this.#input.value = question.q
    if (question.index !== this.#settingsOf) this.#inspector.close()
    if (question.index === '') return
    this.#readSettings()
      .then(() => this.search())
      .catch((error: unknown) => this.#refuse(error))
  }

  /** Searches with the current state of the address. */
  search(): void {
    const { options, embedder } = this.#site.question
    this.#options.show(options, embedder !== '')
    this.#search().catch((error: unknown) => this.#refuse(error))
  }

  #layout(): HTMLElement {
    const toggle = h(
      'button',
      {
        class: 'quiet filters-toggle',
        type: 'button',
        'aria-controls': 'filters',
        'aria-expanded': 'false',
        onclick: () => {
          const isOpen = this.#side.classList.toggle('is-open')
          toggle.setAttribute('aria-expanded', String(isOpen))
        },
      },
      icon(ICONS.filter),
      'Filters',
    )
    return h(
      'div',
      { class: 'search' },
      h(
        'section',
        { class: 'search-head', 'aria-label': 'Search' },
        this.#box.element,
        h(
          'div',
          { class: 'tools' },
          toggle,
          this.#summary,
          this.#list.toggle,
          this.#meaning.element,
          this.#options.element,
          this.#sort,
        ),
      ),
      this.#side,
      h('section', { class: 'results' }, this.#note, this.#list.element, this.#more),
      this.#inspector.element,
    )
  }

  #change(change: Partial<Question>): void {
    this.#site.ask(change)
  }

  #clearFilters(): void {
    this.#change({ ticked: new Map(), ranges: new Map() })
  }

  async #readSettings(): Promise<void> {
    const { index, sort } = this.#site.question
    this.#settingsOf = index
    const settings = await ask<Settings>('GET', indexPath(index, '/settings')).catch(
      (error: unknown): Settings => {
        // A search key may not read settings; the view then offers no sort order and no embedder.
        if (!(error instanceof ServerError && error.wantsKey)) throw error
        return {}
      },
    )
    if (index !== this.#site.question.index) return
    this.#hasFacets = settings.filterableAttributes?.length !== 0
    this.#embedders = settings.embedders ?? {}
    this.#facets.valuesMax = settings.faceting?.maxValuesPerFacet ?? null
    this.#hasStems = (settings.localizedAttributes ?? []).some(({ stemming }) => stemming != null)
    this.#showMeaning()
    const names = (settings.sortableAttributes ?? []).filter((name) => name !== '_geo')
    const choices = names.flatMap((name) => [
      [`${name}:asc`, `${name} ↑`],
      [`${name}:desc`, `${name} ↓`],
    ])
    fill(
      this.#sort,
      h('option', { value: '' }, 'By relevance'),
      choices.map(([value, text]) => h('option', { value, selected: value === sort }, text ?? '')),
    )
    this.#sort.hidden = choices.length === 0
  }

  #showMeaning(): void {
    this.#meaning.show(searchingEmbedders(this.#embedders), this.#site.question)
  }

  async #search(): Promise<void> {
    this.#abort.abort()
    this.#abort = new AbortController()
    const { question } = this.#site
    const counts = this.#hasFacets ? countsFor(question) : []
    const queries = [searchFor(question, 0, this.#hasFacets), ...counts]
    const [found, ...counted] = await this.#askAll(queries)
    const first = withCounts(found!, counted)
    this.#isEnd = first.hits.length < PAGE_HITS
    this.#isLoading = false
    this.#shownIndex = question.index
    this.#list.show(first.hits, this.#site.primaryKey, question)
    this.#more.hidden = this.#isEnd
    const facets = facetsOf(question, first)
    this.#facets.show(question, facets)
    const histograms = histogramsFor(question, facets)
    if (histograms !== null) this.#showHistograms(histograms, question, facets)
    this.#side.hidden = facets.length === 0
    this.element.classList.toggle('has-side', !this.#side.hidden)
    const total = first.estimatedTotalHits ?? first.hits.length
    fill(
      this.#summary,
      h('b', {}, total >= 1000 ? `${countText(total)}` : String(total)),
      total === 1 ? ' hit' : ' hits',
      h('span', { class: 'muted' }, ` in ${first.processingTimeMs} ms`),
    )
    const { correctedQuery: corrected } = first
    fill(
      this.#note,
      corrected === undefined ? null : correctionNote(question, corrected),
      total === 0 ? nothingNote(question, this.#site, () => this.#clearFilters()) : null,
    )
  }

  /** Adds the histograms when they are there: the hits do not wait for them. */
  #showHistograms(query: SearchBody, question: Question, facets: readonly Facet[]): void {
    const { signal } = this.#abort
    const read = async (): Promise<void> => {
      const { facetDistribution } = await this.#ask(query)
      if (!signal.aborted) this.#facets.show(question, facets, facetDistribution)
    }
    read().catch((error: unknown) => {
      // The numbers have their fields without bars, too.
      if (!isAbort(error) && !(error instanceof ServerError)) throw error
    })
  }

  /** Loads the next page if the last one was full. */
  #load(): void {
    if (this.#isEnd || this.#isLoading) return
    this.#isLoading = true
    const from = this.#list.hits.length
    const { signal } = this.#abort
    const { question } = this.#site
    const read = async (): Promise<void> => {
      const { hits } = await this.#ask(searchFor(question, from, false))
      if (signal.aborted) return
      this.#list.append(hits, this.#site.primaryKey, question)
      this.#isEnd = hits.length < PAGE_HITS
      this.#more.hidden = this.#isEnd
      this.#isLoading = false
    }
    read().catch((error: unknown) => {
      this.#isEnd = true
      this.#refuse(error)
    })
  }

  async #ask(query: SearchBody): Promise<Answer> {
    const [answer] = await this.#askAll([query])
    return answer!
  }

  async #askAll(queries: readonly SearchBody[]): Promise<readonly Answer[]> {
    const path = '/multi-search'
    const { results } = await ask<Answers>('POST', path, { queries }, this.#abort.signal)
    if (results.length !== queries.length) throw new Error('each search has an answer')
    return results
  }

  #refuse(error: unknown): void {
    if (isAbort(error)) return
    if (!(error instanceof ServerError)) throw error
    if (error.code === 'invalid_search_q' && this.#shownIndex === this.#site.question.index) {
      // While a query with operators is typed, the hits of the last complete one stay.
      fill(this.#note, h('p', { class: 'muted', role: 'status' }, error.message))
      this.#more.hidden = true
      return
    }
    this.#shownIndex = ''
    this.#list.show([], null, this.#site.question)
    fill(this.#summary)
    this.#more.hidden = true
    this.#side.hidden = true
    this.element.classList.remove('has-side')
    fill(this.#note, errorNote(error, this.#site))
  }

  /** Opens the document of a hit and moves the focus to it; closing it restores the focus. */
  #inspect(number: number): void {
    if (this.#show(number)) this.#inspector.focus()
  }

  #show(number: number): boolean {
    const hit = this.#list.hits[number]
    if (hit === undefined) return false
    const { activeElement } = document
    if (activeElement instanceof HTMLElement && !this.#inspector.element.contains(activeElement)) {
      this.#returnTo = activeElement
    }
    this.#list.activate(number)
    const { question, primaryKey } = this.#site
    this.#inspector.open({
      hit,
      question,
      primaryKey,
      embedders: Object.keys(this.#embedders),
      hasStems: this.#hasStems,
    })
    return true
  }

  /** Handles the keys of the search box and of the list. */
  #onKey(event: KeyboardEvent): void {
    const { key } = event
    const list = this.#list
    if (event.isComposing) return
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      list.step(key === 'ArrowDown' ? 1 : -1)
      if (list.active === list.hits.length - 1) this.#load()
      if (this.#inspector.isOpen) this.#show(list.active)
    } else if (key === 'Enter') this.#inspect(Math.max(0, list.active))
    else if (key === 'Escape') this.#onEscape(event)
    else return
    event.preventDefault()
  }

  #onEscape(event: KeyboardEvent): void {
    const hasFocus = document.activeElement === this.#input
    if (this.escape()) event.stopPropagation()
    else if (!hasFocus) this.#input.focus()
    else if (this.#input.value !== '') {
      this.#input.value = ''
      this.#change({ q: '' })
    } else this.#input.blur()
  }
}
