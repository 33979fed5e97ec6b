// A request of the console: its example, its answer, and the comparison with another one.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Site } from '../parts/site.ts'
import { act, markup, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { Pane } from './pane.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

const SITE = {
  question: question({ q: 'lamp' }),
  indexes: [
    { uid: 'wares', primaryKey: 'id' },
    { uid: 'films', primaryKey: null },
  ],
} as unknown as Site

function made(label = 'A') {
  let runs = 0
  const pane = new Pane(SITE, label, () => runs++)
  pane.offer()
  const { element } = pane
  document.body.append(element)
  const [kind, index] = element.querySelectorAll('select')
  const body = element.querySelector('textarea')!
  return { pane, element, kind: kind!, index: index!, body, runs: () => runs }
}
const buttonOf = (element: Element, text: string) =>
  [...element.querySelectorAll('button')].find(({ textContent }) => textContent === text)

it('begins with an example of its kind', () => {
  const { pane, element, kind, body, runs } = made()
  expect([...element.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual([
    'Search',
    'Search in facet values',
    'Similar documents',
    'Several searches',
    'wares',
    'films',
  ])
  expect(JSON.parse(body.value)).toEqual({ q: 'lamp', limit: 10, showRankingScore: true })
  expect(body.getAttribute('rows')).toBe('6')
  kind.value = 'multi-search'
  act(kind, 'change')
  expect(JSON.parse(body.value)).toEqual({
    queries: [{ indexUid: 'wares', q: 'lamp', limit: 10 }],
  })
  expect(body.getAttribute('rows')).toBe('10')
  pane.focus()
  expect(document.activeElement).toBe(body)
  for (const [key, more] of [
    ['x', { ctrlKey: true }],
    ['Enter', {}],
    ['Enter', { ctrlKey: true }],
    ['Enter', { metaKey: true }],
  ] as const) {
    act(body, 'keydown', { key, ...more })
  }
  expect(runs()).toBe(2)
})

it('shows its answer as a table or as JSON', async () => {
  const hits = [{ id: 1, name: 'a' }]
  const answer = { hits, estimatedTotalHits: 12, processingTimeMs: 3 }
  const asked = stubServer({ 'POST /indexes/wares/search': answer })
  const { pane, element } = made()
  await pane.run()
  expect(asked).toEqual([
    ['POST /indexes/wares/search', { q: 'lamp', limit: 10, showRankingScore: true }],
  ])
  const summary = element.querySelector('p')!.textContent
  expect(summary).toMatch(/^12 hits, 3 ms, \d+ B$/)
  expect(element.querySelectorAll('table')).toHaveLength(1)
  buttonOf(element, 'JSON')!.click()
  expect(element.querySelectorAll('table')).toHaveLength(0)
  expect(JSON.parse(element.querySelector('pre')!.textContent)).toEqual(answer)
  stubServer({ 'POST /indexes/wares/search': { hits: [] } })
  buttonOf(element, 'Table')!.click()
  await pane.run()
  expect(element.textContent).toContain('No hits.')
  expect(element.querySelector('p')!.textContent).toMatch(/^\d+ B$/)
  stubServer({ 'POST /indexes/wares/search': { results: [] } })
  await pane.run()
  expect(buttonOf(element, 'Table')).toBeUndefined()
})

it('refuses what is not JSON, and shows refusals of the server', async () => {
  stubServer({})
  const { pane, element, body } = made()
  await pane.run()
  expect(element.textContent).toContain('no POST /indexes/wares/search (not_found)')
  expect(body.getAttribute('aria-invalid')).toBe('true')
  body.value = '{'
  await pane.run()
  expect(element.textContent).toContain('This is not valid JSON')
  stubServer({ 'POST /indexes/wares/search': { hits: [] } })
  body.value = '{}'
  await pane.run()
  expect(body.getAttribute('aria-invalid')).toBeNull()
})

it('compares the places of hits with another pane', async () => {
  stubServer({ 'POST /indexes/wares/search': { hits: [{ id: 1 }, { id: 2 }] } })
  const first = made()
  await first.pane.run()
  stubServer({ 'POST /indexes/wares/search': { hits: [{ id: 2 }, { id: 3 }] } })
  const second = made('B')
  second.body.value = '{"q":"x"}'
  first.index.value = 'wares'
  await second.pane.run()
  second.pane.show(first.pane)
  expect(markup(second.element.querySelector('table')!)).toMatchInlineSnapshot(`
    "<table>
      <thead>
        <tr>
          <th scope="col">#
          <th scope="col">moved
          <th scope="col">id
      <tbody>
        <tr>
          <td class="is-figure">1
          <td>
            <span class="moved is-up">↑ 1
          <td class="is-figure" dir="auto">2
        <tr>
          <td class="is-figure">2
          <td>
            <span class="moved is-new">only here
          <td class="is-figure" dir="auto">3
    "
  `)
  second.pane.show(made().pane)
  expect(second.element.textContent).not.toContain('moved')
  second.pane.copy(first.pane)
  expect(second.body.value).toBe(first.body.value)
})
