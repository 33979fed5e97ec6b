// The site with its search as `npm run docs -- serve` starts it, in a real browser: typing, keys,
// links, a narrow dark screen, a server that is gone.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { faintTexts } from '../../../server/page/test-contrast.ts'
import { type Browser, hasChromium, openBrowser, type WatchedPage } from '../../browser/index.ts'
import { type ServedSite, serveSite } from '../search/serve.ts'

describe.skipIf(!hasChromium('the site of the documentation'))('the search box', () => {
  let site: ServedSite
  let browser: Browser
  let shown: WatchedPage
  let page: Page

  beforeAll(async () => {
    site = await serveSite(0)
    browser = await openBrowser()
  })
  afterEach(() => shown?.close())
  afterAll(async () => {
    await browser?.close()
    await site?.stop()
  })

  async function open(path: string, by: Browser = browser): Promise<void> {
    shown = await by.open(`${site.url}/${path}`)
    page = shown.page
  }
  const box = () => page.getByRole('combobox', { name: 'Search the documentation' })
  const list = () => page.getByRole('listbox', { name: 'Sections' })
  const options = () => list().getByRole('option')
  const activeId = () => box().getAttribute('aria-activedescendant')

  it('finds while a reader types, and follows a hit by the keyboard alone', async () => {
    await open('guides/shop.html')
    await page.keyboard.press('/')
    await page.keyboard.type('renew certif')
    await expect
      .poll(() => options().first().innerText())
      .toContain('Renewing a certificate\nTLS\n')
    expect(await options().first().locator('mark').allInnerTexts()).toContain('certif')
    expect(await box().getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await activeId()).toBe('found-1')
    await page.keyboard.press('ArrowUp')
    expect(await activeId()).toBe('found-0')
    expect(await options().first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.url}/tls.html#renewing-a-certificate`)
    await page.getByRole('heading', { name: 'Renewing a certificate' }).waitFor()
  })

  it('closes with Escape, then empties, then leaves the box', async () => {
    await open('index.html')
    await box().fill('synonyms')
    await options().first().waitFor()
    await page.keyboard.press('Escape')
    expect([await list().isVisible(), await box().inputValue()]).toEqual([false, 'synonyms'])
    await page.keyboard.press('ArrowDown')
    await options().first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await box().inputValue()).toBe('')
    await page.keyboard.press('Escape')
    expect(await box().evaluate((input) => document.activeElement === input)).toBe(false)
    await page.keyboard.press('/')
    await box().pressSequentially('/tasks')
    expect(await box().inputValue()).toBe('/tasks')
  })

  it('goes to a section of the same page by a click, and reports that nothing was found', async () => {
    await open('tls.html')
    await box().fill('trying tls out')
    await options().filter({ hasText: 'Trying it out' }).first().click()
    await page.waitForURL(`${site.url}/tls.html#trying-it-out`)
    expect(await list().isVisible()).toBe(false)
    await box().fill('zzyzxqkwv')
    await page.getByText('Nothing was found.').waitFor()
  })

  it('fits a narrow dark screen, with texts that can be read', async () => {
    const narrow = await openBrowser({ width: 390, height: 800, colorScheme: 'dark' })
    await open('reference/settings.html', narrow)
    await page.getByText('Contents', { exact: true }).click()
    await page.getByRole('link', { name: 'Snapshots', exact: true }).waitFor()
    await box().fill('snapshot bucket')
    await options().first().waitFor()
    expect(await faintTexts(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    const edges = await list().boundingBox()
    expect(edges!.x).toBeGreaterThanOrEqual(0)
    expect(edges!.x + edges!.width).toBeLessThanOrEqual(390)
    await shown.close()
    await narrow.close()
  })

  it('says that the search does not answer', async () => {
    await open('index.html')
    await page.route('**/indexes/**', (route) => route.abort())
    await box().fill('tls')
    await page.getByText('The search does not answer.').waitFor()
    shown.complaints.length = 0
  })
})
