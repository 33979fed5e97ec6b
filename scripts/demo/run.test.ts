// The whole demo against the built server: output, exit codes, and no server left behind.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { type DemoOptions, runDemo } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NEVER = new Promise<void>(() => undefined)

function demo(over: Partial<DemoOptions>, stopped = NEVER) {
  let output = ''
  const out = (text: string): void => {
    output += text
  }
  const terminal = { out, err: out, isWatched: false, columns: 140, now: () => 0 }
  const options = { root, port: 0, db: join(folder, 'db'), data: null, exit: true, ...over }
  return { ended: runDemo(options, terminal, stopped), output: () => output }
}

const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const urlIn = (output: string): string => /http:\S+/.exec(output)![0]

it('shows its own documents: searches with times, facets', async () => {
  const { ended, output } = demo({ db: join(folder, 'own') })
  expect(await ended, output()).toBe(0)
  expect(output()).toMatch(/^10,000 documents, searchable after .* on disk$/m)
  expect(output()).toMatch(/typos +photogrpahy exibition +[\d.]+ +[\d.]+ +\d+ +\d+ .*Photography/)
  expect(output()).toMatch(/Facets of \(everything\)\n[\s\S]*Germany +[\d,]+ +█+/)
  await expect(fetch(urlIn(output()))).rejects.toThrow()
  expect(existsSync(join(folder, 'own/VERSION'))).toBe(true)
})

it('shows the documents of the user, and stays up until it is stopped', async () => {
  let stop: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const data = file('my films.csv.gz', gzipSync('id,title\n1,Heat\n2,Casino\n'))
  const { ended, output } = demo({ data, exit: false }, stopped)
  await expect.poll(output, { timeout: 30_000 }).toContain('open http://')
  const page = await fetch(urlIn(output()), { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<title>Svc Search')
  const found = await fetch(`${urlIn(output())}/indexes/my-films/search?q=casinoo`)
  expect(await found.json()).toMatchObject({ hits: [{ id: '2', title: 'Casino' }] })
  stop()
  expect(await ended).toBe(0)
  await expect(fetch(urlIn(output()))).rejects.toThrow()
})

it('says what is wrong, and ends', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { readonly port: number }
  const cases: readonly (readonly [Partial<DemoOptions>, RegExp])[] = [
    [{ data: join(folder, 'none.csv') }, /none\.csv` does not exist/],
    [{ data: file('a.txt', 'x') }, /a\.txt: neither NDJSON, JSON nor CSV/],
    [{ data: file('a.json', '[{]') }, /a\.json: .*JSON/i],
    [{ data: file('b.json', '[{"a":1}]') }, /The task failed: .*primary key/],
    [{ port }, /The server ended: exit code 1[\s\S]*in use/],
  ]
  for (const [over, message] of cases) {
    const { ended, output } = demo(over)
    expect(await ended).toBe(1)
    expect(output()).toMatch(message)
  }
  taken.close()
})
