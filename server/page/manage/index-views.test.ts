// The view of all indexes, their list, and the view of settings, without a browser.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { setKey } from '../parts/server.ts'
import { markup, settled, stubServer } from '../test-dom.ts'
import { question } from '../test-question.ts'
import { readIndexes } from './index-list.ts'
import { indexesView } from './indexes-view.ts'
import { SettingsView } from './settings-view.ts'
import {
  buttonOf,
  expectKept,
  indexRow,
  NOW,
  openPages,
  readOnly,
  refused,
  siteOf,
  textsOf,
} from './test-site.ts'

openPages()

describe('the view of indexes', () => {
  const BATCHES =
    'GET /batches?types=documentAdditionOrUpdate%2CdocumentEdition&' +
    'afterFinishedAt=2026-01-01T23%3A10%3A00.000Z&limit=1000'
  const reading = { at: NOW, databaseSize: 4096, indexes: { films: 1024 } }
  const finished = (indexedDocuments: number) => ({
    startedAt: '2026-01-02T00:08:00Z',
    finishedAt: '2026-01-02T00:09:00Z',
    details: { indexedDocuments },
  })
  const server = (indexedDocuments = 90) =>
    stubServer({
      'GET /stats/history': { readings: [reading] },
      [BATCHES]: { results: [finished(indexedDocuments)] },
    })

  it('shows the figures of each index, and its most frequent fields', async () => {
    server()
    const fields = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`f${at}`, at]))
    const films = indexRow('films', { fields, documents: 20, isIndexing: true, primaryKey: 'id' })
    const view = indexesView(siteOf({ indexes: [films, indexRow('books', { documents: null })] }))
    view.refresh()
    await settled()
    const [card, other] = [...view.element.querySelectorAll<HTMLElement>('.card')]
    expect(textsOf(card!, '.figures dd')).toEqual(['20', '2.0 KiB', 'id', '1 day ago'])
    expect(textsOf(other!, '.figures dd')).toEqual(['?', '2.0 KiB', 'not set yet', '1 day ago'])
    expect(textsOf(card!, '.pill')).toEqual(['indexing'])
    expect(textsOf(other!, '.pill')).toEqual([])
    const names = textsOf(card!, '.field-name')
    expect([names.length, names[0], names.at(-1)]).toEqual([12, 'f13', 'f2'])
    expect(textsOf(card!, 'p.muted')).toEqual(['and 2 more fields'])
    expect(textsOf(other!, 'p.muted')).toEqual([])
    expect(markup(card!.querySelector('.bar')!)).toContain('width: 65.00%')
    expect(card!.querySelector('h2 a')!.getAttribute('href')).toBe('#/search?index=films')
    expect(view.element.querySelector('.summary')!.textContent).toBe('2 indexes')
  })

  it('shows the plots of the last hour, read every 15 seconds', async () => {
    const asked = server()
    const view = indexesView(siteOf())
    view.refresh()
    await settled()
    expect(asked.map(([request]) => request).sort()).toEqual([BATCHES, 'GET /stats/history'])
    const texts = (): readonly (string | null)[] => textsOf(view.element, 'figcaption')
    const whole = 'Documents per second, last hour'
    expect(texts()).toEqual([
      `${whole} at most 1.5`,
      'Size of the database, last hour 4.0 KiB',
      'Files, last hour 1.0 KiB',
      'Files, last hour 0 B',
      'Files, last hour 0 B',
    ])
    vi.setSystemTime(Date.parse(NOW) + 14_999)
    view.tick!()
    await settled()
    expect(asked).toHaveLength(2)
    vi.setSystemTime(Date.parse(NOW) + 15_000)
    stubServer({})
    view.tick!()
    await settled()
    expect(texts()).toEqual([])
    view.refresh()
    expect(texts()).toEqual([])
  })

  it.each([
    [0, '0'],
    [600, '10'],
    [630, '11'],
  ])('%d documents in a minute are at most %s a second', async (documents, words) => {
    server(documents)
    const view = indexesView(siteOf())
    view.refresh()
    await settled()
    expect(textsOf(view.element, 'figcaption')[0]).toMatch(new RegExp(` at most ${words}$`))
  })

  it('keeps a size that it has read when it renders the cards again', async () => {
    server()
    const view = indexesView(siteOf())
    view.refresh()
    await settled()
    view.refresh()
    expect(textsOf(view.element, '.card figcaption')[0]).toBe('Files, last hour 1.0 KiB')
  })

  it('offers the changes of each index', () => {
    server()
    const site = siteOf()
    const { element, refresh } = indexesView(site)
    document.body.append(element)
    refresh()
    const heading = (): string | null => element.querySelector('dialog h2')!.textContent
    for (const [name, words] of [
      ['Create an index', 'Create an index'],
      ['Rename films', 'Rename films'],
      ['Swap books', 'Swap books'],
      ['Delete notes', 'Delete notes'],
    ] as const) {
      element.querySelector<HTMLElement>(`[data-focus="${name}"]`)!.click()
      expect(heading()).toBe(words)
      element.querySelector('dialog')!.close()
    }
    for (const name of ['Add documents', 'Add documents to books']) {
      element.querySelector<HTMLElement>(`[data-focus="${name}"]`)!.click()
    }
    expect(site.addDocuments.mock.calls).toEqual([[''], ['books']])
  })

  it('swaps only where there are two, and changes nothing where the page may only read', () => {
    server()
    const names = (uids: readonly string[]): readonly (string | null)[] => {
      const { element, refresh } = indexesView(
        siteOf({ indexes: uids.map((uid) => indexRow(uid)) }),
      )
      refresh()
      return textsOf(element, 'button')
    }
    const tools = ['Create an index', 'Add documents']
    expect(names(['a'])).toEqual([...tools, 'Add documents', 'Rename', 'Delete'])
    expect(names(['a', 'b'])).toContain('Swap')
    readOnly()
    expect(names(['a', 'b'])).toEqual([])
  })

  it('says how to create the first index', () => {
    const { element, refresh } = indexesView(siteOf({ indexes: [] }))
    server()
    refresh()
    expect(textsOf(element, 'h2')).toEqual(['No index yet'])
    expect(element.querySelector('.summary')!.textContent).toBe('0 indexes')
  })
})

