// Checks the structure of docs/: each page is in the table, links lead to existing pages and
// headings, contents and links between pages match the table, and the site has all pages.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { describeApi } from '../../server/openapi/index.ts'
import { plotName, withReport, withShortTable } from '../bench/systems/page.ts'
import { plotOf } from '../bench/systems/plot.ts'
import { readResults } from '../bench/systems/results.ts'
import { OLD_WORDS } from '../tidy/words.table.ts'
import { apiPage } from './api-page.ts'
import { withoutBlocks } from './blocks.ts'
import { anchorOf } from './markdown.ts'
import { LLMS_FILE, llmsText, withContents, withFooter, withoutFooter } from './navigation.ts'
import { PAGES, START_PAGE } from './pages.table.ts'
import { searchParametersPage, settingsPage } from './reference-pages.ts'
import { roomsPage } from './rooms.ts'
import { REPOSITORY, siteLink, siteOf } from './site.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const isUpdate = process.env['UPDATE_GOLDEN'] === '1'
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const readPage = (file: string): string => read(join('docs', file))

function upToDate(file: string, wanted: string): void {
  if (isUpdate) writeFileSync(join(ROOT, 'docs', file), wanted)
  expect(readPage(file), `UPDATE_GOLDEN=1 writes ${file}`).toBe(wanted)
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))

