// A small report of the built server, measured twice over HTTP, with a peer; its pages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { measureAll } from './command.ts'
import { dataOf, generatedData, queriesOf } from './data.ts'
import { withReport, withShortTable } from './page.ts'
import { figureText, plotOf } from './plot.ts'
import { METRIC_NAMES, METRICS, type Results, rangesOf } from './results.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-report-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PAGE = '# Page\n\n<!-- performance -->\nobsolete\n<!-- end of performance -->\n\nend\n'

const results = (over: Partial<Results> = {}): Results => ({
  date: '2026-01-02',
  commit: '01234567',
  node: '20.19.0',
  cpu: 'A processor',
  processors: 2,
  memoryBytes: 2 ** 33,
  platform: 'linux x64',
  rounds: 3,
  otherProcessors: 0,
  data: [
    {
      name: 'films',
      documents: 2000,
      bytes: 1.5e6,
      systems: [
        {
          name: 'one',
          isServer: true,
          figures: rangesOf([{ bulkSeconds: 1 }, { bulkSeconds: 3 }]),
        },
        { name: '<two>', isServer: false, figures: {} },
      ],
    },
  ],
  ...over,
})

describe('figures', () => {
  it('are the median and the extremes of the rounds that have them', () => {
    const { bulkSeconds, disk } = rangesOf([{ bulkSeconds: 9 }, { bulkSeconds: 1 }, { disk: 5 }])
    expect(bulkSeconds).toEqual({ median: 9, min: 1, max: 9 })
    expect(disk).toEqual({ median: 5, min: 5, max: 5 })
  })

  it('are shown with two or three digits', () => {
    expect([0.012345, 0.5, 1.2345, 12.345, 123.45, 12345].map(figureText)).toEqual([
      '0.012',
      '0.5',
      '1.23',
      '12.3',
      '123',
      '12,345',
    ])
  })
})

describe('the page', () => {
  it('has a row for each metric, a column for each system, and keeps the text around', () => {
    const page = withReport(PAGE, results())
    expect(page).toMatch(/^# Page\n[\s\S]*\n\nend\n$/)
    expect(page).not.toContain('obsolete')
    expect(page).toContain('| bulk, s | 3 (1–3) | – |')
    for (const name of METRIC_NAMES) expect(page).toContain(METRICS[name].about)
    expect(withShortTable(PAGE, results())).toContain('| one | 3 |')
  })

  it('warns if other programs used the machine', () => {
    expect(withReport(PAGE, results())).not.toContain('not quiet')
    expect(withReport(PAGE, results({ otherProcessors: 0.8 }))).toContain('not quiet')
  })

  it('has a plot with well-formed names', () => {
    const plot = plotOf(results().data[0]!)
    expect(plot).toContain('>&lt;two&gt;</text>')
    expect(plot.match(/<g /g)).toHaveLength(plot.match(/<\/g>/g)!.length)
  })
})

describe('data', () => {
  it('of a file have a name, an id and a title', () => {
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), gzipSync(content))
      return `films=${join(folder, name)}`
    }
    const set = dataOf(file('good.gz', '{"id":1,"title":"Heat"}\n\n{"id":2,"title":"Up"}\n'))
    expect([set.name, set.documents.length]).toEqual(['films', 2])
    expect(() => dataOf(file('bad.gz', '{"id":1}\n'))).toThrow('--data needs documents')
    expect(() => dataOf('films.ndjson')).toThrow('NAME=FILE')
  })

  it('give the same searches each time, of every class', () => {
    const data = generatedData(50)
    expect(queriesOf(data)).toEqual(queriesOf(data))
    expect(new Set(queriesOf(data).map((query) => query.class)).size).toBe(5)
  })
})

// Starts the server twice: seconds on a quiet machine.
it('measures the built server and a peer', { timeout: 240_000 }, async () => {
  const peer = join(folder, 'peer.mjs')
  writeFileSync(
    peer,
    `import { readFileSync } from 'node:fs'
    const lines = (file) => readFileSync(file, 'utf8').trim().split('\\n').length
    const metrics = { 'index.s': lines(process.argv[2]), 'restart.ms': lines(process.argv[3]) }
    console.log(JSON.stringify({ metrics }))`,
  )
  const lines: string[] = []
  const measured = await measureAll(
    {
      root,
      release: null,
      servers: [],
      peers: [`peer=${process.execPath} ${peer} {dataset} {queries} {fields}`],
      data: [],
      documents: 300,
      rounds: 1,
      searchMs: 60,
    },
    (line) => lines.push(line),
  )
  expect(lines).toHaveLength(2)
  const [own, other] = measured.data[0]!.systems
  const missing = METRIC_NAMES.filter((name) => !((own!.figures[name]?.median ?? -1) >= 0))
  expect(missing).toEqual([])
  expect(own!.figures.bulkSeconds!.median).toBeGreaterThan(0)
  expect(other!.figures).toEqual({
    bulkSeconds: { median: 300, min: 300, max: 300 },
    restartMs: { median: 300, min: 300, max: 300 },
  })
  expect(measured.commit).toMatch(/^(?:[0-9a-f]{8}|unknown)$/)
})
