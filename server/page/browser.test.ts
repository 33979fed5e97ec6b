// The preview page in a real browser with a real server: typing, keyboard use, hostile documents, a
// missing index, an unreachable server, an API key.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/browser/index.ts'
import { SHOP_SETTINGS, WARES_COUNT, wares } from '../../scripts/browser/test-shop.ts'
import { type ChatProvider, calls, says, startChatProvider } from '../testing/test-chat-provider.ts'
import type { TestServer } from '../testing/test-server.ts'
import { faintTexts } from './test-contrast.ts'
import { PageUnderTest } from './test-page.ts'
import { startPrefixProxy } from './test-proxy.ts'

const HOSTILE = [
  {
    id: 1,
    title: '<img src=x onerror="window.wasHit = 1">',
    text: `<script>window.wasHit = 1</script> "'><svg onload="window.wasHit = 1"> `.repeat(3),
    tag: ['<img src=https://elsewhere.example/a.png onerror=window.wasHit=1>', 'plain'],
    image: 'https://elsewhere.example/cat.jpg',
    poster: '//elsewhere.example/cat.png',
    '<b onclick=window.wasHit=1>': 'javascript:window.wasHit=1',
    nested: { __proto__x: ['<i>', { '</script>': null }] },
    marks: '\ue000\ue001 \ue001\ue000 <mark>',
  },
]
const SHIRTS = [
  ['red 40', 'blue 42', 'red 42'],
  ['red 40', 'blue 42'],
  ['blue 40', 'red 40'],
].map((variants, id) => ({
  id,
  name: `Shirt of linen ${id}`,
  variants: variants.map((text) => {
    const [color, size] = text.split(' ')
    return { color, size }
  }),
}))
const SHIRT_SETTINGS = {
  searchableAttributes: ['name'],
  filterableAttributes: ['variants', 'id'],
  rankingRules: ['bm25'],
  boosts: [{ filter: 'id = 0 OR variants.size = 42', weight: 0.5 }],
}
const REST = { request: '{{text}}', response: '{{embedding}}' }
const KEY = 'the-master-key-of-this-test'

