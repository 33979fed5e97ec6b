// Hits and facets as elements, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Facet } from '../parts/query.ts'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { HIT, question } from '../test-question.ts'
import { Facets } from './facets.ts'
import { HitList } from './hit-list.ts'
import { hitTable } from './hit-table.ts'
import { hitCard } from './hits.ts'

beforeEach(() => stubPage('https://cdn.example.com'))
afterEach(() => vi.unstubAllGlobals())

describe('hits', () => {
  it('are cards with a picture, a score, a text and facts', () => {
    let opened = 0
    const card = hitCard(HIT, 3, 'id', question(), () => opened++)
    expect(markup(card)).toMatchInlineSnapshot(`
      "<li class="hit" role="option" id="hit-3" aria-selected="false">
        <img class="hit-picture" src="https://cdn.example.com/1.png" alt loading="lazy" decoding="async" referrerpolicy="no-referrer">
        <div class="hit-head">
          <h2 class="hit-heading" dir="auto">
            <mark>Lamp
          <span class="hit-score" title="Ranking score">
            <span class="bar" role="img" aria-label="ranking score 0.88">
              <span class="bar-inside" style="width: 87.60%;">
            <span aria-hidden="true">0.88
        <p class="facts">
          <span class="fact">
            <span class="fact-name">id
            " "
            <span class="fact-text" dir="auto">7
          <span class="fact">
            <span class="fact-name">text
            " "
            <span class="fact-text" dir="auto">a long text
          <span class="fact">
            <span class="fact-name">colour
            " "
            <span class="fact-text" dir="auto">red
      "
    `)
    card.click()
    expect(opened).toBe(1)
    const plain = hitCard({ id: 1 }, 0, 'id', question(), () => undefined)
    expect(markup(plain)).toMatchInlineSnapshot(`
      "<li class="hit" role="option" id="hit-0" aria-selected="false">
        <div class="hit-head">
          <h2 class="hit-heading" dir="auto">1
        <p class="facts">
      "
    `)
    expect(markup(hitCard({}, 0, null, question(), () => undefined))).toContain('no fields')
  })

  it('are a table with the primary key first', () => {
    const hits = [HIT, { id: 8, colour: 3 }]
    const opened: number[] = []
    const table = hitTable(hits, {
      label: 'Hits',
      primaryKey: 'id',
      open: (number) => opened.push(number),
      first: { heading: 'moved', cell: (number) => `by ${number}` },
    })
    expect(markup(table)).toMatchInlineSnapshot(`
      "<div class="hit-table" role="region" aria-label="Hits" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">#
              <th scope="col">moved
              <th scope="col">id
              <th scope="col">colour
              <th scope="col">name
              <th scope="col">poster
              <th scope="col">text
          <tbody>
            <tr>
              <td class="is-figure">
                <button class="link" type="button" aria-label="Open hit 1">1
              <td>by 0
              <td class="is-figure" dir="auto">7
              <td dir="auto">red
              <td dir="auto">
                <mark>Lamp
              <td dir="auto">
                <a href="https://cdn.example.com/1.png" target="_blank" rel="noopener noreferrer">https://cdn.example.com/1.png
              <td dir="auto">a long text
            <tr>
              <td class="is-figure">
                <button class="link" type="button" aria-label="Open hit 2">2
              <td>by 1
              <td class="is-figure" dir="auto">8
              <td class="is-figure" dir="auto">3
              <td dir="auto">
              <td dir="auto">
              <td dir="auto">
      "
    `)
    table.querySelectorAll('button')[1]!.click()
    expect(opened).toEqual([1])
    expect(markup(hitTable(hits, { label: 'x', primaryKey: null, open: null }))).not.toContain(
      '<button',
    )
  })

  it('are a list with an active hit, or a table', () => {
    const box = document.createElement('input')
    const opened: number[] = []
    const keys: unknown[] = []
    const list = new HitList(
      box,
      (number) => opened.push(number),
      ({ key }) => keys.push(key),
    )
    list.show([{ id: 1 }, { id: 2 }], 'id', question())
    list.append([{ id: 3 }], 'id', question())
    expect(list.hits).toHaveLength(3)
    const [ul, table] = list.element.children
    const selected = (): unknown[] =>
      [...ul!.children].map((card) => card.getAttribute('aria-selected') === 'true')
    expect([list.active, selected()]).toEqual([-1, [false, false, false]])
    list.step(1)
    list.step(1)
    expect([list.active, selected()]).toEqual([1, [false, true, false]])
    expect(box.getAttribute('aria-activedescendant')).toBe('hit-1')
    for (let i = 0; i < 3; i++) list.step(1)
    expect(list.active).toBe(2)
    for (let i = 0; i < 5; i++) list.step(-1)
    expect([list.active, selected()]).toEqual([-1, [false, false, false]])
    expect(box.getAttribute('aria-activedescendant')).toBeNull()
    box.setAttribute('aria-activedescendant', 'suggestion-1')
    list.activate(9)
    expect([list.active, box.getAttribute('aria-activedescendant')]).toEqual([-1, 'suggestion-1'])
    act(ul!, 'keydown', { key: 'x' })
    ul!.querySelectorAll('li')[2]!.click()
    expect([keys, opened]).toEqual([['x'], [2]])
    list.toggle.click()
    expect([ul!.getAttribute('hidden'), list.toggle.getAttribute('aria-pressed')]).toEqual([
      '',
      'true',
    ])
    expect(table!.querySelectorAll('tr').length).toBe(4)
    list.show([], 'id', question())
    expect([list.toggle.hidden, table!.querySelectorAll('tr').length]).toEqual([true, 0])
  })
})

