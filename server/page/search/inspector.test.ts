// The inspector and similar documents, where something is missing or takes longer, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { HIT, question } from '../test-question.ts'
import { Inspector } from './inspector.ts'
import { similarSection } from './similar.ts'

beforeEach(() => stubPage('https://cdn.example.com'))
afterEach(() => vi.unstubAllGlobals())

describe('the inspector', () => {
  const opened = (change: object = {}) => {
    const inspected = {
      hit: HIT as object,
      question: question(),
      primaryKey: 'id' as string | null,
      embedders: ['a'],
      hasStems: false,
      ...change,
    } as Parameters<Inspector['open']>[0]
    const steps: number[] = []
    const inspector = new Inspector({ close: () => undefined, step: (by) => steps.push(by) })
    document.body.append(inspector.element)
    inspector.open(inspected)
    const { element } = inspector
    const texts = (selector: string) =>
      [...element.querySelectorAll(selector)].map(({ textContent }) => textContent)
    return { inspector, inspected, element, steps, texts }
  }

  it('neither reads a document without a key, nor looks for similar ones', async () => {
    const asked = stubServer({})
    for (const change of [{ primaryKey: null }, { primaryKey: 'other' }]) {
      const { texts } = opened(change)
      await settled()
      expect(texts('h3')).toEqual(['Ranking0.8760', 'DocumentCopy JSON'])
    }
    expect(asked).toEqual([])
    expect(opened({ embedders: [] }).texts('h3')).toHaveLength(2)
    expect(opened().texts('h3')).toHaveLength(3)
  })

  it('shows a document without fields, and no ranking without its details', () => {
    stubServer({})
    const { texts } = opened({ hit: {}, primaryKey: null })
    expect([texts('h2'), texts('h3'), texts('dt')]).toEqual([
      ['Document'],
      ['DocumentCopy JSON'],
      [],
    ])
  })

  it('shows rules without scores and notes, and scores with parts', () => {
    stubServer({})
    const words = [{ word: 'sea', idf: 1, frequency: 2, contribution: 3 }]
    const details = {
      'price:asc': { order: 1 },
      bm25: { order: 0, bm25: 3, words, score: 0.25 },
    }
    const { element } = opened({ hit: { id: 1, _rankingScoreDetails: details } })
    expect(markup(element.querySelector('.rules')!.parentElement!)).toMatchInlineSnapshot(`
      "<section>
        <h3>
          "Ranking"
          <b class="score">0.0000
        <ol class="rules">
          <li>
            <span class="rule">bm25
            <span class="rule-score">0.250
            <span class="bar" role="img" aria-label="bm25: 0.250">
              <span class="bar-inside" style="width: 25.00%;">
            <span class="rule-notes">3.00, the sum of its words
            <ul class="rule-parts">
              <li>
                <span class="rule-part" dir="auto">“sea”
                <span class="rule-score">3.00: rarity 1.00, occurs 2.00 times
                <span class="bar" role="img" aria-label="“sea”: 3.00: rarity 1.00, occurs 2.00 times">
                  <span class="bar-inside" style="width: 100.00%;">
          <li>
            <span class="rule">price:asc
            <span class="rule-score">
      "
    `)
  })

  it('shows numbers, links without pictures, and marks objects that meet the filters', async () => {
    const variants = [
      { colour: 'red', size: 1 },
      { colour: 'blue', size: 2 },
    ]
    const link = 'https://other.example/1.png'
    stubServer({
      'GET /indexes/wares/documents/7': { id: 7, link, isOn: true, none: [], variants },
    })
    const ticked = new Map([['variants.colour', new Set(['blue'])]])
    const { element } = opened({ question: question({ ticked }) })
    await settled()
    expect(markup(element.querySelector('.fields')!)).toMatchInlineSnapshot(`
      "<dl class="fields">
        <div>
          <dt>id
          <dd dir="auto">
            <span class="is-number">7
        <div>
          <dt>link
          <dd dir="auto">
            <a href="https://other.example/1.png" target="_blank" rel="noopener noreferrer">https://other.example/1.png
        <div>
          <dt>isOn
          <dd dir="auto">
            <span class="is-boolean">true
        <div>
          <dt>none
          <dd dir="auto">
            <pre>[]
        <div>
          <dt>variants
          <dd dir="auto">
            <pre>
              "["
              "\\n  "
              "{"
              "\\n    \\"colour\\": "
              "\\"red\\""
              ",\\n    \\"size\\": "
              "1"
              "\\n  }"
              ",\\n  "
              <mark>{
          "colour": "blue",
          "size": 2
        }
              "\\n]"
      "
    `)
  })

  it('copies the document as JSON', async () => {
    const document = { id: 7, a: [1] }
    stubServer({ 'GET /indexes/wares/documents/7': document })
    const copied: string[] = []
    vi.stubGlobal('navigator', {
      clipboard: { writeText: async (text: string) => copied.push(text) },
    })
    const { element } = opened()
    await settled()
    element.querySelector<HTMLElement>('h3 button.small')!.click()
    expect(copied).toEqual([JSON.stringify(document, null, 2)])
  })

  it('leaves keys to elements that use them', async () => {
    stubServer({ 'GET /indexes/wares/documents/7': { id: 7, a: [1] } })
    const { element, steps } = opened()
    await settled()
    const press = (target: Element, more: object = {}) =>
      act(target, 'keydown', { key: 'ArrowRight', ...more }).defaultPrevented
    expect(press(element.querySelector('pre')!)).toBe(false)
    for (const name of ['ctrlKey', 'metaKey', 'altKey']) {
      expect(press(element, { [name]: true })).toBe(false)
    }
    expect([press(element.querySelector('h2')!), steps]).toEqual([true, [1]])
  })

  it('shows the document that was opened last', async () => {
    const waiting: (() => void)[] = []
    vi.stubGlobal('fetch', (path: string, { signal }: RequestInit) => {
      const id = Number(path.split('/').at(-1))
      return new Promise((resolve, reject) => {
        signal!.addEventListener('abort', () => reject(new DOMException('x', 'AbortError')))
        waiting.push(() => resolve(new Response(JSON.stringify({ id, name: `complete ${id}` }))))
      })
    })
    const { inspector, inspected, texts } = opened({ hit: { id: 1, name: 'one' } })
    inspector.open({ ...inspected, hit: { id: 2, name: 'two' } as never })
    for (const answer of waiting.toReversed()) answer()
    await settled()
    expect(texts('dd')).toEqual(['2', 'complete 2'])
    inspector.close()
    expect(inspector.isOpen).toBe(false)
  })

  it('opens a similar document', async () => {
    stubServer({ 'POST /indexes/wares/similar': { hits: [{ id: 8, name: 'Torch' }] } })
    const { element, texts } = opened({ primaryKey: 'id' })
    await settled()
    const [show] = [...element.querySelectorAll('button')].filter(
      ({ textContent }) => textContent === 'Show',
    )
    show!.click()
    await settled()
    element.querySelector<HTMLElement>('.similar button')!.click()
    expect([texts('h2'), texts('dd')]).toEqual([['Torch'], ['8', 'Torch']])
  })
})

describe('similar documents', () => {
  const to = {
    index: 'wares',
    key: 7,
    primaryKey: null,
    embedders: ['a'],
    embedder: 'other',
    signal: new AbortController().signal,
    open: () => undefined,
  }
  const shown = async (change: object = {}) => {
    const section = similarSection({ ...to, ...change })
    section.querySelector('button')!.click()
    await settled()
    return section.querySelector('ul')!.textContent
  }

  it('may be missing, and may have neither a heading nor a score', async () => {
    stubServer({ 'POST /indexes/wares/similar': { hits: [] } })
    expect(await shown()).toBe('None.')
    stubServer({ 'POST /indexes/wares/similar': { hits: [{}] } })
    const section = similarSection(to)
    section.querySelector('button')!.click()
    await settled()
    expect(markup(section.querySelector('li')!)).toMatchInlineSnapshot(`
      "<li>
        <button class="link" type="button">Document
        <span class="bar" role="img" aria-label="similarity 0.00">
          <span class="bar-inside" style="width: 0.00%;">
      "
    `)
  })

  it('are left out when another document was opened meanwhile', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
    expect(await shown()).toBe('')
  })
})
