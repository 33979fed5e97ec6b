// The search view as a whole, with a server that the test plays, without a browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Answer, Question } from '../parts/query.ts'
import type { Site } from '../parts/site.ts'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { SearchView } from './search-view.ts'

let appear: (isIntersecting: boolean) => void

beforeEach(() => {
  stubPage()
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(seen: (entries: readonly { isIntersecting: boolean }[]) => void) {
        appear = (isIntersecting) => seen([{ isIntersecting }])
      }
      observe = (): void => undefined
    },
  )
})
afterEach(async () => {
  // Answers arrive before the page is gone.
  await settled()
  vi.unstubAllGlobals()
})

const hitsFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: from + at, name: `hit ${from + at}` }))
const SETTINGS = {
  sortableAttributes: ['price', '_geo'],
  embedders: { e: { source: 'openAi' } },
  filterableAttributes: ['brand'],
  faceting: { maxValuesPerFacet: 2 },
  localizedAttributes: null,
}
type Query = { readonly offset: number; readonly facets?: unknown; readonly filter: unknown }

/** `answer`: of each search; `settings`: of the index. */
async function shown(
  answer: (query: Query) => Partial<Answer> | Response,
  change: Partial<Question> = {},
  settings: unknown = SETTINGS,
) {
  const queries: Query[] = []
  stubServer({
    'GET /indexes/wares/settings': settings,
    'POST /multi-search': ({ queries: some }: { queries: Query[] }) => {
      queries.push(...some)
      const answers = some.map(answer)
      const refusal = answers.find((one) => one instanceof Response)
      if (refusal !== undefined) return refusal
      return { results: answers.map((one) => ({ processingTimeMs: 3, hits: [], ...one })) }
    },
  })
  const changes: Partial<Question>[] = []
  const site = {
    question: question(change),
    indexes: [{ uid: 'wares', documents: 5 }],
    primaryKey: 'id',
    ask: (one: Partial<Question>) => changes.push(one),
  } as unknown as Site & { question: Question }
  const view = new SearchView(site)
  view.refresh()
  await settled()
  const { element } = view
  document.body.append(element)
  const byClass = (name: string) => element.querySelector<HTMLElement>(`.${name}`)!
  const input = element.querySelector<HTMLInputElement>('.query')!
  const press = (key: string, more: object = {}): Event =>
    act(input, 'keydown', { key, isComposing: false, ...more })
  return { view, site, queries, changes, element, byClass, input, press }
}

it('shows hits, facets, the order and the number of hits', async () => {
  const { element, byClass, input, queries, changes } = await shown(
    () => ({
      hits: hitsFrom(0, 2),
      estimatedTotalHits: 1200,
      facetDistribution: { brand: { a: 2, b: 1 } },
    }),
    { q: 'lamp', sort: 'price:desc' },
  )
  expect(queries).toHaveLength(1)
  expect(queries[0]).toMatchObject({ q: 'lamp', offset: 0, facets: [{ attribute: '*' }] })
  expect(byClass('summary').textContent).toBe('1,200 hits in 3 ms')
  expect(byClass('hits').children).toHaveLength(2)
  expect(byClass('more').getAttribute('hidden')).toBe('')
  expect(byClass('side').getAttribute('hidden')).toBeNull()
  expect(element.getAttribute('class')).toBe('search has-side')
  expect(input.value).toBe('lamp')
  const order = element.querySelector<HTMLSelectElement>('[aria-label=Order]')!
  expect([...order.querySelectorAll('option')].map(({ value }) => value)).toEqual([
    '',
    'price:asc',
    'price:desc',
  ])
  // The attribute, because happy-dom selects another option when this one joins the list.
  expect(order.querySelectorAll('option')[2]!.hasAttribute('selected')).toBe(true)
  order.value = 'price:asc'
  act(order, 'change')
  act(byClass('side').querySelector('input')!, 'change')
  expect(changes[0]).toEqual({ sort: 'price:asc' })
  expect([...changes[1]!.ticked!]).toMatchObject([['brand', expect.any(Set)]])
})

