// A shop page built with InstantSearch and its existing adapter, in a real browser, against a real
// server: the usual actions of a person must work.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoopbackServer } from '../../server/testing/test-loopback.ts'
import { startServer, type TestServer } from '../../server/testing/test-server.ts'
import { type Browser, hasChromium, openBrowser, type WatchedPage } from './index.ts'
import { servePage } from './test-page-server.ts'
import { SHOP_SETTINGS, WARES_COUNT, wares } from './test-shop.ts'

const BODY = ['query', 'stats', 'clear', 'sort', 'category', 'colours', 'price', 'hits', 'pages']
  .map((id) => `<div id="${id}"></div>`)
  .join('')
const PER_PAGE = 12

describe.skipIf(!hasChromium('an InstantSearch page'))('an InstantSearch page', () => {
  let server: TestServer
  let site: LoopbackServer
  let browser: Browser
  let shown: WatchedPage
  let page: Page

  beforeAll(async () => {
    server = await startServer()
    await server.ask('PATCH', '/indexes/wares/settings', SHOP_SETTINGS)
    await server.ask('POST', '/indexes/wares/documents', wares())
    await server.idle()
    const { body } = await server.ask('GET', '/tasks?statuses=succeeded')
    expect(body).toMatchObject({ total: 2 })
    site = await servePage('./test-instant-page.ts', BODY, { SERVER_URL: server.url })
    browser = await openBrowser()
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await site?.stop()
    await server?.stop()
  })

  /** Opens a new page and waits for its first hits. */
  async function open(): Promise<void> {
    shown = await browser.open(site.url)
    page = shown.page
    await page.locator('article').first().waitFor().catch(complain)
  }

  /** Fails with the messages of the browser. */
  function complain(cause: unknown): never {
    throw new Error(`no hits: ${shown.complaints.join(', ')}`, { cause })
  }

  /** Closes the page; checks that there were no complaints and no requests to other servers. */
  async function close(): Promise<void> {
    const hosts = new Set(shown.requests.map((url) => new URL(url).host).filter((host) => host))
    expect([...hosts].sort()).toEqual([new URL(site.url).host, new URL(server.url).host].sort())
    await shown.close()
  }

  const type = (text: string) => page.locator('#query input').pressSequentially(text)
  const names = () => page.locator('article h2').allInnerTexts()
  const prices = async () =>
    (
      await page
        .locator('article')
        .evaluateAll((found) => found.map((article) => article.getAttribute('data-price')))
    ).map(Number)
  const untilStats = (text: RegExp) =>
    page.locator('#stats').filter({ hasText: text }).first().waitFor()

  it('shows the first page of everything', async () => {
    await open()
    expect(await page.locator('article').count()).toBe(PER_PAGE)
    await untilStats(new RegExp(`^${WARES_COUNT} results`))
    await close()
  })

  it('finds while a person types, with highlights', async () => {
    await open()
    await type('telesc')
    await untilStats(/^21 results/)
    for (const name of await names()) expect(name).toContain('Telescope')
    const marked = await page.locator('article mark').allInnerTexts()
    expect(new Set(marked)).toEqual(new Set(['Telesc']))
    await close()
  })

  it('forgives a typo', async () => {
    await open()
    await type('armchiar')
    await untilStats(/^21 results/)
    for (const name of await names()) expect(name).toContain('Armchair')
    await close()
  })

  it('refines by facets, and keeps the counts of other values', async () => {
    await open()
    const category = page.locator('#category li', { hasText: 'kitchen' })
    expect(await category.locator('.ais-RefinementList-count').innerText()).toBe('42')
    await category.locator('input').check()
    await untilStats(/^42 results/)
    expect(await page.locator('#category li').count()).toBeGreaterThan(3)
    await page.locator('#colours li', { hasText: 'red' }).locator('input').check()
    const red = wares().filter(
      (ware) => ware.category === 'kitchen' && ware.colours.includes('red'),
    ).length
    await untilStats(new RegExp(`^${red} results`))
    await page.locator('#clear button').click()
    await untilStats(new RegExp(`^${WARES_COUNT} results`))
    await close()
  })

  it('refines by a range of numbers', async () => {
    await open()
    const [low, high] = [page.locator('#price input').nth(0), page.locator('#price input').nth(1)]
    await low.fill('50')
    await high.fill('90')
    await page.locator('#price button').click()
    const within = wares().filter(({ price }) => price >= 50 && price <= 90).length
    await untilStats(new RegExp(`^${within} results`))
    for (const price of await prices()) {
      expect(price).toBeGreaterThanOrEqual(50)
      expect(price).toBeLessThanOrEqual(90)
    }
    await close()
  })

  it('sorts', async () => {
    await open()
    const all = wares().map(({ price }) => price)
    for (const [value, sorted] of [
      ['wares:price:asc', all.toSorted((a, b) => a - b)],
      ['wares:price:desc', all.toSorted((a, b) => b - a)],
    ] as const) {
      await page.locator('#sort select').selectOption(value)
      await page.locator(`article[data-price="${sorted[0]}"]`).first().waitFor()
      await expect.poll(prices).toEqual(sorted.slice(0, PER_PAGE))
    }
    await close()
  })

  it('turns pages, to the last and back', async () => {
    await open()
    const first = await names()
    await page.locator('#pages .ais-Pagination-item--nextPage a').click()
    await expect.poll(names).not.toEqual(first)
    await page.locator('#pages .ais-Pagination-item--lastPage a').click()
    await expect.poll(async () => (await names()).length).toBe(WARES_COUNT % PER_PAGE)
    await page.locator('#pages .ais-Pagination-item--firstPage a').click()
    await expect.poll(names).toEqual(first)
    await close()
  })

  it('shows a message if nothing is found, and still works', async () => {
    await open()
    await type('zzyzxqk')
    await page.getByText('Nothing was found.').waitFor()
    await untilStats(/^No results/)
    await page.locator('#query input').fill('')
    await untilStats(new RegExp(`^${WARES_COUNT} results`))
    await close()
  })
})