describe('the list of indexes', () => {
  const INDEXES = 'GET /indexes?limit=1000'
  const index = { uid: 'a', primaryKey: 'id', createdAt: NOW, updatedAt: NOW }
  const stats = {
    numberOfDocuments: 3,
    rawDocumentDbSize: 5,
    isIndexing: true,
    fieldDistribution: { id: 3 },
  }

  it('has the statistics of each index, if the key permits them', async () => {
    stubServer({ [INDEXES]: { results: [index] }, 'GET /stats': { indexes: { a: stats } } })
    const read = { documents: 3, bytes: 5, isIndexing: true, fields: { id: 3 } }
    expect(await readIndexes('')).toEqual([{ ...index, ...read }])
    const none = { documents: null, bytes: 0, isIndexing: false, fields: {} }
    stubServer({ [INDEXES]: { results: [index] }, 'GET /stats': refused(403) })
    expect(await readIndexes('')).toEqual([{ ...index, ...none }])
    stubServer({ [INDEXES]: { results: [index] }, 'GET /stats': refused(500) })
    await expect(readIndexes('')).rejects.toMatchObject({ status: 500 })
  })
})

describe('the list of indexes for a key that may not read it', () => {
  afterEach(() => setKey('', false))
  const INDEXES = 'GET /indexes?limit=1000'
  const of = (list: number, search: unknown) =>
    stubServer({
      [INDEXES]: refused(list, 'listing'),
      'GET /stats': { indexes: {} },
      'POST /multi-search': search,
    })
  const read = (wanted: string) =>
    readIndexes(wanted).then(
      (rows) => rows.map(({ uid }) => uid),
      ({ code }: { readonly code: string }) => code,
    )

  it('is the index of the address, if the key may search it', async () => {
    setKey('k', false)
    const asked = of(403, { results: [] })
    expect(await read('films')).toEqual(['films'])
    expect(asked.at(-1)).toEqual([
      'POST /multi-search',
      { queries: [{ indexUid: 'films', limit: 0 }] },
    ])
    of(403, refused(403, 'searching'))
    expect(await read('films')).toBe('listing')
  })

  it('is refused without a key, without an index, and by another error', async () => {
    of(403, { results: [] })
    expect(await read('films')).toBe('listing')
    setKey('k', false)
    expect(await read('')).toBe('listing')
    of(401, { results: [] })
    expect(await read('films')).toBe('listing')
  })
})

