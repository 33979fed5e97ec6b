// The console with one request and with two, without a browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Site } from '../parts/site.ts'
import { fake, focused, settled, stubPage, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { ConsoleView } from './console-view.ts'
import { exampleOf } from './requests.ts'

beforeEach(() => stubPage())
afterEach(() => vi.unstubAllGlobals())

it('sends one request, or two and compares them', async () => {
  const asked = stubServer({ 'POST /indexes/wares/search': { hits: [{ id: 1 }] } })
  const site = { question: question(), indexes: [{ uid: 'wares', primaryKey: 'id' }] }
  const view = new ConsoleView(site as unknown as Site)
  const element = fake(view.element)
  fake(document.body).focus()
  view.refresh()
  const [first] = element.all('textarea')
  expect([focused(), first!.getAttribute('value')]).toEqual([first, expect.stringContaining('"q"')])
  const [send, compare] = element.all('button')
  send!.act('click')
  await settled()
  expect(asked).toHaveLength(1)
  first!.setAttribute('value', '{"q":"x"}')
  compare!.act('click')
  const panes = element.children[1]!
  expect([panes.getAttribute('class'), compare!.textContent]).toEqual(['panes is-two', 'Only one'])
  const second = element.all('textarea')[1]
  expect([focused(), second!.getAttribute('value')]).toEqual([second, '{"q":"x"}'])
  second!.act('keydown', { key: 'Enter', ctrlKey: true })
  await settled()
  expect(asked).toHaveLength(3)
  expect(panes.children[1]!.textContent).toContain('moved')
  compare!.act('click')
  expect([panes.getAttribute('class'), compare!.textContent]).toEqual(['panes', 'Compare two'])
  expect(panes.children).toHaveLength(1)
  expect(panes.textContent).not.toContain('moved')
})

it('has an example of each kind of request', () => {
  expect(exampleOf('search', 'a', 'b')).toEqual({ q: 'b', limit: 10, showRankingScore: true })
  expect(exampleOf('facet-search', 'a', 'b')).toEqual({ facetName: '', facetQuery: '' })
  expect(exampleOf('similar', 'a', 'b')).toEqual({ id: '', embedder: '', limit: 10 })
})
