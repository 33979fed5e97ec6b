// The console with one request and with two, without a browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Site } from '../parts/site.ts'
import { act, settled, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { ConsoleView } from './console-view.ts'
import { exampleOf } from './requests.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

it('sends one request, or two and compares them', async () => {
  const asked = stubServer({ 'POST /indexes/wares/search': { hits: [{ id: 1 }] } })
  const site = { question: question(), indexes: [{ uid: 'wares', primaryKey: 'id' }] }
  const view = new ConsoleView(site as unknown as Site)
  const { element } = view
  document.body.append(element)
  view.refresh()
  const first = element.querySelector('textarea')!
  expect([document.activeElement, first.value]).toEqual([first, expect.stringContaining('"q"')])
  const [send, compare] = element.querySelectorAll('button')
  send!.click()
  await settled()
  expect(asked).toHaveLength(1)
  first.value = '{"q":"x"}'
  compare!.click()
  const panes = element.children[1]!
  expect([panes.getAttribute('class'), compare!.textContent]).toEqual(['panes is-two', 'Only one'])
  const second = element.querySelectorAll('textarea')[1]!
  expect([document.activeElement, second.value]).toEqual([second, '{"q":"x"}'])
  act(second, 'keydown', { key: 'Enter', ctrlKey: true })
  await settled()
  expect(asked).toHaveLength(3)
  expect(panes.children[1]!.textContent).toContain('moved')
  compare!.click()
  expect([panes.getAttribute('class'), compare!.textContent]).toEqual(['panes', 'Compare two'])
  expect(panes.children).toHaveLength(1)
  expect(panes.textContent).not.toContain('moved')
})

it('has an example of each kind of request', () => {
  expect(exampleOf('search', 'a', 'b')).toEqual({ q: 'b', limit: 10, showRankingScore: true })
  expect(exampleOf('facet-search', 'a', 'b')).toEqual({ facetName: '', facetQuery: '' })
  expect(exampleOf('similar', 'a', 'b')).toEqual({ id: '', embedder: '', limit: 10 })
})