describe('the view of settings', () => {
  const SETTINGS = 'GET /indexes/films/settings'
  const settings = {
    stopWords: ['a', { b: 1 }],
    synonyms: {},
    typoTolerance: { enabled: true, list: [] },
    distinctAttribute: null,
    proximityPrecision: 'byWord',
  }
  const shown = async () => {
    const site = siteOf()
    const view = new SettingsView(site)
    document.body.append(view.element)
    view.refresh()
    await settled()
    return { site, view, element: view.element }
  }

  it('shows each value by its kind', async () => {
    stubServer({ [SETTINGS]: settings })
    readOnly()
    const { element } = await shown()
    expect(textsOf(element, '.tools h2')).toEqual(['Settings of films'])
    expect(textsOf(element, '.settings > div > dt')[0]).toBe('stop wordsstopWords')
    const values = [...element.querySelectorAll('.settings > div > dd > div > div')]
    expect(values.map((value) => value.innerHTML)).toEqual([
      '<ul class="tags"><li>a</li><li>{"b":1}</li></ul>',
      '<span class="muted">none</span>',
      '<dl class="members"><div><dt>enabled</dt><dd><span class="is-boolean">true</span></dd></div>' +
        '<div><dt>list</dt><dd><span class="muted">none</span></dd></div></dl>',
      '<span class="muted">not set</span>',
      '<span class="is-string">byWord</span>',
    ])
    const edits = [...element.querySelectorAll<HTMLElement>('.edit')]
    expect(edits.map(({ hidden }) => hidden)).toEqual(Array(6).fill(true))
  })

  it('opens one editor at a time, which later readings do not replace', async () => {
    const asked = stubServer({ [SETTINGS]: settings })
    const { site, view, element } = await shown()
    const edit = element.querySelector<HTMLElement>('[aria-label="Edit stopWords"]')!
    edit.click()
    expect(element.querySelectorAll('.settings-editor')).toHaveLength(1)
    const hidden = [...element.querySelectorAll<HTMLElement>('.edit')].map((one) => one.hidden)
    expect(hidden).toEqual(Array(6).fill(true))
    const before = asked.length
    view.refresh()
    expect(asked).toHaveLength(before)
    buttonOf(element, 'Cancel').click()
    await settled()
    expect(element.querySelector('.settings-editor')).toBeNull()
    expect(document.activeElement!.getAttribute('aria-label')).toBe('Edit stopWords')
    buttonOf(element, 'Edit all as JSON').click()
    expect(element.querySelector('.settings')).toBeNull()
    expect(element.querySelector('textarea')!.value).toBe(JSON.stringify(settings, null, 2))
    // Another index replaces the editor.
    Object.assign(site, { question: question({ index: 'books' }) })
    stubServer({ 'GET /indexes/books/settings': { stopWords: [] } })
    view.refresh()
    await settled()
    expect(textsOf(element, '.tools h2')).toEqual(['Settings of books'])
  })

  it('drops an answer for another index, and shows a refusal', async () => {
    stubServer({ [SETTINGS]: settings })
    const site = siteOf()
    const view = new SettingsView(site)
    view.refresh()
    Object.assign(site, { question: question({ index: 'books' }) })
    await settled()
    expect(view.element.textContent).toBe('')
    view.refresh()
    await settled()
    expect(textsOf(view.element, 'h2')).toEqual(['The server refused'])
  })

  it('keeps the settings when its request is aborted', () =>
    expectKept(new SettingsView(siteOf()), { 'GET /indexes/films/settings': {} }))
})
