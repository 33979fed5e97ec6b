// A document, the controls and the notes of a search as elements, without a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Site } from '../parts/site.ts'
import { act, markup, settled, stubPage, stubServer } from '../test-dom.ts'
import { HIT, question } from '../test-question.ts'
import { hitText } from './hit-text.ts'
import { hitCard } from './hits.ts'
import { Inspector } from './inspector.ts'
import { markdown } from './markdown.ts'
import { Meaning, searchingEmbedders } from './meaning.ts'
import { picture, webAddress } from './picture.ts'
import { ruleScores } from './ranking.ts'
import { correctionNote, nothingNote } from './search-notes.ts'
import { similarSection } from './similar.ts'

const site = (change: Partial<Site> = {}): Site =>
  ({ indexes: [], primaryKey: null, ...change }) as Site

beforeEach(() => stubPage('https://cdn.example.com'))
afterEach(() => vi.unstubAllGlobals())

describe('the inspector', () => {
  const inspected = {
    hit: HIT,
    question: question(),
    primaryKey: 'id',
    embedders: ['a', 'b'],
    hasStems: false,
  }
  const opened = () => {
    const events: unknown[] = []
    const inspector = new Inspector({
      close: () => events.push('close'),
      step: (by) => events.push(by),
    })
    document.body.append(inspector.element)
    return { inspector, events, element: inspector.element }
  }

  it('shows the ranking and the complete document', async () => {
    const asked = stubServer({
      'GET /indexes/wares/documents/7': {
        id: 7,
        empty: '',
        none: null,
        tags: ['x', { a: 1 }],
        b: {},
      },
    })
    const { inspector, element } = opened()
    expect(inspector.isOpen).toBe(false)
    inspector.open(inspected)
    expect([...element.querySelectorAll('dt')].map(({ textContent }) => textContent)).toEqual([
      'id',
      'name',
      'poster',
      'text',
      'colour',
    ])
    expect(element.querySelectorAll('img')).toHaveLength(1)
    await settled()
    expect(asked).toHaveLength(1)
    expect(inspector.isOpen).toBe(true)
    expect(markup(element)).toMatchInlineSnapshot(`
      "<aside class="inspector" aria-label="Document" tabindex="-1">
        <header class="inspector-head">
          <h2 dir="auto">Lamp
          <span class="inspector-tools">
            <button class="quiet" type="button" title="Previous hit" aria-label="Previous hit">
              <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                <path d="M15 5l-7 7 7 7">
            <button class="quiet" type="button" title="Next hit" aria-label="Next hit">
              <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                <path d="M9 5l7 7-7 7">
            <button class="quiet" type="button" title="Close" aria-label="Close">
              <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                <path d="M6 6l12 12M18 6 6 18">
        <section>
          <h3>
            "Ranking"
            <b class="score">0.8760
          <ol class="rules">
            <li>
              <span class="rule">words
              <span class="rule-score">0.500
              <span class="bar" role="img" aria-label="words: 0.500">
                <span class="bar-inside" style="width: 50.00%;">
              <span class="rule-notes">1 of 2 words
        <section>
          <h3>
            "Document"
            <button class="quiet small" type="button">
              <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                <path d="M9 9h11v11H9zM5 15H4V4h11v1">
              <span>Copy JSON
          <dl class="fields">
            <div>
              <dt>id
              <dd dir="auto">
                <span class="is-number">7
            <div>
              <dt>empty
              <dd dir="auto">
                <i>empty text
            <div>
              <dt>none
              <dd dir="auto">
                <span class="is-null">null
            <div>
              <dt>tags
              <dd dir="auto">
                <pre>[
        "x",
        {
          "a": 1
        }
      ]
            <div>
              <dt>b
              <dd dir="auto">
                <pre>{}
        <section>
          <h3>
            "Similar documents"
            <span>
              <button class="quiet small" type="button">By a
              <button class="quiet small" type="button">By b
          <ul class="similar">
      "
    `)
  })

  it('steps by buttons and keys, and closes once', async () => {
    stubServer({})
    const { inspector, events, element } = opened()
    inspector.open(inspected)
    const [previous, next, close] = element.querySelectorAll('button')
    previous!.click()
    next!.click()
    const key = (name: string, more: object = {}): boolean =>
      act(element, 'keydown', { key: name, ...more }).defaultPrevented
    expect(document.activeElement).toBe(element)
    expect([key('ArrowLeft'), key('ArrowRight'), key('x')]).toEqual([true, true, false])
    expect(key('ArrowLeft', { ctrlKey: true })).toBe(false)
    close!.click()
    inspector.close()
    expect(events).toEqual([-1, 1, -1, 1, 'close'])
    // The fields of the search stay when the document cannot be read.
    inspector.open(inspected)
    await settled()
    expect(element.querySelectorAll('dt')).toHaveLength(5)
  })

  it('lists similar documents by each embedder', async () => {
    const hits = [{ id: 8, name: 'Torch', _rankingScore: 0.5 }]
    const asked = stubServer({ 'POST /indexes/wares/similar': { hits } })
    const shown: unknown[] = []
    const to = {
      index: 'wares',
      key: 7,
      primaryKey: 'id',
      embedders: ['a', 'b'],
      embedder: 'b',
      signal: new AbortController().signal,
      open: (hit: object) => shown.push(hit),
    }
    const section = similarSection(to)
    expect([...section.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual([
      'By b',
      'By a',
    ])
    section.querySelector('button')!.click()
    await settled()
    expect(asked[0]![1]).toEqual({ id: 7, embedder: 'b', limit: 6, showRankingScore: true })
    expect(markup(section.querySelector('ul')!)).toMatchInlineSnapshot(`
      "<ul class="similar">
        <li>
          <button class="link" type="button">Torch
          <span class="bar" role="img" aria-label="similarity 0.50">
            <span class="bar-inside" style="width: 50.00%;">
      "
    `)
    section.querySelectorAll('button')[2]!.click()
    expect(shown).toEqual(hits)
    stubServer({})
    section.querySelectorAll('button')[1]!.click()
    await settled()
    expect(section.querySelector('ul')!.textContent).toBe('no POST /indexes/wares/similar')
    const one = similarSection({ ...to, embedders: ['a'], embedder: '' })
    expect([...one.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual([
      'Show',
    ])
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

describe('the meaning of a search', () => {
  it('has the embedders that can embed a query', () => {
    expect(
      searchingEmbedders({ a: { source: 'openAi' }, b: { source: 'userProvided' }, c: {} }),
    ).toEqual(['a', 'c'])
  })

  it('is an embedder and a share', () => {
    const changes: unknown[] = []
    const meaning = new Meaning((change) => changes.push(change))
    meaning.show([], question())
    expect(meaning.element.hidden).toBe(true)
    meaning.show(['a', 'b'], question({ embedder: 'b', ratio: 0.25 }))
    expect(markup(meaning.element)).toMatchInlineSnapshot(`
      "<span class="meaning">
        <select aria-label="Embedder">
          <option value>Words alone
          <option value="a">a
          <option value="b" selected>b
        <span class="balance">
          <input type="range" min="0" max="100" step="5" aria-label="Share of meaning" aria-valuetext="25 % meaning">
          <output class="muted">25 % meaning
      "
    `)
    const select = meaning.element.querySelector('select')!
    const slider = meaning.element.querySelector('input')!
    expect(slider.value).toBe('25')
    select.value = 'a'
    act(select, 'change')
    slider.value = '75'
    act(slider, 'input')
    act(slider, 'change')
    expect(changes).toEqual([{ embedder: 'a' }, { ratio: 0.75 }])
    expect(meaning.element.textContent).toContain('75 % meaning')
    meaning.show(['a'], question({ embedder: 'b' }))
    expect(meaning.element.children[1]!.getAttribute('hidden')).toBe('')
  })
})

it('the heading of a hit is a word that is not its key, else the key', () => {
  const heading = (hit: object): unknown => hitText(hit as never, 'id').heading?.name
  expect([
    heading({ n: 5, id: 'a', word: 'x' }),
    heading({ n: 5, id: 'a' }),
    heading({ n: 5, m: 6 }),
    heading({ a: 'x', Title: 'y' }),
  ]).toEqual(['word', 'id', 'n', 'Title'])
})

describe('notes', () => {
  it('ask whether another spelling was meant', () => {
    expect(markup(correctionNote(question({ q: 'lmap' }), 'lamp'))).toMatchInlineSnapshot(`
      "<p class="correction">
        "Did you mean "
        <a href="#/search?index=wares&q=lamp">lamp
        "?"
      "
    `)
  })

  it('say why nothing was found', () => {
    const texts = (change: object): string =>
      nothingNote(question(change), site(), () => undefined).textContent ?? ''
    const ticked = new Map([['a', new Set(['b'])]])
    expect([texts({ q: 'x' }), texts({ q: 'x', ticked }), texts({ ticked })]).toEqual([
      'Nothing was foundNo document matches “x”. Try fewer or other words.',
      'Nothing was foundNo document matches “x”. Fewer filters may help.Clear all filters',
      'Nothing was foundNo document passes the filters. Fewer filters may help.Clear all filters',
    ])
    const empty = site({ indexes: [{ uid: 'wares', documents: 0 }] as never })
    expect(nothingNote(question({ q: 'x' }), empty, () => undefined).textContent).toContain(
      'The index wares is empty',
    )
  })
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

  it('becomes elements, and markup stays text', () => {
    const text = [
      '# Title',
      'A *b* **c** ~~d~~ `e` <b>f</b> [g](https://a.example) [h](javascript:x) \\*',
      '> quote',
      '3. one\n4. two',
      '- a\n  - b',
      '```\ncode <i>\n```',
      '---',
      '|a|b|\n|---|---|\n|1|*2*|',
      '![p](https://a.example/x.png) ![](https://a.example/y.png)',
    ]
    expect(shown(text.join('\n\n'))).toMatchInlineSnapshot(`
      "<div>
        <p class="answer-heading">Title
        <p>
          "A "
          <em>b
          " "
          <strong>c
          " "
          <del>d
          " "
          <code>e
          " "
          "<b>"
          "f"
          "</b>"
          " "
          <a href="https://a.example/" target="_blank" rel="noopener noreferrer">g
          " "
          "[h](javascript:x)"
          " "
          "*"
        <blockquote>
          <p>quote
        <ol start="3">
          <li>one
          <li>two
        <ul>
          <li>
            "a"
            <ul>
              <li>b
        <pre tabindex="0">code <i>
        <hr>
        <div class="hit-table" tabindex="0" role="region" aria-label="Table">
          <table>
            <tr>
              <th scope="col">a
              <th scope="col">b
            <tr>
              <td>1
              <td>
                <em>2
        <p>
          <a href="https://a.example/x.png" target="_blank" rel="noopener noreferrer">p
          " "
          <a href="https://a.example/y.png" target="_blank" rel="noopener noreferrer">https://a.example/y.png
      "
    `)
  })

  it('that is too long stays as it is', () => {
    expect(shown('*'.repeat(30_001))).toMatch(/^<div>\n {2}<pre tabindex="0">\*/)
    expect(shown(`${'x'.repeat(29_997)}*y*`)).toContain('<em>')
  })

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
