// Documents, similar documents, hits, facets and rankings that lack something or hold other values,
// without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Facet } from '../parts/query.ts'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { HIT, question } from '../test-question.ts'
import { Facets } from './facets.ts'
import { hitCard } from './hits.ts'
import { Inspector } from './inspector.ts'
import { markdown } from './markdown.ts'
import { picture, webAddress } from './picture.ts'
import { ruleScores } from './ranking.ts'
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

  it('of a document that is no longer shown are not shown', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('x', 'AbortError')))
    expect(await shown()).toBe('')
  })
})

it('a picture that cannot be loaded disappears', () => {
  const place = document.createElement('div')
  const image = picture('https://cdn.example.com/1.png', 'small')
  place.append(image)
  expect(place.children).toHaveLength(1)
  act(image, 'error')
  expect(place.children).toHaveLength(0)
  expect(webAddress('https://a b')).toBeNull()
  expect(webAddress('http://[')).toBeNull()
  expect(webAddress('HTTPS://a/b')?.href).toBe('https://a/b')
})

it('a hit has its key as a fact, its text, and a score of 0 without one', () => {
  const text = 'word '.repeat(12).trim()
  const details = { words: { order: 0, matchingWords: 1, maxMatchingWords: 1, score: 1 } }
  const card = hitCard(
    { id: 7, name: 'Lamp', text, _rankingScoreDetails: details },
    0,
    'id',
    question(),
    () => undefined,
  )
  expect(markup(card)).toMatchInlineSnapshot(`
    "<li class="hit" role="option" id="hit-0" aria-selected="false">
      <div class="hit-head">
        <h2 class="hit-heading" dir="auto">Lamp
        <span class="hit-score" title="Ranking score">
          <span class="bar" role="img" aria-label="ranking score 0.00">
            <span class="bar-inside" style="width: 0.00%;">
          <span aria-hidden="true">0.00
      <p class="hit-text" dir="auto">word word word word word word word word word word word word
      <p class="facts">
        <span class="fact">
          <span class="fact-name">id
          " "
          <span class="fact-text" dir="auto">7
    "
  `)
  const headed = hitCard({ id: 'key', n: 1 }, 0, 'id', question(), () => undefined)
  expect(headed.querySelector('.facts')!.textContent).toBe('n 1')
})

it('rules without an order come last, and their members have names in words', () => {
  const scores = ruleScores({
    later: { score: 'high', maxWordCount: 3 },
    exactness: { order: 0, score: 1, typoCount: 2, maxTypoCount: 2 },
    none: null,
  })
  expect(scores).toEqual([
    { rule: 'exactness', score: 1, notes: ['2 typos of at most 2'], parts: [] },
    { rule: 'later', score: null, notes: ['max word count 3'], parts: [] },
  ])
})

describe('Markdown', () => {
  const shown = (text: string): string => {
    const place = document.createElement('div')
    const add = (child: unknown): void => {
      if (Array.isArray(child)) for (const one of child) add(one)
      else if (child !== null && child !== false) place.append(child as Node)
    }
    add(markdown(text))
    return markup(place)
  }

  it('has breaks, tight and loose lists, code and definitions', () => {
    const text = ['a  \nb', '1. one\n\n2. two', '[d]: https://a.example', '[c][d]', '<p>x</p>']
    expect(shown(text.join('\n\n'))).toMatchInlineSnapshot(`
      "<div>
        <p>
          "a"
          <br>
          "b"
        <ol start="1">
          <li>
            <p>one
          <li>
            <p>two
        <p>
          <a href="https://a.example/" target="_blank" rel="noopener noreferrer">c
        "<p>x</p>"
      "
    `)
  })

  it('that nests too deeply stays as it is', () => {
    const deep = `${'>'.repeat(29_000)} a`
    expect(shown(deep)).toBe(`<div>\n  <pre tabindex="0">${deep}\n`)
  })
})

describe('facets', () => {
  const facet = (name: string, counts: Facet['counts'], stats: Facet['stats'] = null): Facet => ({
    name,
    counts,
    stats,
  })
  const made = () => {
    const events: unknown[] = []
    const facets = new Facets({
      tick: (...event) => events.push(event),
      range: (...event) => events.push(event),
      clear: () => events.push('clear'),
    })
    return { facets, events, element: facets.element }
  }

  it('of a range have ends without hints, and values without documents are pale', () => {
    const { facets, element } = made()
    const ranges = new Map([['price', { low: null, high: 5 }]])
    facets.show(question({ ranges }), [facet('price', {}), facet('brand', { a: 0, b: 1 })])
    const ends = [...element.querySelectorAll<HTMLInputElement>('input[type=number]')]
    expect(ends.map(({ placeholder, value }) => [placeholder, value])).toEqual([
      ['', ''],
      ['', '5'],
    ])
    expect(
      [...element.querySelectorAll('.facet-value')].map((one) => [
        one.textContent,
        one.getAttribute('class'),
      ]),
    ).toEqual([
      ['b1', 'facet-value'],
      ['a0', 'facet-value is-empty'],
    ])
  })

  it('draw bars that reach into the range', () => {
    const { facets, element } = made()
    const out = (low: number | null, high: number | null) => {
      const stats = { min: 0, max: 240 }
      const price = [facet('price', {}, stats)]
      const ranges = new Map([['price', { low, high }]])
      facets.show(question({ ranges }), price, { price: { 0: 1, 10: 1, 20: 1 } })
      return [...element.querySelectorAll('.histogram-bar')].map((bar) =>
        bar.getAttribute('class')!.includes('is-out'),
      )
    }
    expect(out(null, null)).toEqual([false, false, false])
    expect(out(9, null)).toEqual([false, false, false])
    expect(out(10, null)).toEqual([true, false, false])
    expect(out(null, 10)).toEqual([false, false, true])
    expect(out(null, 9)).toEqual([false, true, true])
    expect(out(10, 10)).toEqual([true, false, true])
  })

  it('keep their values while a search for one is refused, or a later one runs', async () => {
    const { facets, element, events } = made()
    const counts = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`v${at}`, 30 - at]))
    const ticked = new Map([['brand', new Set(['found'])]])
    facets.show(question({ ticked }), [facet('brand', counts)])
    const finder = element.querySelector<HTMLInputElement>('input[type=search]')!
    const type = async (text: string): Promise<void> => {
      finder.value = text
      act(finder, 'input')
      await settled()
    }
    const before = element.querySelectorAll('li').length
    stubServer({})
    await type('a')
    expect(element.querySelectorAll('li')).toHaveLength(before)
    const signals: (AbortSignal | null | undefined)[] = []
    vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
      signals.push(signal)
      return Promise.reject(new DOMException('x', 'AbortError'))
    })
    await type('ab')
    await type('abc')
    expect(signals.map((signal) => signal!.aborted)).toEqual([true, false])
    expect(element.querySelectorAll('li')).toHaveLength(before)
    stubServer({
      'POST /indexes/wares/facet-search': {
        facetHits: [
          { value: 'found', count: 0 },
          { value: 'other', count: 0 },
        ],
      },
    })
    await type('o')
    const boxes = [...element.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]
    expect(boxes.map(({ checked }) => checked)).toEqual([true, false])
    boxes[1]!.checked = true
    act(boxes[1]!, 'change')
    expect(events).toEqual([['brand', 'other', true]])
  })
})