it('says that nothing was found, or asks for another spelling', async () => {
  const { byClass, element, changes } = await shown(
    () => ({ correctedQuery: 'lamp', estimatedTotalHits: 0 }),
    { q: 'lmap', ticked: new Map([['brand', new Set(['x'])]]) },
  )
  expect(byClass('note-place').textContent).toContain('Did you mean lamp?')
  expect(byClass('note-place').textContent).toContain('No document matches “lmap”.')
  byClass('note-place').querySelector('button')!.click()
  expect(changes).toEqual([{ ticked: new Map(), ranges: new Map() }])
  expect(byClass('summary').textContent).toBe('0 hits in 3 ms')
  expect(element.getAttribute('class')).toContain('has-side')
  const one = await shown(() => ({ hits: hitsFrom(0, 1) }))
  expect(one.byClass('summary').textContent).toBe('1 hit in 3 ms')
  expect(one.byClass('note-place').textContent).toBe('')
  expect(one.byClass('side').getAttribute('hidden')).toBe('')
})

it('loads pages until one is not full', async () => {
  const { byClass, queries, press } = await shown(({ offset }) => ({
    hits: hitsFrom(offset, offset < 20 ? 20 : 5),
  }))
  expect(byClass('more').getAttribute('hidden')).toBeNull()
  appear(false)
  expect(queries).toHaveLength(1)
  appear(true)
  byClass('more').click()
  await settled()
  expect(queries.map(({ offset, facets }) => [offset, facets === undefined])).toEqual([
    [0, false],
    [20, true],
  ])
  expect(byClass('hits').children).toHaveLength(25)
  expect(byClass('hits').children[20]!.getAttribute('id')).toBe('hit-20')
  expect(byClass('more').getAttribute('hidden')).toBe('')
  appear(true)
  for (let i = 0; i < 30; i++) press('ArrowDown')
  await settled()
  expect(queries).toHaveLength(2)
})

it('loads the next page when the last hit is active', async () => {
  const { queries, press } = await shown(({ offset }) => ({ hits: hitsFrom(offset, 20) }))
  for (let i = 0; i < 19; i++) press('ArrowDown')
  await settled()
  expect(queries).toHaveLength(1)
  press('ArrowDown')
  await settled()
  expect(queries).toHaveLength(2)
})

it('opens hits by keys, and Escape goes back step by step', async () => {
  const { byClass, input, press, view, changes } = await shown(() => ({ hits: hitsFrom(0, 3) }), {
    q: 'x',
  })
  const inspector = byClass('inspector')
  const isOpen = (): boolean => !inspector.hasAttribute('hidden')
  input.focus()
  press('ArrowDown')
  press('ArrowDown')
  expect([press('Enter').defaultPrevented, isOpen(), document.activeElement]).toEqual([
    true,
    true,
    inspector,
  ])
  expect(inspector.querySelector('h2')!.textContent).toBe('hit 1')
  press('ArrowUp')
  expect(inspector.querySelector('h2')!.textContent).toBe('hit 0')
  expect(press('x').defaultPrevented).toBe(false)
  expect(press('ArrowDown', { isComposing: true }).defaultPrevented).toBe(false)
  expect([view.escape(), isOpen(), document.activeElement]).toEqual([true, false, input])
  expect(view.escape()).toBe(false)
  byClass('hits').focus()
  press('Escape')
  expect(document.activeElement).toBe(input)
  press('Escape')
  expect([changes, input.value]).toEqual([[{ q: '' }], ''])
  press('Escape')
  expect(document.activeElement).toBe(document.body)
})