describe('facets', () => {
  const countsOf = (values: number): Facet['counts'] =>
    Object.fromEntries(Array.from({ length: values }, (_, at) => [`v${at}`, values - at]))
  const facet = (
    name: string,
    values: number | Facet['counts'],
    stats: Facet['stats'] = null,
  ): Facet => ({ name, counts: typeof values === 'number' ? countsOf(values) : values, stats })
  function shown() {
    const events: unknown[] = []
    const facets = new Facets({
      tick: (...event) => events.push(event),
      range: (...event) => events.push(event),
      clear: () => events.push('clear'),
    })
    return { facets, events, element: facets.element }
  }

  it('have boxes for values, and show more on request', () => {
    const { facets, events, element } = shown()
    const ticked = new Map([['brand', new Set(['v1', 'gone'])]])
    facets.show(question({ ticked }), [facet('brand', 10), facet('none', 0)])
    expect(markup(element)).toMatchInlineSnapshot(`
      "<div class="facets">
        <button class="link" type="button">Clear all filters
        <fieldset>
          <legend>brand
          <ul>
            <li class="facet-value">
              <label>
                <input type="checkbox" checked data-focus="box brand v1">
                <span class="facet-name" dir="auto">v1
                <span class="count">9
            <li class="facet-value">
              <label>
                <input type="checkbox" checked data-focus="box brand gone">
                <span class="facet-name" dir="auto">gone
                <span class="count">0
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v0">
                <span class="facet-name" dir="auto">v0
                <span class="count">10
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v2">
                <span class="facet-name" dir="auto">v2
                <span class="count">8
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v3">
                <span class="facet-name" dir="auto">v3
                <span class="count">7
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v4">
                <span class="facet-name" dir="auto">v4
                <span class="count">6
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v5">
                <span class="facet-name" dir="auto">v5
                <span class="count">5
            <li class="facet-value">
              <label>
                <input type="checkbox" data-focus="box brand v6">
                <span class="facet-name" dir="auto">v6
                <span class="count">4
          <button class="link" type="button" data-focus="more brand">All 11
        <details class="empty-facets">
          <summary>1 facet without values
          <ul class="tags">
            <li>none
      "
    `)
    act(element.querySelector('input')!, 'change')
    const [clear, more] = element.querySelectorAll('button')
    clear!.click()
    expect(events).toEqual([['brand', expect.any(String), true], 'clear'])
    more!.click()
    expect(element.querySelectorAll('li')).toHaveLength(12)
    const fewer = [...element.querySelectorAll('button')].at(-1)!
    expect(fewer.textContent).toBe('Fewer')
    fewer.click()
    expect([...element.querySelectorAll('button')].at(-1)!.textContent).toBe('All 11')
    facets.valuesMax = 10
    facets.show(question(), [facet('brand', 10)])
    expect([...element.querySelectorAll('button')].at(-1)!.textContent).toBe('The 10 most frequent')
    facets.show(question(), [facet('brand', 8)])
    expect(element.querySelector('button')).toBeNull()
  })

  it('of many values have a field that asks the server', async () => {
    const { facets, element } = shown()
    facets.show(question({ q: 'x' }), [facet('brand', 29)])
    expect(element.querySelector('input[type=search]')).toBeNull()
    facets.show(question({ q: 'x' }), [facet('brand', 30)])
    const asked = stubServer({
      'POST /indexes/wares/facet-search': { facetHits: [{ value: 'found', count: 1200 }] },
    })
    const finder = element.querySelector('input')!
    finder.value = 'fo'
    act(finder, 'input')
    await settled()
    expect(asked).toEqual([
      [
        'POST /indexes/wares/facet-search',
        { facetName: 'brand', facetQuery: 'fo', q: 'x', filter: [] },
      ],
    ])
    expect([...element.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual([
      'found1,200',
    ])
    facets.show(question(), [facet('brand', 30)])
    expect(element.querySelector('input')!.value).toBe('fo')
  })

  it('of numbers have two ends and a histogram', () => {
    const { facets, events, element } = shown()
    const ranges = new Map([['price', { low: 20, high: null }]])
    const price = facet('price', 0, { min: 0, max: 240 })
    facets.show(question({ ranges }), [price], { price: { 0: 1, 10: 50, 30: 100 } })
    expect(markup(element)).toMatchInlineSnapshot(`
      "<div class="facets">
        <button class="link" type="button">Clear all filters
        <fieldset>
          <legend>price
          <div class="histogram" role="img" aria-label="price: documents by value, most at 30" style="grid-template-columns: repeat(4, 1fr);">
            <span class="histogram-bar is-out" title="0 to 10: 1" style="grid-column: 1; height: 4.0%;">
            <span class="histogram-bar is-out" title="10 to 20: 50" style="grid-column: 2; height: 50.0%;">
            <span class="histogram-bar" title="30 to 40: 100" style="grid-column: 4; height: 100.0%;">
          <div class="ends">
            <input type="number" step="any" inputmode="decimal" placeholder="0" value="20" aria-label="price, at least" data-focus="low price">
            <span>to
            <input type="number" step="any" inputmode="decimal" placeholder="240" aria-label="price, at most" data-focus="high price">
      "
    `)
    const [low, high] = element.querySelectorAll('input')
    low!.value = ''
    act(low!, 'change')
    high!.value = '99.5'
    act(high!, 'change')
    expect(events).toEqual([
      ['price', { low: null, high: null }],
      ['price', { low: 20, high: 99.5 }],
    ])
  })

  it('of a range have ends without hints, and values without documents are pale', () => {
    const { facets, element } = shown()
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
    const { facets, element } = shown()
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
    const { facets, element, events } = shown()
    const ticked = new Map([['brand', new Set(['found'])]])
    facets.show(question({ ticked }), [facet('brand', 30)])
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
