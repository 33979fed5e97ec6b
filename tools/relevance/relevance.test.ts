// `svc-tools relevance` with a server in this process, and the forms of judged sets.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startServer } from '../../server/testing/test-server.ts'
import { runForTest } from '../test-run.ts'
import { readJudged } from './judged.ts'

const MASTER_KEY = 'a-master-key-of-16-bytes'
const folder = mkdtempSync(join(tmpdir(), 'svc-relevance-'))
let server: Awaited<ReturnType<typeof startServer>>

const LAMPS = [
  { id: 1, sku: 'r1', title: 'red lamp', sold: 5 },
  { id: 2, sku: 'r2', title: 'lamp for a desk', sold: 9 },
  { id: 3, sku: 'r3', title: 'red chair', sold: 7 },
  { id: 4, sku: 'r4', title: 'green lamp', sold: 8 },
]
const JUDGED = {
  index: 'lamps',
  queries: [
    { id: 'colour', q: 'red lamp', relevant: { 1: 2, 2: 1 } },
    { id: 'lamps', q: 'lamp', relevant: [4, 2] },
    { id: 'sofa', q: 'sofa', relevant: { 9: 1 } },
    { id: 'none', q: 'green', relevant: {} },
  ],
}

beforeAll(async () => {
  server = await startServer({ MASTER_KEY })
  vi.stubEnv('SVC_API_KEY', MASTER_KEY)
  const init = (method: string, body: unknown) => ({
    method,
    headers: { authorization: `Bearer ${MASTER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await fetch(`${server.url}/indexes/lamps/documents`, init('POST', LAMPS))
  await fetch(`${server.url}/indexes/bare`, init('PUT', {}))
  await fetch(`${server.url}/indexes`, init('POST', { uid: 'bare' }))
  const rules = { rankingRules: ['sold:desc'] }
  await fetch(`${server.url}/indexes/sold/documents`, init('POST', LAMPS))
  await fetch(`${server.url}/indexes/sold/settings`, init('PATCH', rules))
  await server.idle()
}, 60_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const run = (...words: readonly string[]) =>
  runForTest(['relevance', ...words, '--url', server.url], words.includes('--shown'))

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

test('scores one way to search, and shows its weakest queries', async () => {
  const { code, out, err } = await run(fileOf('a.json', JUDGED))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  // `red lamp` finds 1 alone at first, with `last` then those with `red`: nDCG 2 / 2.63093.
  // `lamp` finds 1, 2, 4: (1/1.58496 + 1/2) / 1.63093 = .6934, the reciprocal rank is 1/2.
  expect(out).toBe(`3 queries with 5 relevant documents; 1 without one are left out

lamps

  nDCG@10               .5600
  recall@100            .5000
  MRR@10                .6667
  queries without hits      1

  weakest  nDCG   query     not shown
  sofa     .0000  sofa      9
  colour   .7602  red lamp  2
  lamps    .9197  lamp
`)
})

test('compares two searches and names the queries that changed', async () => {
  const against = ['--against', '{"matchingStrategy":"any"}']
  const { out, err } = await run(fileOf('b.json', JUDGED), ...against, '--shown', '1')
  expect(err).toContain('of 3')
  expect(out).toContain('A: lamps\nB: lamps {"matchingStrategy":"any"}\n')
  expect(out).toContain('By nDCG@10, B wins 1, loses 0, and 2 are equal.')
  expect(out).toMatch(
    /\n {2}won +A +B +B − A +query\n {2}colour +\.7602 +.\d+ +\+\.\d+ +red lamp\n/,
  )
  const json = await run(fileOf('b.json', JUDGED), ...against, '--json', '--recall', '3')
  const result = JSON.parse(json.out)
  expect(result).toMatchObject({
    k: 10,
    depth: 3,
    gain: 'linear',
    omitted: ['none'],
    won: ['colour'],
    lost: [],
    variants: [{ search: {} }, { search: { matchingStrategy: 'any' }, withoutHits: 1 }],
  })
  expect(result.queries[0].scores[1].hits).toContain('2')
})

test('pages of a search do not hide hits from the figures', async () => {
  const path = fileOf('p.json', JUDGED)
  const pages = ['--search', '{"page":2,"hitsPerPage":1}', '--against', '{"offset":1}']
  const [whole, paged] = await Promise.all([run(path, '--json'), run(path, '--json', ...pages)])
  const { queries } = JSON.parse(whole.out)
  const found = JSON.parse(paged.out).queries as typeof queries
  for (const [i, { scores }] of found.entries()) {
    expect(scores).toEqual([queries[i].scores[0], queries[i].scores[0]])
  }
})

test('compares two indexes, with ids in another attribute and searches of single queries', async () => {
  const judged = {
    queries: [
      { q: 'red', relevant: { r1: 1 } },
      { q: 'lamp', relevant: { r4: 1 }, search: { attributesToSearchOn: ['sku'] } },
    ],
  }
  const words = ['--index', 'lamps', '--against-index', 'sold', '--id', 'sku', '--json']
  const result = JSON.parse((await run(fileOf('c.json', judged), ...words)).out)
  const [first, second] = result.queries
  expect(first.scores.map(({ hits }: { hits: string[] }) => hits[0])).toEqual(['r1', 'r3'])
  expect(second.scores.map(({ hits }: { hits: string[] }) => hits)).toEqual([[], []])
  expect(result).toMatchObject({ won: [], lost: ['1'] })
  const text = await run(fileOf('c.json', judged), ...words.slice(0, -1))
  expect(text.out).toContain('B wins 0, loses 1, and 1 are equal')
})

test('reads the files of BEIR and TREC', async () => {
  const lines = fileOf('q.jsonl', '{"_id":"a1","text":"red lamp"}\n\n{"_id":"b","text":"x"}\n')
  const beir = fileOf('beir.tsv', 'query-id\tcorpus-id\tscore\na1\t1\t2\na1\tnot here\t0\n')
  const trec = fileOf('trec.qrels', 'a1 0 1 2\na1 Q0 7 -2\r\n')
  const topics = fileOf('topics.tsv', 'a1\tred lamp\nb\tx\n')
  for (const [queries, qrels] of [
    [lines, beir],
    [topics, trec],
  ] as const) {
    const { queries: all, omitted } = readJudged(queries, qrels)
    expect(all.map(({ id, q }) => [id, q])).toEqual([['a1', 'red lamp']])
    expect(all[0]!.grades.get('1')).toBe(2)
    expect(Math.max(...[...all[0]!.grades].slice(1).map(([, grade]) => grade))).toBe(0)
    expect(omitted).toEqual(['b'])
  }
  const result = await run(lines, '--qrels', beir, '--index', 'lamps', '--json')
  expect(JSON.parse(result.out).variants[0]).toMatchObject({ ndcg: 1, recall: 1, mrr: 1 })
})

const ONE = { queries: [{ q: 'lamp', relevant: { 1: 1 } }] }

test.each([
  [ONE, [], 'name the index with --index INDEX'],
  [ONE, ['--index', 'no'], 'refuses (404): Index `no` not found.'],
  [ONE, ['--index', 'bare'], 'the index `bare` has no primary key'],
  [ONE, ['--index', 'lamps', '--id', 'ean'], 'hits of `lamps` have no `ean`'],
  [ONE, ['--index', 'lamps', '--search', '[]'], '--search must be an object'],
  [ONE, ['--index', 'lamps', '--against', '{'], '--against is not JSON'],
  [ONE, ['--index', 'lamps', '--search', '{"limits":1}'], 'refuses (400): Unknown field `limits`'],
  [ONE, ['--index', 'lamps', '--k', '0'], '--k must be from 1 to 1000'],
  [ONE, ['--index', 'lamps', '--qrels', 'nowhere.tsv'], '`nowhere.tsv` does not exist'],
  [{ queries: [{ q: 'x' }] }, [], 'has a relevant document: grades are above 0, for example'],
  [{ queries: [{ relevant: { 1: 1 } }] }, [], 'has no member `q`'],
  [{ queries: [{ q: 'x', relevant: { 1: 1001 } }] }, [], 'has a grade above 1000'],
  ['{"queries":[{"q":"x","relevant":{"1":1e999}}]}', [], 'is not a judged set'],
  [{ queries: [{ q: 1 }] }, [], 'is not a judged set: expected a text at /queries/0/q'],
  [{ queries: [ONE.queries[0], { id: 1, ...ONE.queries[0] }] }, [], 'have the id `1`'],
  ['{', [], 'is not JSON'],
])('%j with %j is refused: %s', async (content, words, message) => {
  const { code, out, err } = await run(fileOf('bad.json', content), ...words)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(message)
})

test('a line that is not a judgement is refused with its place', () => {
  const queries = fileOf('t.tsv', 'a\tred\n')
  const qrels = fileOf('bad.tsv', 'a 0 1 1\na 0 2 good\n')
  expect(() => readJudged(queries, qrels)).toThrow(/line 2 of `.*bad\.tsv` is not a judgement/)
  const spaced = fileOf('u.tsv', 'a red lamp\n')
  expect(() => readJudged(spaced, null)).toThrow('is not `id<tab>query`')
})
