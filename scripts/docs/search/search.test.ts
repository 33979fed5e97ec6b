// The search of the documentation: the commands of docs/packaging.md make a site in an empty folder and
// load its sections into a server with keys; judged queries find them.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Meilisearch } from 'meilisearch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../server/testing/test-server.ts'
import type { SiteSearch } from '../site.ts'
import { buildSite, SECTIONS_FILE, SETTINGS_FILE } from './build.ts'
import { JUDGED_QUERIES } from './judged-queries.table.ts'
import { loadSections } from './load.ts'
import { type Section, sectionsOf } from './sections.ts'
import { INDEX, SEARCH } from './settings.table.ts'

const MASTER_KEY = 'the-master-key-of-the-site'
const FIRST_HITS = 3
const REFUSED = { cause: { code: 'invalid_api_key' } }

describe('sections', () => {
  it('have the text below each heading, code apart, and the headings above', () => {
    const page = `# Title

Intro with \`code\` and a [link](a.md).

## Part *one*

- first
- second

| a | b |
|---|---|
| 1 | 2 |

### Inside

\`\`\`sh
curl localhost
\`\`\`

## Part two

---

[Contents](README.md)
`
    const sections = sectionsOf((file) => (file === 'tls.md' ? page : ''))
    expect(sections).toEqual([
      section('tls.html', 'Title', { text: 'Intro with code and a link.' }),
      section('tls.html#part-one', 'Part one', { text: 'first\nsecond\na · b\n1 · 2' }),
      section('tls.html#inside', 'Inside', { above: ['Part one'], code: 'curl localhost' }),
      section('tls.html#part-two', 'Part two', {}),
    ])
  })

  const section = (url: string, heading: string, more: Partial<Section>): Section => ({
    id: url.replaceAll(/[.#]/g, '-'),
    url,
    page: 'TLS',
    heading,
    above: [],
    text: '',
    code: '',
    ...more,
  })
})

describe('the search of the site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-site-'))
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
  let server: TestServer
  let search: SiteSearch

  beforeAll(async () => {
    server = await startServer({ MASTER_KEY })
    const words = ['scripts/run.mjs', 'docs', 'load', server.url, folder]
    const env = { ...process.env, SVC_API_KEY: MASTER_KEY }
    const { stdout } = await promisify(execFile)(process.execPath, words, { env })
    const [, url, key] = /^npm run docs -- --search (\S+) --search-key (\S+)$/m.exec(stdout)!
    search = { url: url!, key: key! }
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has a section for each heading of the site, and no other addresses', () => {
    const sections = read(SECTIONS_FILE)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length)
    for (const { url } of sections as readonly Section[]) {
      const [file = '', anchor] = url.split('#')
      if (anchor !== undefined) expect(read(file), url).toContain(` id="${anchor}"`)
    }
    expect(JSON.parse(read(SETTINGS_FILE))).toHaveProperty('rankingRules')
  })

  it('finds the section that answers within the first hits', async () => {
    const client = new Meilisearch({ host: search.url, apiKey: search.key! })
    const missed: string[] = []
    const sections = read(SECTIONS_FILE)
    for (const [q, answers] of Object.entries(JUDGED_QUERIES)) {
      for (const url of answers) expect(sections.includes(`"url":"${url}"`), url).toBe(true)
      const { hits } = await client.index<Section>(INDEX).search(q, SEARCH as object)
      const urls = hits.slice(0, FIRST_HITS).map(({ url }) => url)
      if (!urls.some((url) => answers.includes(url))) missed.push(`${q}: ${urls}`)
    }
    expect(missed).toEqual([])
  })

  it('may only search, with the same key and index after the next load', async () => {
    const again = await loadSections(folder, server.url, MASTER_KEY)
    expect(again).toEqual(search)
    const admin = new Meilisearch({ host: server.url, apiKey: MASTER_KEY })
    const { results } = await admin.getIndexes()
    expect(results.map(({ uid }) => uid)).toEqual([INDEX])
    const reader = new Meilisearch({ host: server.url, apiKey: search.key! })
    await expect(reader.index(INDEX).getDocuments()).rejects.toMatchObject(REFUSED)
    await expect(reader.index(INDEX).deleteAllDocuments()).rejects.toMatchObject(REFUSED)
  })

  it('has a search box only with a server, and only the key for searches', async () => {
    const tag = `<script src="../search.js" data-server="${server.url}" data-key="${search.key}" defer>`
    expect(read('guides/shop.html')).toContain(tag)
    expect(read('search.js')).toContain(INDEX)
    await buildSite(join(folder, 'other'), { url: server.url, key: null })
    expect(read('other/index.html')).toContain(`data-server="${server.url}" defer>`)
    await buildSite(join(folder, 'plain'), null)
    expect(read('plain/index.html')).not.toContain('<script')
    expect(existsSync(join(folder, 'plain/search.js'))).toBe(false)
  })

  it('reports what a server refuses, and keeps the old sections', async () => {
    await expect(loadSections(folder, server.url, 'wrong')).rejects.toMatchObject(REFUSED)
    await expect(loadSections(folder, server.url, search.key)).rejects.toMatchObject(REFUSED)
    const { status } = await fetch(`${server.url}/indexes/${INDEX}/search?q=tls`, {
      headers: { authorization: `Bearer ${search.key}` },
    })
    expect(status).toBe(200)
  })
})