it('shows refusals, and keeps hits while a query with operators is typed', async () => {
  let code = ''
  const refusal = () =>
    new Response(JSON.stringify({ message: 'why', code }), { status: code === '' ? 500 : 400 })
  let isRefused = false
  const made = await shown(() => (isRefused ? refusal() : { hits: hitsFrom(0, 2) }))
  const { byClass, view, element, site } = made
  isRefused = true
  code = 'invalid_search_q'
  view.search()
  await settled()
  expect(byClass('note-place').textContent).toBe('why')
  expect(byClass('hits').children).toHaveLength(2)
  code = 'bad_request'
  view.search()
  await settled()
  expect(byClass('note-place').textContent).toBe(
    'The server refusedwhybad_request · status 400Try again',
  )
  expect([byClass('hits').children.length, byClass('summary').textContent]).toEqual([0, ''])
  expect(element.getAttribute('class')).toBe('search')
  // The hits of the query are gone, so its fault is shown as any other.
  code = 'invalid_search_q'
  view.search()
  await settled()
  expect(byClass('note-place').textContent).toContain('The server refused')
  site.question = question({ index: '' })
  view.refresh()
})

it('asks for no facets that the index does not have, and works without the settings', async () => {
  const none = await shown(() => ({}), {}, { filterableAttributes: [] })
  expect(none.queries[0]).not.toHaveProperty('facets')
  const secret = await shown(() => ({}), {}, new Response('{"message":"no"}', { status: 403 }))
  expect(secret.queries).toHaveLength(1)
  expect(secret.queries[0]).toHaveProperty('facets')
  const order = (of: typeof none) => of.element.querySelector('[aria-label=Order]')!
  expect(order(secret).getAttribute('hidden')).toBe('')
  const gone = new Response('{"message":"gone","code":"index_not_found"}', { status: 404 })
  const lost = await shown(() => ({}), {}, gone)
  expect(lost.queries).toEqual([])
  expect(lost.byClass('note-place').textContent).toContain('gone')
})

it('adds histograms of numbers', async () => {
  const { queries, byClass } = await shown((query) =>
    query.offset === undefined
      ? { facetDistribution: { price: { 0: 1, 10: 2 } } }
      : {
          hits: hitsFrom(0, 1),
          facetDistribution: { price: { 1: 1, 12: 1 } },
          facetStats: { price: { min: 0, max: 240 } },
        },
  )
  await settled()
  expect(queries).toHaveLength(2)
  expect(byClass('histogram').children).toHaveLength(2)
})

it('asks for changes by its box, its filters, its options and the share of meaning', async () => {
  const { element, byClass, input, changes, view, site } = await shown(() => ({
    hits: hitsFrom(0, 1),
    facetDistribution: { price: { 1: 1, 12: 1 } },
    facetStats: { price: { min: 0, max: 240 } },
  }))
  site.question = question({ ranges: new Map([['price', { low: 3, high: null }]]) })
  view.search()
  await settled()
  changes.length = 0
  input.value = 'lamp'
  act(input, 'input')
  const [low] = byClass('side').querySelectorAll('input')
  low!.value = '5'
  act(low!, 'change')
  byClass('side').querySelector('button')!.click()
  act(byClass('options'), 'change')
  const meaning = element.querySelector<HTMLSelectElement>('[aria-label=Embedder]')!
  meaning.value = 'e'
  act(meaning, 'change')
  expect(changes).toEqual([
    { q: 'lamp' },
    { ranges: new Map([['price', { low: 5, high: null }]]) },
    { ticked: new Map(), ranges: new Map() },
    { options: question().options },
    { embedder: 'e' },
  ])
})

it('shows the share of meaning and its options once an embedder is chosen', async () => {
  const hidden = (of: Awaited<ReturnType<typeof shown>>) => [
    of.element.querySelector('.balance')!.hasAttribute('hidden'),
    of.element.querySelectorAll('.options label')[1]!.hasAttribute('hidden'),
  ]
  expect(hidden(await shown(() => ({})))).toEqual([true, true])
  expect(hidden(await shown(() => ({}), { embedder: 'e' }))).toEqual([false, false])
})