const DOCS = [START_PAGE, ...PAGES.map(({ file }) => file)].map((name) => `docs/${name}`)
/** Matches a request in inline code, up to its query string. */
const REQUEST = /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`\s?]*)/g
/** Matches pages that only a server in development shows, and routes of other engines. */
const OTHER_SERVERS = /^\w+ \/(?:openapi(?:\.json)?$|collections\/|multi_search)/

const anchorsOf = (file: string): Set<string> =>
  new Set(
    [...withoutBlocks(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      anchorOf(title!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
    ),
  )

describe('the pages of docs', () => {
  it('are all in the table, once', () => {
    const files = pagesIn('docs')
    expect([START_PAGE, ...PAGES.map(({ file }) => file)].sort()).toEqual(files.sort())
  })

  it('begin with a title and have an introduction', () => {
    for (const { file, about } of PAGES) {
      expect(readPage(file), file).toMatch(/^# \S/)
      expect(about, file).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('have headings that go down by one level at a time', () => {
    const skipped: string[] = []
    for (const { file } of PAGES) {
      const levels = [...withoutBlocks(readPage(file)).matchAll(/^(#+) /gm)].map(
        ([, signs]) => signs!.length,
      )
      expect(
        levels.filter((level) => level === 1),
        file,
      ).toHaveLength(1)
      if (levels.some((level, i) => level > (levels[i - 1] ?? 0) + 1)) skipped.push(file)
    }
    expect(skipped).toEqual([])
  })

  it('have contents and links between pages as in the table', () => {
    upToDate(START_PAGE, withContents(readPage(START_PAGE)))
    upToDate(LLMS_FILE, llmsText())
    for (const page of PAGES) {
      const text = readPage(page.file)
      upToDate(page.file, withFooter(page, text))
      // A rule elsewhere is a second end of the page.
      expect(withoutFooter(text), page.file).not.toMatch(/^---$/m)
    }
  })

  it('have no word of the old vocabulary', () => {
    const found: string[] = []
    // Words of generated pages are counted in their tables.
    const written = PAGES.filter((page) => page.isGenerated !== true)
    const files = written.map(({ file }) => `docs/${file}`)
    for (const file of ['README.md', 'SECURITY.md', 'CHANGELOG.md', ...files]) {
      for (const [name, { pattern, instead }] of Object.entries(OLD_WORDS)) {
        if (read(file).search(pattern) >= 0) found.push(`${file}: ${name}, write ${instead}`)
      }
    }
    expect(found).toEqual([])
  })

  it('have every route of the server', async () => {
    upToDate('api.md', apiPage(await describeApi()))
  })

  it('have every parameter of a search and every setting', async () => {
    const description = await describeApi()
    upToDate('reference/search-parameters.md', searchParametersPage(description))
    upToDate('reference/settings.md', settingsPage(description))
  })

  it('have every room of the code', () => {
    upToDate('rooms.md', roomsPage(ROOT))
  })

  it('have the last measured figures', () => {
    const results = readResults(ROOT)
    upToDate('performance.md', withReport(readPage('performance.md'), results))
    upToDate('../README.md', withShortTable(read('README.md'), results))
    for (const [n, data] of results.data.entries()) upToDate(`images/${plotName(n)}`, plotOf(data))
  })

  it('name only existing routes', async () => {
    const { paths } = await describeApi()
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => {
        const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+')
        return new RegExp(`^${method.toUpperCase()} ${pattern}$`)
      }),
    )
    const unknown: string[] = []
    for (const file of ['README.md', ...PAGES.map((page) => `docs/${page.file}`)]) {
      for (const [, request] of read(file).matchAll(REQUEST)) {
        if (OTHER_SERVERS.test(request!)) continue
        if (!routes.some((route) => route.test(request!))) unknown.push(`${file}: ${request}`)
      }
    }
    expect(unknown).toEqual([])
  })

  it('link to existing files and headings', () => {
    const sources = [
      'README.md',
      'ARCHITECTURE.md',
      'SPEC-NOTES.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ]
    const broken: string[] = []
    for (const file of [...sources, ...DOCS]) {
      for (const [, href] of withoutBlocks(read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
        const isOurs = href!.startsWith(REPOSITORY)
        if (!isOurs && /^(?:https?:|mailto:)/.test(href!)) continue
        const [path = '', anchor] = href!.slice(isOurs ? REPOSITORY.length : 0).split('#')
        const relative = path === '' ? file : join(dirname(file), path)
        const target = isOurs ? path : relative
        if (!existsSync(join(ROOT, target))) broken.push(`${file}: ${href}`)
        else if (anchor !== undefined && !anchorsOf(target).has(anchor)) {
          broken.push(`${file}: ${href}, no such heading`)
        }
      }
    }
    expect(broken).toEqual([])
  })
})

it('the map of the code stays short', () => {
  expect(read('ARCHITECTURE.md').length).toBeLessThan(20_000)
})

it('the pages of the package link only to files of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] }
  const lost: string[] = []
  for (const file of ['SECURITY.md', 'CHANGELOG.md', ...pagesIn('docs')]) {
    const path = /^[A-Z]+\.md$/.test(file) && file !== START_PAGE ? file : join('docs', file)
    for (const [, href] of withoutBlocks(read(path)).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      const target = join(dirname(path), href!)
      const isShipped = files.some((one) => target === one || target.startsWith(`${one}/`))
      if (!/^https?:/.test(href!) && !isShipped) lost.push(`${path}: ${href}`)
    }
  }
  expect(lost).toEqual([])
})

describe('the site', () => {
  const site = siteOf(readPage)

  it('has every page, and all links have a target', () => {
    expect(site.size).toBe(PAGES.length + 3)
    expect(site.get(LLMS_FILE)).toContain('reference/settings.md')
    for (const [file, html] of site) {
      if (!file.endsWith('.html')) continue
      for (const [, href] of html.matchAll(/(?:href|src)="([^"#]*)(?:#[^"]*)?"/g)) {
        if (href === '' || /^(?:https?|data):/.test(href!)) continue
        const target = posix.join(posix.dirname(file), href!)
        const isThere = site.has(target) || existsSync(join(ROOT, 'docs', target))
        expect(isThere, `${file}: ${href}`).toBe(true)
        expect(href, file).not.toMatch(/\.md$/)
      }
    }
  })

  it('has parts that the keyboard scrolls, and no heading of a table without text', () => {
    const html = site.get('performance.html')!
    expect(html).toContain('<div class="wide" tabindex="0"><table><thead><tr><td></td><th')
    for (const [file, text] of site) expect(text, file).not.toMatch(/<th[^>]*><\/th>|<pre>/)
  })

  it('escapes code of pages', () => {
    const html = site.get('searching.html')!
    expect(html).toContain('&lt;em&gt;…&lt;/em&gt;')
    expect(html).not.toContain('<em>…')
  })

  it('keeps links within the site and points others to the repository', () => {
    expect(siteLink('tls.md#renewing-a-certificate')).toBe('tls.html#renewing-a-certificate')
    expect(siteLink('README.md')).toBe('index.html')
    expect(siteLink('images/write.svg')).toBe('images/write.svg')
    expect(siteLink('../tls.md#a', 'reference/settings.md')).toBe('../tls.html#a')
    expect(siteLink('../../README.md', 'reference/settings.md')).toMatch(/\/main\/README\.md$/)
    expect(siteLink('../ARCHITECTURE.md')).toMatch(/^https:.*\/blob\/main\/ARCHITECTURE\.md$/)
    expect(siteLink('grafana/svc-search.json')).toMatch(/\/docs\/grafana\/svc-search\.json$/)
  })
})
