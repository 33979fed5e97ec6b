// The work of an index's owner on the page, in a real browser with a real server: indexes, settings,
// keys, workspaces, requests in the console, hits in a table.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../../scripts/browser/index.ts'
import { SHOP_SETTINGS, wares } from '../../../scripts/browser/test-shop.ts'
import type { TestServer } from '../../testing/test-server.ts'
import { faintTexts } from '../test-contrast.ts'
import { PageUnderTest } from '../test-page.ts'

const KEY = 'the-master-key-of-this-test'

describe.skipIf(!hasChromium('the owner of an index'))('the owner of an index', () => {
  let site: PageUnderTest
  let server: TestServer
  let page: Page

  beforeAll(async () => {
    site = await PageUnderTest.start()
    server = site.server
    const films = [
      { id: 1, title: 'A quiet harbour' },
      { id: 2, title: 'Night train' },
    ]
    await server.ask('POST', '/indexes/films/documents', films)
    await server.ask('POST', '/indexes/books/documents', [{ id: 1, title: 'The harbour' }])
    await server.ask('POST', '/indexes', { uid: 'tuned' })
    await server.ask('PATCH', '/indexes/wares/settings', SHOP_SETTINGS)
    await server.ask('POST', '/indexes/wares/documents', wares())
    await server.idle()
  }, 60_000)

  afterEach(() => site?.close())

  afterAll(() => site?.stop())

  async function open(hash: string, of = server): Promise<void> {
    page = await site.open(hash, of)
  }
  const names = async () => (await page.locator('.card h2').allInnerTexts()).sort()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  it('creates, renames, swaps and deletes an index', async () => {
    await open('#/indexes?index=films')
    // Documents per second and the size of the database; a size on each card.
    await page.getByText('Documents per second, last hour').waitFor()
    await expect.poll(() => page.locator('.card .plot polyline').count()).toBe(4)
    await press('Create an index')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('songs')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['books', 'films', 'songs', 'tuned', 'wares'])
    // The server's refusal stands beside the form.
    await press('Create an index')
    await dialog.getByLabel('Name').fill('songs')
    await press('Create')
    await dialog.getByRole('alert').getByText('Index `songs` already exists.').waitFor()
    expect(await faintTexts(page)).toEqual([])
    await page.keyboard.press('Escape')
    await press('Rename films')
    await dialog.getByLabel('New name').fill('movies')
    await press('Rename')
    await expect.poll(names).toEqual(['books', 'movies', 'songs', 'tuned', 'wares'])
    expect(page.url()).toContain('index=movies')
    await press('Swap movies')
    await dialog.getByLabel('With').selectOption('books')
    await press('Swap')
    const card = page.locator('.card', { hasText: 'movies' })
    await expect.poll(() => card.locator('.figures dd').first().innerText()).toBe('1')
    await press('Delete movies')
    const name = dialog.getByLabel('Enter “movies” to confirm')
    await name.fill('books')
    await press('Delete')
    expect(await name.evaluate((field: HTMLInputElement) => field.validity.customError)).toBe(true)
    expect(await names()).toContain('movies')
    await name.fill('movies')
    expect(await faintTexts(page)).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['books', 'songs', 'tuned', 'wares'])
    expect(page.url()).not.toContain('movies')
  })

  it('changes settings in forms: texts, numbers, choices, and rows of names', async () => {
    await open('#/settings?index=tuned')
    const settings = async (): Promise<{ readonly [name: string]: unknown }> => {
      await server.idle()
      const { body } = await server.ask('GET', '/indexes/tuned/settings')
      return body as { readonly [name: string]: unknown }
    }
    const saved = () => page.locator('form.settings-editor').waitFor({ state: 'detached' })
    await press('Edit rankingRules')
    const rules = page.getByRole('textbox', { name: 'rankingRules, one a line' })
    await rules.fill('words\ntypo\n\nyear:desc')
    await press('Save')
    await saved()
    await press('Edit typoTolerance')
    await page.getByRole('spinbutton', { name: 'oneTypo' }).fill('4')
    await page.getByRole('checkbox', { name: 'disableOnNumbers' }).check()
    await press('Save')
    await saved()
    await press('Edit synonyms')
    await press('Add to synonyms')
    await page.getByRole('textbox', { name: 'Name in synonyms' }).fill('harbour')
    await page.getByRole('textbox', { name: /one a line/ }).fill('port\nhaven')
    expect(await faintTexts(page)).toEqual([])
    await press('Save')
    await saved()
    await press('Edit prefixSearch')
    await page.getByRole('combobox', { name: 'prefixSearch' }).selectOption('disabled')
    await press('Save')
    await saved()
    // A setting that the server does not list until it was set.
    await press('Edit boosts')
    await press('Add to boosts')
    await page.getByRole('textbox', { name: 'boosts filter as JSON' }).fill('"year > 2000"')
    await page.getByRole('spinbutton', { name: 'boosts weight' }).fill('2')
    await press('Save')
    await saved()
    expect(await settings()).toMatchObject({
      rankingRules: ['words', 'typo', 'year:desc'],
      typoTolerance: {
        enabled: true,
        minWordSizeForTypos: { oneTypo: 4, twoTypos: 9 },
        disableOnNumbers: true,
      },
      synonyms: { harbour: ['port', 'haven'] },
      prefixSearch: 'disabled',
    })
  })

  it('sends a request in the console, copies it, and compares it with another one', async () => {
    await open('#/console?index=wares&q=walnut+lamp')
    const body = page.getByRole('textbox', { name: 'Body of request 1 as JSON' })
    expect(JSON.parse(await body.inputValue())).toMatchObject({ q: 'walnut lamp' })
    await body.fill('{"q": "walnut lamp",}')
    await body.press('Control+Enter')
    await page.getByRole('alert').getByText('This is not valid JSON').waitFor()
    expect(await body.getAttribute('aria-invalid')).toBe('true')
    await body.fill('{"q": "walnut lamp", "limit": 3}')
    await body.press('Control+Enter')
    const rows = page.locator('.hit-table tbody tr')
    await expect.poll(() => rows.count()).toBe(3)
    expect(await body.getAttribute('aria-invalid')).toBe(null)
    const code = page.locator('.command pre')
    expect(await code.innerText()).toContain(`curl -X POST '${server.url}/indexes/wares/search'`)
    await press('Python')
    expect(await code.innerText()).toContain('"limit": 3')
    await press('JSON')
    await page.locator('.json', { hasText: '"estimatedTotalHits"' }).waitFor()
    await press('Table')
    await press('Compare two')
    const other = page.getByRole('textbox', { name: 'Body of request 2 as JSON' })
    await other.fill('{"q": "walnut lamp", "limit": 3, "filter": "price > 200"}')
    await press('Send')
    await expect.poll(() => page.locator('.moved').count()).toBe(3)
    expect(await page.locator('.moved').allInnerTexts()).toContain('only here')
    expect(await faintTexts(page)).toEqual([])
    await press('Only one')
    expect(await other.count()).toBe(0)
  })

  it('shows hits as a table, and opens a document from it', async () => {
    await open('#/search?index=wares&q=walnut+lamp')
    await press('Table')
    const names = await page.locator('.hit-table thead th').allInnerTexts()
    expect(names.slice(0, 3)).toEqual(['#', 'id', 'name'])
    await press('Open hit 2')
    await page
      .getByRole('complementary', { name: 'Document' })
      .getByText('Walnut Lamp No. 2')
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Open hit 2')
    await press('Table')
    await page.getByRole('listbox', { name: 'Hits' }).waitFor()
  })

  it('shows pictures of the origins that the operator allows, and links to all addresses', async () => {
    const asked: string[] = []
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9H0z"/></svg>'
    const pictures = createServer((request, answer) => {
      asked.push(`${request.url} ${request.headers.referer ?? 'no referrer'}`)
      answer.writeHead(200, { 'content-type': 'image/svg+xml' }).end(svg)
    })
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`
    const shop = await site.serve({ PREVIEW_IMAGES: origin })
    await shop.ask('POST', '/indexes/art/documents', [
      { id: 1, title: 'Allowed', poster: `${origin}/1` },
      { id: 2, title: 'Elsewhere', poster: 'http://127.0.0.1:9/2.svg' },
    ])
    await shop.idle()
    await open('#/search?index=art', shop)
    const image = page.locator('.hit img')
    await expect
      .poll(() =>
        image.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
      )
      .toEqual([9])
    await page.locator('.hit', { hasText: 'Allowed' }).click()
    const link = page.getByRole('complementary', { name: 'Document' }).getByRole('link')
    expect(await link.getAttribute('href')).toBe(`${origin}/1`)
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    expect([...new Set(asked)]).toEqual(['/1 no referrer'])
    await site.close()
    await shop.stop()
    pictures.close()
  })

  it('offers no changes in production, and needs a key', async () => {
    const options = { ENV: 'production', MASTER_KEY: KEY, PREVIEW_IN_PRODUCTION: 'true' }
    const production = await site.serve(options)
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify([{ id: 1, title: 'A quiet harbour' }])
    await fetch(`${production.url}/indexes/films/documents`, { method: 'POST', headers, body })
    await production.idle()
    await open('#/indexes', production)
    await page.getByLabel('Master key or API key').fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'films', exact: true }).waitFor()
    const buttons = () => page.locator('main').getByRole('button').filter({ visible: true })
    expect(await buttons().count()).toBe(0)
    const views = await page.getByRole('navigation').getByRole('link').allInnerTexts()
    expect(views).toEqual(['Search', 'Console', 'Indexes', 'Tasks', 'Settings'])
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('rankingRules').waitFor()
    expect(await buttons().allInnerTexts()).toEqual(['Copy JSON'])
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.locator('.hit', { hasText: 'A quiet harbour' }).waitFor()
    // The navigation has no link to this view.
    await page.evaluate('location.hash = "#/keys"')
    await page.getByRole('heading', { name: 'Default Admin API Key' }).waitFor()
    expect(await buttons().count()).toBe(0)
    expect(site.requests.filter((url) => url.includes('openapi'))).toEqual([])
    // The browser also logs the refusals of requests without a key.
    site.complaints.length = 0
    await site.close()
    await production.stop()
  })

  it('makes a workspace for chats', async () => {
    await open('#/chat')
    await page.getByRole('heading', { name: 'No workspace yet' }).waitFor()
    await press('Make a workspace')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the workspace').fill('helper')
    await dialog.getByRole('combobox', { name: 'workspace source' }).selectOption('azureOpenAi')
    await dialog.getByRole('textbox', { name: 'workspace baseUrl' }).fill('http://127.0.0.1:9/')
    await dialog.getByRole('textbox', { name: 'workspace deploymentId' }).fill('ours')
    await dialog.getByRole('textbox', { name: 'workspace apiVersion' }).fill('1')
    expect(await faintTexts(page)).toEqual([])
    await press('Make')
    await page.getByRole('textbox', { name: 'Your question' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Workspace' }).inputValue()).toBe('helper')
    // The deployment of the workspace is its model.
    await expect.poll(() => page.getByRole('textbox', { name: 'Model' }).inputValue()).toBe('ours')
  })

  it('creates a key with scopes, sees it once, and revokes it', async () => {
    await open('#/keys')
    await page.getByRole('heading', { name: 'This server is open' }).waitFor()
    // The browser logs the refusal of the list.
    site.complaints.length = 0
    await site.close()
    const locked = await site.serve({ MASTER_KEY: KEY })
    await open('#/keys', locked)
    await page.getByLabel('Master key or API key').fill(KEY)
    await page.keyboard.press('Enter')
    await press('Create a key')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('shop')
    await dialog.getByLabel('Indexes: names').fill('wares, film*')
    await dialog.getByRole('checkbox', { name: 'stats.get' }).check()
    await press('Create')
    const key = await dialog.locator('.command pre').innerText()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    await press('Done')
    const card = page.locator('.card', { hasText: 'shop' })
    await card.waitFor()
    expect(await card.locator('.tags li').allInnerTexts()).toEqual([
      'search',
      'stats.get',
      'wares',
      'film*',
    ])
    expect(await page.content()).not.toContain(key)
    const asked = (): Promise<number> =>
      fetch(`${locked.url}/stats`, { headers: { authorization: `Bearer ${key}` } }).then(
        ({ status }) => status,
      )
    expect(await asked()).toBe(200)
    await press('Revoke shop')
    await press('Revoke')
    await expect.poll(() => card.count()).toBe(0)
    expect(await asked()).toBe(403)
    // The browser also logs the refusals of the requests without a key.
    site.complaints.length = 0
    await site.close()
    await locked.stop()
  })
})