it('opens and closes the filters on a small screen', async () => {
  const { byClass } = await shown(() => ({}))
  const toggle = byClass('filters-toggle')
  const states = [toggle, toggle].map((button) => {
    button.click()
    return [button.getAttribute('aria-expanded'), byClass('side').getAttribute('class')]
  })
  expect(states).toEqual([
    ['true', 'side is-open'],
    ['false', 'side'],
  ])
})

it('goes from document to document, and back to the element that had the focus', async () => {
  const { element, byClass, input } = await shown(() => ({ hits: hitsFrom(0, 3) }), { q: 'x' })
  const hits = byClass('hits')
  hits.focus()
  hits.querySelectorAll('li')[1]!.click()
  const heading = () => byClass('inspector').querySelector('h2')!.textContent
  const press = (label: string): void =>
    element.querySelector<HTMLElement>(`.inspector [aria-label="${label}"]`)!.click()
  expect(heading()).toBe('hit 1')
  press('Next hit')
  expect(heading()).toBe('hit 2')
  for (let i = 0; i < 4; i++) press('Previous hit')
  // Before the first one is the search box, whose document is the first one.
  expect(heading()).toBe('hit 0')
  press('Close')
  expect(document.activeElement).toBe(hits)
  hits.querySelectorAll('li')[1]!.click()
  hits.remove()
  press('Close')
  expect(document.activeElement).toBe(input)
})

it('counts hits with separators from a thousand on', async () => {
  const summary = async (estimatedTotalHits: number) =>
    (await shown(() => ({ estimatedTotalHits }))).byClass('summary').textContent
  expect([await summary(999), await summary(1000)]).toEqual([
    '999 hits in 3 ms',
    '1,000 hits in 3 ms',
  ])
})

it('shows why the next page is refused, and loads none after it', async () => {
  const { byClass, queries } = await shown(({ offset }) =>
    offset === 0
      ? { hits: hitsFrom(0, 20) }
      : new Response('{"message":"why","code":"x"}', { status: 400 }),
  )
  byClass('more').click()
  await settled()
  expect(byClass('note-place').textContent).toContain('why')
  expect(byClass('more').getAttribute('hidden')).toBe('')
  byClass('more').click()
  await settled()
  expect(queries).toHaveLength(2)
})

it('says that words may have other forms if the index finds words by their stems', async () => {
  const score = { order: 0, typoCount: 1, maxTypoCount: 2, score: 0.5 }
  const hits = [{ id: 1, _rankingScoreDetails: { typo: score } }]
  const note = async (localizedAttributes: unknown) => {
    const { byClass } = await shown(() => ({ hits }), {}, { ...SETTINGS, localizedAttributes })
    byClass('hits').querySelector('li')!.click()
    return byClass('rule-notes').textContent
  }
  const plain = '1 typo of at most 2'
  expect([await note(null), await note([{}]), await note([{}, { stemming: 'x' }])]).toEqual([
    plain,
    plain,
    '1 typo or other forms of at most 2',
  ])
})

it('drops the settings of an index when the user chooses another one', async () => {
  const { element, view, site } = await shown(() => ({}))
  const order = element.querySelector('[aria-label=Order]')!
  order.replaceChildren()
  view.refresh()
  site.question = question({ index: 'other' })
  await settled()
  expect(order.children).toHaveLength(0)
  view.focus()
  expect(document.activeElement).toBe(element.querySelector('.query'))
})

it('closes the document when another index is shown', async () => {
  const { byClass, view, site, input } = await shown(() => ({ hits: hitsFrom(0, 1) }))
  const isOpen = (): boolean => !byClass('inspector').hasAttribute('hidden')
  byClass('hits').querySelector('li')!.click()
  site.question = question({ q: 'new' })
  view.refresh()
  expect([isOpen(), input.value]).toEqual([true, 'new'])
  site.question = question({ index: 'other' })
  view.refresh()
  expect(isOpen()).toBe(false)
})
