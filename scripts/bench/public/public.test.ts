// The public forms on small collections: the table with the built server, the game with the built
// library against counts from the texts themselves.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerOf,
  buildIndex,
  type Engine,
  gameText,
  measureGame,
  searchOf,
  serve,
} from './game.ts'
import { relevanceTable, relevanceTableText } from './relevance.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-public-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const TERMINAL = {
  out: () => undefined,
  err: () => undefined,
  isWatched: false,
  columns: 80,
  now: () => 0,
}

function collection(name: string, texts: readonly string[], hasVectors: boolean): string {
  const at = join(folder, name)
  mkdirSync(join(at, 'qrels'), { recursive: true })
  const lines = (all: readonly object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('')
  const vector = (i: number) => [i === 0 ? 1 : 0, i === 0 ? 0 : 1]
  const corpus = texts.map((text, i) => ({
    _id: `doc/${i}`,
    title: '',
    text,
    ...(hasVectors ? { _vectors: { default: vector(i) } } : {}),
  }))
  const query = { _id: 'q1', text: 'how does one keep a bicycle chain from rusting over winter' }
  writeFileSync(join(at, 'corpus.jsonl'), lines(corpus))
  writeFileSync(
    join(at, 'queries.jsonl'),
    lines([hasVectors ? { ...query, vector: vector(0) } : query]),
  )
  writeFileSync(join(at, 'qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq1\tdoc/0\t1\n')
  return at
}

const TEXTS = ['Oil stops rust on chains of bicycles', 'Winter tyres for cars', 'How to bake bread']

test('the table has a row for each way to search', async () => {
  const options = { root, folders: [collection('plain', TEXTS, false)], embedder: null }
  const [plain] = await relevanceTable(options, TERMINAL)
  expect(plain).toMatchObject({ collection: 'plain', queries: 1, documents: 3 })
  const byName = new Map(plain!.scores.map((score) => [score.name, score]))
  expect(byName.get('classic, `last`')!.ndcg).toBe(0)
  // The document has other forms of `bicycle`, `chain` and `rust`.
  expect(byName.get('`bm25`, `any`, stems, stop words')!.ndcg).toBe(1)
  const text = relevanceTableText([plain!])
  expect(text).toContain('| nDCG@10 / recall@100 | plain |\n| --- | ---: |\n')
  expect(text).toContain('| `bm25`, `any`, stems, stop words | 1.000 / 1.000 |')
})

test('hybrid rows need an embedder, and use the vectors of the files', async () => {
  const folders = [collection('vectors', TEXTS, true)]
  const embedder = { source: 'userProvided', dimensions: 2 }
  const [scores] = await relevanceTable({ root, folders, embedder }, TERMINAL)
  const alone = scores!.scores.find(({ name }) => name === 'vectors alone')
  expect(alone).toMatchObject({ ndcg: 1, recall: 1, mrr: 1 })
  expect(scores!.scores.length).toBe(7)
  const missing = relevanceTable({ root, folders: [folder], embedder: null }, TERMINAL)
  await expect(missing).rejects.toThrow('corpus.jsonl` does not exist')
})

describe('the game', () => {
  const WORDS = ['harbour', 'lights', 'of', 'the', 'old', 'town']
  const texts = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 4 }, (_, j) => WORDS[(i + j * (1 + (i % 3))) % WORDS.length]).join(' '),
  )
  let engine: Engine

  beforeAll(async () => {
    const library = pathToFileURL(join(root, 'dist/embed/index.js')).href
    const { openEngine } = (await import(
      library
    )) as typeof import('../../../server/embed/index.ts')
    engine = await openEngine({ path: join(folder, 'game.ms'), searchThreads: 1 })
    const lines = texts.map((text, i) => JSON.stringify({ id: `http://x/${i}`, text }))
    expect(await buildIndex(engine, Readable.from([...lines, '']))).toBe(texts.length)
  })
  afterAll(() => engine.close())

  const has = (word: string) => (text: string) => text.split(' ').includes(word)
  const count = (accepts: (text: string) => boolean) => texts.filter(accepts).length

  test('counts what the forms of its queries mean', async () => {
    const [old, town, lights] = [has('old'), has('town'), has('lights')]
    expect(await answerOf(engine, 'COUNT', 'old town')).toBe(count((t) => old(t) || town(t)))
    expect(await answerOf(engine, 'COUNT', '+old +town')).toBe(count((t) => old(t) && town(t)))
    const phrase = count((text) => text.includes('old town') || text.includes('town of'))
    expect(phrase).toBeGreaterThan(0)
    expect(await answerOf(engine, 'COUNT', '"old town" "town of"')).toBe(phrase)
    expect(await answerOf(engine, 'TOP_10_COUNT', '+lights -old')).toBe(
      count((t) => lights(t) && !old(t)),
    )
    // Neither prefixes nor typos.
    expect(await answerOf(engine, 'COUNT', 'tow harbuor')).toBe(0)
    expect(await answerOf(engine, 'TOP_10', 'old')).toBe(1)
  })

  test('refuses the forms that the engine does not have', () => {
    for (const query of ['+old town', 'a*', '"un* st*"', 'id:[1 TO 2]', '']) {
      expect(searchOf(query), query).toBeNull()
    }
  })

  test('answers its driver line by line', async () => {
    const answers: string[] = []
    const input = Readable.from(['COUNT\told\nCOUNT\told*\nTOP_99\told\n'])
    await serve(engine, input, (line) => answers.push(line))
    expect(answers).toEqual([String(count(has('old'))), 'UNSUPPORTED', 'UNSUPPORTED'])
  })

  test('reports the best run of each query, by tag', async () => {
    let clock = 0
    const now = (): number => clock++
    const queries = [
      { query: 'old town', tags: ['union'] },
      { query: '"old town"', tags: ['phrase'] },
      { query: 'o*', tags: ['regex'] },
    ]
    const results = await measureGame(engine, queries, 2, now)
    expect(results.length).toBe(9)
    expect(results[0]).toEqual({
      command: 'TOP_10',
      tag: 'all',
      queries: 2,
      mean: 1000,
      median: 1000,
    })
    const text = gameText(results, queries.length)
    expect(text).toContain('| COUNT | phrase | 1 | 1000 | 1000 |\n')
    expect(text).toContain('1 of 3 queries have a form that is not supported.')
  })
})
