// The ten tasks of an index's owner that docs/getting-started.md lists, on the page, in a real browser
// with a real server, with the keyboard alone: each test continues where the one before ended.
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/browser/index.ts'
import type { TestServer } from '../testing/test-server.ts'
import { PageUnderTest } from './test-page.ts'

const KEY = 'the-master-key-of-this-test'
const GUIDE = new URL('../../docs/getting-started.md', import.meta.url)
const TABS_MAX = 250
const FILMS = [
  { id: 1, title: 'A quiet harbour', overview: 'A night train arrives.', genre: 'drama' },
  { id: 2, title: 'Night train', overview: 'A harbour at dawn.', genre: 'crime' },
  { id: 3, title: 'The port', overview: 'Ships.', genre: 'crime' },
]
const TASKS = [
  'Create an index',
  'Upload documents',
  'Choose the attributes that are searched and filtered',
  'Add synonyms',
  'Try a query and explain a hit',
  'Create a key for searches',
  'Compare two settings',
  'Rename and swap indexes',
  'Find a failed task and its error',
  'Delete an index',
] as const

describe.skipIf(!hasChromium('the tasks of an owner'))('the owner of an index, by keyboard', () => {
  let site: PageUnderTest
  let server: TestServer
  let page: Page

  beforeAll(async () => {
    site = await PageUnderTest.start({ MASTER_KEY: KEY })
    server = site.server
    page = await site.open('#/indexes')
    // From the first listener on, choosers are events. Without one that stays, each `waitForEvent`
    // would request that again, and the key could come first.
    page.on('filechooser', () => undefined)
    await page.getByLabel('Master key or API key').waitFor()
    await tabTo(page.getByLabel('Master key or API key'))
    await type(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No index yet' }).waitFor()
    // The browser logs the refusal of the requests without a key.
    site.complaints.length = 0
  }, 60_000)

  afterAll(() => site?.stop())

  /** Presses Tab until `target` has the focus. */
  async function tabTo(target: Locator): Promise<void> {
    let found = await target.elementHandle()
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      const state = await found!.evaluate((element) => {
        if (element === document.activeElement) return 'focused'
        return element.isConnected ? 'elsewhere' : 'rendered again'
      })
      if (state === 'focused') return
      if (state === 'rendered again') found = await target.elementHandle()
      else await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach ${target}`)
  }
  async function press(target: Locator, key = 'Enter'): Promise<void> {
    await tabTo(target)
    await page.keyboard.press(key)
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const textbox = (name: string | RegExp) => page.getByRole('textbox', { name })
  /** Replaces the text of the field that has the focus. Enter ends a line. */
  async function type(text: string): Promise<void> {
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
  }
  async function enter(target: Locator, text: string): Promise<void> {
    await tabTo(target)
    await type(text)
  }
  const send = (path: string, key: string): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const view = (name: string) =>
    press(page.getByRole('navigation').getByRole('link', { name, exact: true }))
  const names = async () => (await page.locator('.card h2').allInnerTexts()).sort()
  const card = (uid: string) =>
    page.locator('.card', { has: page.getByRole('heading', { name: uid, exact: true }) })

  /** Sends `documents` to `index` by the dialog, and waits for the text of its outcome. */
  async function upload(index: string, documents: unknown, outcome: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await enter(dialog.getByLabel('Index (a new name'), index)
    await tabTo(dialog.getByLabel('File: JSON'))
    // The chooser itself belongs to the operating system.
    const chooser = page.waitForEvent('filechooser')
    await page.keyboard.press('Space')
    const buffer = Buffer.from(JSON.stringify(documents))
    await (await chooser).setFiles({ name: 'films.json', mimeType: 'text/plain', buffer })
    await press(button('Upload'))
    await dialog.getByText(outcome).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  }

  async function saveLines(setting: string, lines: string): Promise<void> {
    await press(button(`Edit ${setting}`))
    await enter(textbox(`${setting}, one a line`), lines)
    await press(button('Save'))
    await page.locator('form.settings-editor').waitFor({ state: 'detached' })
    await untilFocused(button(`Edit ${setting}`))
  }
  const untilFocused = (target: Locator) =>
    expect.poll(() => target.evaluate((one) => one === document.activeElement)).toBe(true)

  it('is told of these tasks by the guide', () => {
    const [, section = ''] = readFileSync(GUIDE, 'utf8').split('## Ten tasks on the page\n')
    const rows = section.split('\n## ')[0]!.matchAll(/^\| \d+ \| ([^|]+) \|/gm)
    expect([...rows].map(([, task]) => task)).toEqual([...TASKS])
  })

  it(TASKS[0], async () => {
    await press(button('Create an index'))
    await page.keyboard.type('films')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['films'])
    await untilFocused(button('Create an index'))
  })

  it(TASKS[1], async () => {
    await press(button('Add documents to films'))
    await upload('films', FILMS, '3 documents indexed.')
    await card('films').locator('.figures', { hasText: '3' }).waitFor()
    await press(button('Add documents'))
    await upload('drafts', FILMS.slice(0, 2), '2 documents indexed.')
    await expect.poll(names).toEqual(['drafts', 'films'])
  })

  it(TASKS[2], async () => {
    await press(card('films').getByRole('link', { name: 'films' }))
    await page.locator('.hit').first().waitFor()
    await view('Settings')
    await button('Edit synonyms').waitFor()
    await saveLines('searchableAttributes', 'title\noverview')
    await saveLines('filterableAttributes', 'genre')
    const settings = await (await send('/indexes/films/settings', KEY)).json()
    expect(settings).toMatchObject({
      searchableAttributes: ['title', 'overview'],
      filterableAttributes: ['genre'],
    })
  })

  it(TASKS[3], async () => {
    await press(button('Edit synonyms'))
    await untilFocused(button('Add to synonyms'))
    await page.keyboard.press('Enter')
    await page.keyboard.type('harbour')
    await enter(textbox(/one a line/), 'port')
    await press(button('Save'))
    await page.locator('form.settings-editor').waitFor({ state: 'detached' })
  })

  it(TASKS[4], async () => {
    await page.keyboard.press('/')
    const hits = page.locator('.hit')
    await untilFocused(page.getByRole('combobox', { name: 'Search the index' }))
    await page.keyboard.type('harbour')
    await expect.poll(() => hits.count()).toBe(3)
    await press(page.getByRole('checkbox', { name: /^crime/ }), 'Space')
    await expect.poll(() => hits.count()).toBe(2)
    const title = await hits.first().locator('.hit-heading').innerText()
    await page.keyboard.press('/')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const document = page.getByRole('complementary', { name: 'Document' })
    await document.getByRole('heading', { name: title }).first().waitFor()
    expect(await document.locator('.rule').allInnerTexts()).toContain('words')
    await page.keyboard.press('Escape')
    await document.waitFor({ state: 'detached' })
  })

  it(TASKS[5], async () => {
    await view('Keys')
    await press(button('Create a key'))
    const dialog = page.getByRole('dialog')
    await page.keyboard.type('web shop')
    await page.keyboard.press('Enter')
    const key = await dialog.locator('.command pre').innerText()
    await untilFocused(button('Done'))
    await page.keyboard.press('Enter')
    await card('web shop').waitFor()
    await untilFocused(button('Create a key'))
    const found = await send('/indexes/films/search?q=harbour', key)
    expect(await found.json()).toMatchObject({ estimatedTotalHits: 3 })
    expect((await send('/indexes/films/settings', key)).status).toBe(403)
  })

  it(TASKS[6], async () => {
    await view('Console')
    await enter(textbox('Body of request 1'), '{"q": "harbour"}')
    await press(button('Compare two'))
    await tabTo(page.getByRole('combobox', { name: 'Index of request 2' }))
    await page.keyboard.type('dra')
    await enter(textbox('Body of request 2'), '{"q": "harbour"}')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.locator('.moved').count()).toBe(2)
    // The synonym is a setting of only one of them.
    const [first, second] = ['request 1', 'request 2'].map((name) =>
      page.getByRole('region', { name }).locator('.hit-table tbody tr'),
    )
    expect([await first!.count(), await second!.count()]).toEqual([3, 2])
  })

  it(TASKS[7], async () => {
    await view('Indexes')
    await press(button('Rename drafts'))
    await type('next')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['films', 'next'])
    await press(button('Swap next'))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await press(page.getByRole('dialog').getByRole('button', { name: 'Swap' }))
    const documents = (uid: string) => card(uid).locator('.figures dd').first().innerText()
    await expect.poll(() => documents('next')).toBe('3')
    expect(await documents('films')).toBe('2')
  })

  it(TASKS[8], async () => {
    await press(button('Add documents to next'))
    await upload('next', [{ title: 'No id' }], 'primary key')
    await view('Tasks')
    await tabTo(page.getByRole('combobox', { name: 'Status' }))
    await page.keyboard.type('fai')
    await page.getByText('1 task', { exact: true }).waitFor()
    await press(page.locator('.tasks summary'))
    await page.locator('.task-detail .refusal', { hasText: 'missing_document_id' }).waitFor()
  })

  it(TASKS[9], async () => {
    await view('Indexes')
    await press(button('Delete next'))
    await page.keyboard.type('next')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['films'])
    expect(site.complaints).toEqual([])
  })
})
