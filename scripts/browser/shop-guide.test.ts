// The page of the shop in docs/guides/shop.md: its script runs in a real browser against a server with
// the settings and products of the guide.
import { readFileSync } from 'node:fs'
import { transform } from 'esbuild'
import { expect, it } from 'vitest'
import { startServer } from '../../server/testing/test-server.ts'
import { type Block, blocksOf } from '../docs/blocks.ts'
import { hasChromium, openBrowser } from './index.ts'
import { servePage } from './test-page-server.ts'

const GUIDE = new URL('../../docs/guides/shop.md', import.meta.url)
const BLOCKS = blocksOf(readFileSync(GUIDE, 'utf8'))

function blockOf(language: string): string {
  const found = BLOCKS.filter((block: Block) => block.language === language)
  expect(found.map(({ directive }) => directive.kind)).toEqual(['runBy'])
  return found[0]!.text
}
/** Returns the JSON that a command of the guide sends to a path with this ending. */
function sentTo(path: string): unknown {
  const command = BLOCKS.find(({ text }) =>
    text.includes(`localhost:7700/indexes/products${path} `),
  )
  return JSON.parse(/-d '([^']+)'/.exec(command!.text)![1]!)
}

it.skipIf(!hasChromium('the page of the shop'))('the script of the shop searches', async () => {
  const server = await startServer()
  await server.ask('PATCH', '/indexes/products/settings', sentTo('/settings'))
  await server.ask('POST', '/indexes/products/documents', sentTo('/documents'))
  await server.idle()
  const text = blockOf('js').replace('http://localhost:7700', server.url)
  const site = await servePage({ text }, blockOf('html'), {})
  const browser = await openBrowser()
  const { page, complaints } = await browser.open(site.url)
  const hits = page.locator('#hits li')
  await expect.poll(() => hits.count(), { timeout: 15_000 }).toBe(4)
  await page.locator('#query input').pressSequentially('runing shoe')
  await expect.poll(() => page.locator('#hits h2 mark').count()).toBe(7)
  await page.locator('#sort select').selectOption('products:price:asc')
  await expect.poll(() => hits.first().innerText()).toMatch(/City\s+Lumo, blue, 59 €/)
  await page.getByRole('checkbox', { name: 'Volt' }).check()
  await expect
    .poll(() => hits.locator('h2').allInnerTexts())
    .toEqual(['Running shoe Aero', 'Running socks'])
  expect(await page.locator('#brands li').count()).toBe(3)
  expect(complaints.filter((one) => one.startsWith('uncaught'))).toEqual([])
  await browser.close()
  await site.stop()
  await server.stop()
})

it('the component of React is valid', async () => {
  const { code, warnings } = await transform(blockOf('jsx'), { loader: 'jsx' })
  expect([code.includes('createElement(InstantSearch'), warnings]).toEqual([true, []])
})