describe.skipIf(!hasChromium('the preview page'))('the preview page', () => {
  let site: PageUnderTest
  let server: TestServer
  let page: Page
  let provider: ChatProvider

  beforeAll(async () => {
    site = await PageUnderTest.start()
    server = site.server
    await server.ask('PATCH', '/indexes/wares/settings', SHOP_SETTINGS)
    await server.ask('POST', '/indexes/wares/documents', wares())
    const filterableAttributes = ['tag', '<b onclick=window.wasHit=1>']
    await server.ask('PATCH', '/indexes/hostile/settings', { filterableAttributes })
    await server.ask('POST', '/indexes/hostile/documents', HOSTILE)
    await server.ask('POST', '/indexes/hostile/documents', [{ noid: 1 }])
    await server.ask('PATCH', '/indexes/shirts/settings', SHIRT_SETTINGS)
    await server.ask('POST', '/indexes/shirts/documents', SHIRTS)
    for (const uid of ['vacant', 'absent', 'edited']) await server.ask('POST', '/indexes', { uid })
    provider = await startChatProvider()
    await server.ask('PATCH', '/experimental-features', { chatCompletions: true })
    await server.ask('PATCH', '/chats/w/settings', { baseUrl: provider.url })
    // The provider of `far` is never called, because its documents have no vectors.
    const far = { source: 'rest', url: 'http://127.0.0.1:9', dimensions: 2, ...REST }
    const embedders = { far, own: { source: 'userProvided', dimensions: 2 } }
    await server.ask('PATCH', '/indexes/meant/settings', { embedders })
    await server.ask('POST', '/indexes/meant/documents', [
      { id: 1, title: 'A quiet harbour', _vectors: { far: null, own: [1, 0] } },
      { id: 2, title: 'Night train', _vectors: { far: null, own: [0.9, 0.1] } },
    ])
    await server.idle()
  }, 60_000)

  afterEach(() => site?.close())

  afterAll(async () => {
    await site?.stop()
    await provider?.stop()
  })

  async function open(
    hash = '#/search?index=wares',
    of: { readonly url: string } = server,
  ): Promise<void> {
    page = await site.open(hash, of)
  }
  const query = () => page.getByRole('combobox', { name: 'Search the index' })
  const hits = () => page.getByRole('listbox', { name: 'Hits' }).getByRole('option')
  const cards = () => page.locator('.hit')
  const untilTotal = (total: number | string) =>
    page.locator('.summary', { hasText: new RegExp(`^${total} hits?\\b`) }).waitFor()
  const focused = () =>
    page.evaluate(() => {
      const { localName, className } = document.activeElement as HTMLElement
      return className === '' ? localName : `${localName}.${className}`
    })
  const inspector = () => page.getByRole('complementary', { name: 'Document' })

  it('searches while the user types, with highlights and typos, on this server only', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    await query().pressSequentially('telescpoe')
    await untilTotal(21)
    // Some beginnings of the word find as many.
    await expect
      .poll(async () => new Set(await cards().locator('.hit-heading mark').allInnerTexts()))
      .toEqual(new Set(['Telescope']))
    expect(page.url()).toContain('q=telescpoe')
    await page.reload()
    await untilTotal(21)
    expect(await query().inputValue()).toBe('telescpoe')
    const hosts = new Set(site.requests.map((url) => new URL(url).host))
    expect([...hosts]).toEqual([new URL(server.url).host])
  })

  it('refines by values and ranges, keeps the counts of alternatives, and clears', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    await page.getByRole('checkbox', { name: /^kitchen/ }).check()
    await untilTotal(42)
    await page.getByRole('checkbox', { name: /^desk/ }).check()
    await untilTotal(63)
    await page.getByRole('spinbutton', { name: 'price, at least' }).fill('200')
    await page.keyboard.press('Enter')
    const within = wares().filter(
      ({ category, price }) => ['kitchen', 'desk'].includes(category) && price >= 200,
    )
    await untilTotal(within.length)
    expect(page.url()).toContain('in.price=200..')
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await untilTotal(WARES_COUNT)
  })

  it('shows the most frequent of more values than an answer has, and finds others', async () => {
    // Value n of 160 is in n % 7 + 1 documents, but p149 is in 9; by name the answer ends before it.
    const documents = Array.from({ length: 160 }, (_, n) =>
      Array.from({ length: n === 149 ? 9 : (n % 7) + 1 }, (_, i) => ({
        id: 10 * n + i,
        place: `p${String(n).padStart(3, '0')}`,
      })),
    ).flat()
    await server.ask('PATCH', '/indexes/many/settings', { filterableAttributes: ['place'] })
    await server.ask('POST', '/indexes/many/documents', documents)
    await server.idle()
    await open('#/search?index=many')
    const names = page.locator('.facet-name')
    await expect.poll(() => names.count()).toBe(8)
    expect((await names.allInnerTexts())[0]).toBe('p149')
    const counts = await page.locator('.facet-value .count').allInnerTexts()
    expect(counts).toEqual(['9', ...Array(7).fill('7')])
    await page.getByRole('button', { name: 'The 100 most frequent' }).click()
    await expect.poll(() => names.count()).toBe(100)
    await page.getByRole('searchbox', { name: 'Find a value of place' }).fill('p007')
    await expect.poll(() => names.allInnerTexts()).toEqual(['p007'])
    await page.getByRole('checkbox', { name: /^p007/ }).check()
    await untilTotal(1)
    await server.ask('DELETE', '/indexes/many')
    await server.idle()
  })

  it('counts and marks the objects of lists that meet all refined facets', async () => {
    await open('#/search?index=shirts&q=linen')
    await untilTotal(3)
    await page.getByRole('checkbox', { name: /^red/ }).check()
    await page.getByRole('checkbox', { name: /^42/ }).check()
    await untilTotal(1)
    const count = (value: string) =>
      page.locator('.facet-value', { hasText: value }).locator('.count').innerText()
    expect(await Promise.all(['red', 'blue', '40', '42'].map(count))).toEqual(['1', '2', '3', '1'])
    expect(await cards().locator('.fact mark').allInnerTexts()).toEqual(['color: red · size: 42'])
    expect(await cards().locator('.fact').allInnerTexts()).toContainEqual(
      expect.stringContaining('color: red · size: 42, 2 others'),
    )
    await cards().first().click()
    await expect
      .poll(async () => await inspector().locator('pre mark').allInnerTexts())
      .toEqual([expect.stringMatching(/"red",\s+"size": "42"/)])
    expect(await inspector().locator('.rule-parts').allInnerTexts()).toEqual([
      expect.stringMatching(/“linen”\s+[\d.]+: rarity [\d.]+, occurs [\d.]+ times/),
      expect.stringMatching(/boost 1\s+× 0\.50/),
    ])
  })

  it('sorts, and loads the next hits automatically', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    await page.getByRole('combobox', { name: 'Order' }).selectOption('price:desc')
    const dearest = Math.max(...wares().map(({ price }) => price))
    await page
      .locator('.hit', { hasText: `price ${dearest}` })
      .first()
      .waitFor()
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 4000)
          return cards().count()
        },
        { timeout: 20_000 },
      )
      .toBe(WARES_COUNT)
    const ids = await cards().locator('.fact:first-child').allInnerTexts()
    expect(new Set(ids).size).toBe(WARES_COUNT)
  })

  it('can be used with the keyboard only', async () => {
    await open('#/search?index=wares&q=walnut+lamp')
    await untilTotal(30)
    await page.getByRole('checkbox').first().focus()
    await page.keyboard.press('/')
    expect(await query().evaluate((input) => document.activeElement === input)).toBe(true)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    const active = await query().getAttribute('aria-activedescendant')
    expect(active).toBe('hit-0')
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await inspector().getByRole('heading', { name: 'Walnut Lamp' }).waitFor()
    expect(await focused()).toBe('aside.inspector')
    await page.keyboard.press('ArrowRight')
    await inspector().getByRole('heading', { name: 'Walnut Lamp No. 2' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await inspector().getByRole('heading', { name: 'Walnut Lamp', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    expect(await inspector().count()).toBe(0)
    expect(await focused()).toBe('input.query')
    await page.keyboard.press('Escape')
    await untilTotal(WARES_COUNT)
    expect(await query().inputValue()).toBe('')
    const outline = () =>
      page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    const order: string[] = []
    while (order.at(-1) !== 'ul.hits' && order.length < 100) {
      await page.keyboard.press('Tab')
      order.push(await focused())
      expect(await outline()).not.toBe('none')
    }
    // From the box to the table, the options, the order, the filters, and then the hits.
    expect(order.slice(0, 3)).toEqual(['button.quiet small', 'summary.quiet small', 'select'])
    expect(order.filter((name) => name === 'input').length).toBeGreaterThan(10)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await inspector().getByRole('heading', { level: 2 }).waitFor()
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('ul.hits')
  })

  it('suggests words and titles while the user types', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    const suggestions = page.getByRole('listbox', { name: 'Suggestions' })
    const options = suggestions.getByRole('option')
    await query().pressSequentially('wal')
    await suggestions.waitFor()
    expect((await options.first().innerText()).split('\n')).toEqual(['Walnut', '30'])
    expect(await options.first().locator('mark').innerText()).toBe('Wal')
    expect(await query().getAttribute('aria-controls')).toBe('suggestions')
    await page.keyboard.press('ArrowDown')
    expect(await query().getAttribute('aria-activedescendant')).toBe('suggestion-0')
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowUp')
    expect(await query().getAttribute('aria-activedescendant')).toBe(null)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await query().inputValue()).toBe('Walnut')
    expect(page.url()).toContain('q=Walnut')
    expect([await suggestions.isVisible(), await inspector().count()]).toEqual([false, 0])
    // Escape closes the list and keeps the text; then the arrows choose hits.
    await query().pressSequentially(' l')
    await options.first().waitFor()
    await page.keyboard.press('Escape')
    expect(await suggestions.isVisible()).toBe(false)
    expect(await query().inputValue()).toBe('Walnut l')
    await page.keyboard.press('ArrowDown')
    expect(await query().getAttribute('aria-activedescendant')).toBe('hit-0')
    // Below the last suggestion the hits begin.
    await query().fill('linen tele')
    await expect.poll(() => options.allInnerTexts()).toContain('Linen Telescope\n3')
    for (let i = await options.count(); i >= 0; i--) await page.keyboard.press('ArrowDown')
    expect(await suggestions.isVisible()).toBe(false)
    expect(await query().getAttribute('aria-activedescendant')).toBe('hit-0')
    await query().fill('copper la')
    await options.first().click()
    expect(await query().inputValue()).toMatch(/^copper La(?:mp|ntern)$/i)
    expect(await focused()).toBe('input.query')
    expect(await faintTexts(page)).toEqual([])
  })

  it('asks whether another spelling was meant', async () => {
    await open('#/search?index=wares&q=walnut+telescpoe&is.category=outdoors')
    const link = page.locator('.correction a')
    await link.waitFor()
    expect(await page.locator('.correction').innerText()).toBe('Did you mean walnut Telescope?')
    await link.click()
    await expect.poll(() => query().inputValue()).toBe('walnut Telescope')
    expect(page.url()).toContain('is.category=outdoors')
    await expect.poll(() => link.count()).toBe(0)
  })

  it('shows the query of the address after navigation, and the previous index', async () => {
    await open('#/search?index=wares&q=lamp')
    await untilTotal(21)
    await page.evaluate('location.hash = "#/search?index=wares&q=kettle"')
    await cards().locator('mark', { hasText: 'Kettle' }).first().waitFor()
    expect(await query().inputValue()).toBe('kettle')
    await page.goBack()
    await cards().locator('mark', { hasText: 'Lamp' }).first().waitFor()
    expect(await query().inputValue()).toBe('lamp')
    await page.getByLabel('Index', { exact: true }).selectOption('meant')
    await page.getByRole('heading', { name: 'Nothing was found' }).waitFor()
    await page.goBack()
    await untilTotal(21)
    expect(await page.getByLabel('Index', { exact: true }).inputValue()).toBe('wares')
  })

  it('reports that the index of the address does not exist; opens one with documents', async () => {
    await open('#/search?index=nothere&q=lamp')
    await page.getByRole('heading', { name: 'There is no index “nothere”' }).waitFor()
    expect(page.url()).toContain('index=nothere')
    expect(await page.locator('.hit').count()).toBe(0)
    await page.locator('.choices').getByRole('link', { name: 'wares' }).click()
    await untilTotal(WARES_COUNT)
    // The first index by name has no documents.
    await page.goto('about:blank')
    await page.goto(server.url)
    await untilTotal(1)
    expect(await page.getByLabel('Index', { exact: true }).inputValue()).toBe('hostile')
  })

  it('shows a complete document, with the score of each ranking rule', async () => {
    await open('#/search?index=wares&q=walnut+tea')
    await page.locator('.hit', { hasText: 'Walnut Teapot' }).first().click()
    const rules = await inspector().locator('.rule').allInnerTexts()
    expect(rules.slice(0, 3)).toEqual(['words', 'typo', 'proximity'])
    const widths = await inspector()
      .locator('.rules .bar-inside')
      .evaluateAll((bars) => bars.map((bar) => parseFloat(bar.style.width)))
    expect(widths.length).toBe(rules.length)
    for (const width of widths) expect(width).toBeGreaterThanOrEqual(0)
    expect(Math.max(...widths)).toBe(100)
    const fields = await inspector().locator('.fields dt').allInnerTexts()
    expect(fields.sort()).toEqual(Object.keys(wares()[0]!).sort())
    await inspector().getByRole('button', { name: 'Close' }).click()
    expect(await inspector().count()).toBe(0)
  })

  it('shows hostile documents as text, and loads no address that they contain', async () => {
    await open('#/search?index=hostile')
    await untilTotal(1)
    await hits().first().click()
    await inspector().getByText('https://elsewhere.example/cat.jpg').waitFor()
    expect(await page.locator('.hit-heading').innerText()).toBe(HOSTILE[0]!.title)
    await page.getByRole('checkbox', { name: /<img src/ }).check()
    await untilTotal(1)
    expect(await page.locator('img, script:not([src]), .hit svg, .inspector i').count()).toBe(0)
    expect(await page.evaluate(() => 'wasHit' in window)).toBe(false)
    await page.goto(`${server.url}/#/tasks`)
    const failed = page.locator('.tasks summary', { hasText: 'failed' })
    await failed.locator('.task-error', { hasText: '`id`' }).waitFor()
    await failed.click()
    await page.getByRole('link', { name: 'missing_document_id' }).waitFor()
    expect(site.requests.filter((url) => url.includes('elsewhere'))).toEqual([])
  })

  it('blocks markup, styles and requests to other servers', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    const refused = await page.evaluate(async () => {
      const outcomes: string[] = []
      try {
        document.body.innerHTML = '<img src=x>'
      } catch (error) {
        outcomes.push((error as Error).name)
      }
      const style = document.createElement('p')
      style.setAttribute('style', 'color: rgb(1, 2, 3)')
      document.body.append(style)
      outcomes.push(getComputedStyle(style).color === 'rgb(1, 2, 3)' ? 'styled' : 'plain')
      await fetch('https://elsewhere.example/').catch((error: Error) => outcomes.push(error.name))
      return outcomes
    })
    expect(refused).toEqual(['TypeError', 'plain', 'TypeError'])
    expect(site.complaints.length).toBeGreaterThan(0)
    site.complaints.length = 0
  })

  it('shows what to do if nothing is found and if an index is empty', async () => {
    await open('#/search?index=wares&q=zzyzxqk&is.category=light')
    await page.getByText('No document matches “zzyzxqk”.').waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).last().click()
    await page.getByText('Try fewer or other words.').waitFor()
    await page.getByLabel('Index', { exact: true }).selectOption('vacant')
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    expect(await page.locator('.command pre').innerText()).toContain('/indexes/vacant/documents')
  })

  it('shows indexes, settings and tasks', async () => {
    await open('#/indexes')
    const card = page.locator('.card', { hasText: 'wares' })
    await card.getByText(String(WARES_COUNT)).first().waitFor()
    await card.getByRole('link', { name: 'wares' }).click()
    await untilTotal(WARES_COUNT)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings of wares' }).waitFor()
    const row = page.locator('.settings > div', { hasText: 'sortableAttributes' })
    expect(await row.locator('.tags li').allInnerTexts()).toEqual(['price', 'stars'])
    const rows = page.locator('.tasks > li')
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('combobox', { name: 'Tasks of' }).selectOption('Index wares')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
    await page.getByText('No tasks with this status.').waitFor()
    await page.getByLabel('Index', { exact: true }).selectOption('hostile')
    await expect.poll(() => rows.count()).toBe(1)
    await rows.first().click()
    await rows
      .first()
      .getByRole('link', { name: /^batch #/ })
      .click()
    await page.getByRole('heading', { name: /^Batch #/ }).waitFor()
    await page.getByRole('link', { name: 'Show all tasks' }).click()
    await page.getByRole('combobox', { name: 'Tasks of' }).selectOption('All indexes')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('')
    await expect.poll(() => rows.count()).toBeGreaterThan(5)
    await page.goto(`${server.url}/#/tasks?task=1`)
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.locator('time').count()).toBe(3)
    expect(await page.locator('h1').allInnerTexts()).toEqual(['Tasks · hostile'])
  })

  it('cancels a waiting task', async () => {
    await open()
    const task = { uid: 9, batchUid: null, indexUid: 'wares', status: 'enqueued', error: null }
    const times = { enqueuedAt: '2026-01-01T00:00:00Z', startedAt: null, finishedAt: null }
    const results = [
      { ...task, ...times, type: 'indexDeletion', canceledBy: null, details: {}, duration: null },
    ]
    await page.route('**/tasks?*', (route) =>
      route.fulfill({ json: { results, total: 1, next: null } }),
    )
    await page.route('**/tasks/cancel?*', (route) => route.fulfill({ json: { taskUid: 10 } }))
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.locator('.tasks summary').click()
    const request = page.waitForRequest('**/tasks/cancel?uids=9')
    await page.getByRole('button', { name: 'Cancel this task' }).click()
    expect((await request).method()).toBe('POST')
    await page.getByText('Requested as task #10').waitFor()
  })

  it('edits settings as JSON, and shows errors beside the field', async () => {
    await open('#/settings?index=edited')
    await page.getByRole('button', { name: 'Edit stopWords' }).click()
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    const field = page.getByRole('textbox', { name: 'stopWords as JSON' })
    const save = page.getByRole('button', { name: 'Save' })
    await field.fill('["the",]')
    await save.click()
    await page.getByRole('alert').getByText('This is not valid JSON').waitFor()
    await field.fill('["the", 3]')
    await save.click()
    await page.getByRole('alert').getByText('.stopWords').waitFor()
    expect(await faintTexts(page)).toEqual([])
    await field.fill('["the"]')
    await save.click()
    const row = page.locator('.settings > div', { hasText: 'stopWords' })
    await row.locator('.tags li', { hasText: 'the' }).waitFor()
    await page.getByRole('button', { name: 'Edit all as JSON' }).click()
    const all = page.getByRole('textbox', { name: 'All settings as JSON' })
    const settings = JSON.parse(await all.inputValue()) as { [name: string]: unknown }
    await all.fill(JSON.stringify({ ...settings, stopWords: ['a', 'an'] }))
    await save.click()
    await row.locator('.tags li', { hasText: 'an' }).waitFor()
    await page.getByRole('button', { name: 'Edit stopWords' }).click()
    await page.getByRole('button', { name: 'Reset to default' }).click()
    await row.getByText('none').waitFor()
    // The browser also logs the refused value as an error.
    site.complaints.length = 0
  })

  it('uploads a file of documents, follows its task, and shows its error', async () => {
    await open('#/indexes')
    await page.getByRole('button', { name: 'Add documents', exact: true }).click()
    await page.getByLabel('Index (a new name').fill('uploaded')
    const file = page.getByLabel('File: JSON')
    const upload = page.getByRole('button', { name: 'Upload', exact: true })
    const send = async (name: string, text: string): Promise<void> => {
      await file.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
      await upload.click()
    }
    await send('films.txt', 'id')
    await page.getByRole('alert').getByText('must end in .json').waitFor()
    await send('films.json', '[{"id": 1,]')
    await page.getByRole('alert').getByText('json').waitFor()
    await send('films.csv', 'title;year\nA quiet harbour;1962\n')
    await page.getByRole('alert').getByText('primary key').waitFor()
    await page.getByLabel('Delimiter of the CSV file').fill(';')
    await page.getByLabel('Primary key', { exact: true }).fill('year')
    await upload.click()
    await page.getByText('1 document indexed.').waitFor()
    expect(await faintTexts(page)).toEqual([])
    await page.getByRole('link', { name: 'Search uploaded' }).click()
    await untilTotal(1)
    await page.locator('.hit', { hasText: 'A quiet harbour' }).waitFor()
    site.complaints.length = 0
  })

  it('shows the API, and sends a request that the user fills in', async () => {
    await open('openapi#postIndexesIndexUidSearch')
    const entry = page.locator('#postIndexesIndexUidSearch')
    await entry.getByLabel('indexUid', { exact: true }).waitFor()
    await entry.getByRole('button', { name: 'Send' }).click()
    await entry.getByText('Fill in indexUid.').waitFor()
    await entry.getByLabel('indexUid', { exact: true }).fill('wares')
    await entry.getByRole('textbox', { name: 'Body of' }).fill('{"q": "telescpoe", "limit": 1}')
    await entry.getByRole('button', { name: 'Send' }).click()
    await entry.getByText('"estimatedTotalHits": 21').waitFor()
    expect(await entry.locator('.command pre').innerText()).toContain('telescpoe')
    expect(await faintTexts(page)).toEqual([])
    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('delete webhook')
    await page.getByText(/^1 operation$/).waitFor()
    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('')
    await entry.getByRole('link', { name: 'Search', exact: true }).click()
    await page.locator('#schema-Search').getByText('estimatedTotalHits').waitFor()
  })

  it('works below a path of a proxy', async () => {
    const proxy = await startPrefixProxy('/tools/search', server.url)
    await open('#/search?index=wares&q=lamp', proxy)
    await untilTotal(21)
    await page.getByRole('link', { name: 'API' }).click()
    await page.getByRole('heading', { name: 'The API of Svc Search' }).waitFor()
    await page.getByRole('link', { name: 'Search', exact: true }).first().click()
    await untilTotal(1)
    for (const url of site.requests) expect(new URL(url).pathname).toMatch(/^\/tools\/search\//)
    await site.close()
    await proxy.stop()
  })

  it('shows the progress of a running batch', async () => {
    await open()
    let percentage = 20
    await page.route('**/batches?*', (route) => {
      percentage += 30
      const steps = [{ currentStep: 'indexing', finished: percentage, total: 100 }]
      const progress = { steps, percentage }
      const batch = {
        uid: 7,
        progress,
        stats: { totalNbTasks: 3 },
        startedAt: new Date(),
        finishedAt: null,
      }
      return route.fulfill({
        json: { results: percentage > 90 ? [] : [batch], total: 1, next: null },
      })
    })
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.locator('.batch', { hasText: '50 %' }).waitFor()
    await page.locator('.batch', { hasText: '80 / 100' }).waitFor()
    await expect.poll(() => page.locator('.batch').count(), { timeout: 10_000 }).toBe(0)
  })

  it('reports that the server does not answer, and recovers when it does', async () => {
    await open()
    await untilTotal(WARES_COUNT)
    await page.route('**/multi-search', (route) => route.abort())
    await query().fill('lamp')
    await page.getByRole('heading', { name: 'No answer' }).waitFor()
    await page.unroute('**/multi-search')
    site.complaints.length = 0
    await page.getByRole('button', { name: 'Try again' }).click()
    await untilTotal(21)
  })

  it('requests a key beside the error, and forgets it or keeps it for the tab', async () => {
    const locked = await site.serve({ MASTER_KEY: KEY })
    await open('', locked)
    await page.getByRole('heading', { name: 'Enter an API key' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    const field = page.getByLabel('Master key or API key')
    await field.fill('another key')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The provided API key is invalid.').waitFor()
    await field.fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No index yet' }).waitFor()
    const kept = () =>
      page.evaluate(() =>
        JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          location.href,
        ]),
      )
    expect(await kept()).not.toContain(KEY)
    expect(await page.content()).not.toContain(KEY)
    await page.reload()
    await field.fill(KEY)
    await page.getByRole('checkbox', { name: 'Keep the key until this tab is closed' }).check()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No index yet' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'No index yet' }).waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(KEY)
    await page.getByRole('button', { name: 'API key: in use' }).click()
    await page.getByRole('button', { name: 'Remove key' }).click()
    await page.getByRole('heading', { name: 'Enter an API key' }).waitFor()
    expect(await kept()).not.toContain(KEY)
    // The browser also logs the refusals as errors.
    site.complaints.length = 0
    await site.close()
    await locked.stop()
  })

  it('shows new documents without a reload', async () => {
    const fresh = await site.serve()
    await open('', fresh)
    await page.getByRole('heading', { name: 'No index yet' }).waitFor()
    expect(await page.locator('.command pre').innerText()).toContain(`curl -X POST '${fresh.url}/`)
    await fresh.ask('POST', '/indexes/films/documents', [{ id: 1, title: 'A quiet harbour' }])
    await untilTotal(1)
    await site.close()
    await fresh.stop()
  })

  it('searches with the chosen semantic ratio, and shows similar documents', async () => {
    await open('#/search?index=meant&q=harbour')
    await untilTotal(1)
    const embedder = page.getByRole('combobox', { name: 'Embedder' })
    // An embedder that cannot embed texts is offered only for similar documents.
    expect(await embedder.locator('option').allInnerTexts()).toEqual(['Words alone', 'far'])
    expect(await page.getByRole('slider').isVisible()).toBe(false)
    const nextSearch = (): Promise<unknown> =>
      page
        .waitForRequest((request) => request.url().endsWith('/multi-search'))
        .then((request) => (request.postDataJSON() as { queries: unknown[] }).queries[0])
    const first = nextSearch()
    await embedder.selectOption('far')
    expect(await first).toMatchObject({ hybrid: { embedder: 'far', semanticRatio: 0.5 } })
    const second = nextSearch()
    await page.getByRole('slider', { name: 'Share of meaning' }).fill('20')
    expect(await second).toMatchObject({ hybrid: { semanticRatio: 0.2 } })
    expect(page.url()).toContain('by=far&ratio=0.2')
    await cards().first().click()
    await inspector().getByRole('button', { name: 'By own' }).click()
    await inspector().getByRole('button', { name: 'Night train' }).click()
    await inspector().getByRole('heading', { name: 'Night train', level: 2 }).waitFor()
  })

  it('has a menu of options, whose choices are sent and stand in the address', async () => {
    await open('#/search?index=wares&q=nowhere+walnut')
    await untilTotal(0)
    const menu = () => page.locator('.options')
    await menu().locator('summary').focus()
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Words and meaning are merged').isVisible()).toBe(false)
    await page.getByLabel('A hit may lack').selectOption('any')
    await untilTotal(30)
    expect(await menu().locator('summary').innerText()).toBe('Options (1)')
    await page.getByLabel('Operators: AND OR NOT + -').check()
    await page.getByLabel('Exact number of hits').check()
    await page.keyboard.press('Escape')
    expect(await menu().getAttribute('open')).toBe(null)
    expect(await focused()).toBe('summary.quiet small')
    await query().fill('(telescope OR kettle) AND NOT walnut')
    const wanted = wares().filter(
      ({ name }) => /telescope|kettle/i.test(name) && !/walnut/i.test(name),
    )
    await untilTotal(wanted.length)
    expect(page.url()).toContain('&words=any&syntax=boolean&total=exact')
    await page.reload()
    await untilTotal(wanted.length)
    await query().fill('(telescope')
    await page.getByText('there is no `)` for the `(` at character 1').waitFor()
    expect(await cards().count()).toBeGreaterThan(0)
    await query().fill('(telescope)')
    await untilTotal(21)
    expect(await page.getByText('there is no').count()).toBe(0)
    site.complaints.length = 0
    await open('#/search?index=meant&q=harbour&by=far&ratio=0&fusion=rrf')
    await menu().locator('summary', { hasText: 'Options (1)' }).click()
    expect(await page.getByLabel('Words and meaning are merged').inputValue()).toBe('rrf')
    expect(await faintTexts(page)).toEqual([])
    await query().click()
    expect(await menu().getAttribute('open')).toBe(null)
  })

  it('chats with a workspace, shows searches and sources, and treats texts as text', async () => {
    provider.answer(
      calls(['_meiliSearchInIndex', { index_uid: 'hostile', q: '', filter: '' }]),
      says('It is <img src=x ', 'onerror=window.wasHit=1>.'),
    )
    await open('#/search?index=wares')
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.getByRole('textbox', { name: 'Model' }).fill('small')
    const input = page.getByRole('textbox', { name: 'Your question' })
    await input.fill('What is it?')
    await input.press('Enter')
    await page.getByText('It is <img src=x onerror=window.wasHit=1>.').waitFor()
    expect(await page.locator('.said').last().innerText()).toContain('Searches hostile')
    await page.locator('.sources summary').click()
    expect(await page.evaluate('window.wasHit')).toBeUndefined()
    expect(await faintTexts(page)).toEqual([])
    provider.answer(says('Yes.'))
    await input.fill('Really?')
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('Yes.').waitFor()
    const roles = provider.requests.at(-1)!.body.messages.map(({ role }) => role)
    expect(roles.slice(1)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect(provider.requests.at(-1)!.body['model']).toBe('small')
    provider.answer(
      says(
        '## Here\n\n**Two** `films`, see [one](https://a.example/) and [two](javascript:alert(1)).',
        '\n\n[three](data:text/html,x) <javascript:alert(4)> [![five](data:,)](file:///x) six@a.example',
        '\n\n1. first <b>line</b>\n2. second ![x](https://a.example/x.png)\n\n|a|b|\n|-|-|\n|c|d|\n',
      ),
    )
    await input.fill('Which films?')
    await page.getByRole('button', { name: 'Ask' }).click()
    const answer = page.locator('.answer').last()
    await answer.getByRole('cell', { name: 'd' }).waitFor()
    expect(await answer.locator('ol > li').allInnerTexts()).toEqual([
      'first <b>line</b>',
      'second x',
    ])
    expect(await answer.locator(':is(strong, code)').allInnerTexts()).toEqual(['Two', 'films'])
    const links = answer.getByRole('link')
    expect(
      await links.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href)),
    ).toEqual(['https://a.example/', 'https://a.example/x.png'])
    expect(await answer.locator('b, img').count()).toBe(0)
    expect(await page.locator('.said[aria-busy]').count()).toBe(0)
    // A text that would take long to read is shown as it is.
    provider.answer(says('* '.repeat(20_000)))
    await input.fill('How many stars?')
    await page.getByRole('button', { name: 'Ask' }).click()
    await answer.locator('pre', { hasText: '* '.repeat(20_000).trim() }).waitFor()
    expect(await answer.locator('li').count()).toBe(0)
    await page.reload()
    // The page remembers the model of a workspace.
    await expect.poll(() => page.getByRole('textbox', { name: 'Model' }).inputValue()).toBe('small')
    await page.getByRole('button', { name: 'New conversation' }).click()
    expect(await page.locator('.said').count()).toBe(0)
  })

  it('has texts of sufficient contrast, light and dark, wide and narrow', async () => {
    for (const theme of ['light', 'dark']) {
      await open('#/search?index=wares&q=walnut&is.category=light')
      await untilTotal(6)
      const button = page.getByRole('button', { name: /^Colours/ })
      while (!(await button.getAttribute('aria-label'))?.endsWith(theme)) await button.click()
      await cards().first().click()
      for (const width of [1280, 900, 390]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await faintTexts(page)).toEqual([])
        const [wide, visible] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ])
        expect(wide).toBeLessThanOrEqual(visible!)
      }
      for (const view of ['indexes', 'settings', 'tasks']) {
        await page.goto(`${server.url}/#/${view}`)
        await page
          .locator('main')
          .getByText(/wares|hostile/)
          .filter({ visible: true })
          .first()
          .waitFor()
        expect(await faintTexts(page)).toEqual([])
      }
      // The browser stores the choice and applies it to the next page.
      await page.reload()
      expect(await page.locator('html').getAttribute('data-theme')).toBe(theme)
      await site.close()
    }
  })
})
