// `npm run bench -- relevance FOLDERS`: the table of the field for judged collections in the layout
// of BEIR (corpus.jsonl, queries.jsonl, qrels/test.tsv), for each way in which this engine searches.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  type JudgedSet,
  measureRelevance,
  readJudged,
  type Variant,
} from '../../../tools/relevance/index.ts'
import {
  askInstance,
  changeSettings,
  failureText,
  finishedTasks,
  type Instance,
  RECEIPT,
} from '../../../tools/remote/index.ts'
import { type Terminal, ToolError } from '../../../tools/terminal/index.ts'
import { startServer } from '../../server-process.ts'

export type RelevanceTableOptions = {
  /** The root of the checkout, with a built server. */
  readonly root: string
  readonly folders: readonly string[]
  /** Settings of an embedder for hybrid searches, or null. */
  readonly embedder: object | null
}

type Row = Variant & { readonly name: string }

type Line = { readonly [member: string]: unknown }

export type Score = {
  readonly name: string
  readonly ndcg: number
  readonly recall: number
  readonly mrr: number
}

export type CollectionScores = {
  readonly collection: string
  readonly queries: number
  readonly documents: number
  readonly scores: readonly Score[]
}

/** The list of Lucene's `EnglishAnalyzer`. */
const STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there ' +
  'these they this to was will with'

const ANY = { matchingStrategy: 'any' }
const EMBEDDER = 'default'
const BATCH_DOCUMENTS = 5_000
const CUTOFFS = { k: 10, depth: 100, gain: 'linear' } as const

const BM25 = { rankingRules: ['bm25'] }
const STEMS = {
  ...BM25,
  stopWords: STOP_WORDS.split(' '),
  localizedAttributes: [{ attributePatterns: ['*'], locales: ['eng'], stemming: true }],
}

const ROWS: readonly Row[] = [
  { name: 'classic, `last`', index: 'classic', search: {} },
  { name: 'classic, `frequency`', index: 'classic', search: { matchingStrategy: 'frequency' } },
  { name: '`bm25`, `any`', index: 'bm25', search: ANY },
  { name: '`bm25`, `any`, stems, stop words', index: 'stems', search: ANY },
]

const hybrid = (semanticRatio: number, fusion: 'score' | 'rrf') => ({
  ...ANY,
  hybrid: { embedder: EMBEDDER, semanticRatio, fusion },
})

const HYBRID_ROWS: readonly Row[] = [
  { name: 'vectors alone', index: 'stems', search: hybrid(1, 'score') },
  { name: 'hybrid, scores', index: 'stems', search: hybrid(0.5, 'score') },
  { name: 'hybrid, ranks (`rrf`)', index: 'stems', search: hybrid(0.5, 'rrf') },
]

/** Starts a server with an empty database and measures each collection. @throws ToolError */
export async function relevanceTable(
  { root, folders, embedder }: RelevanceTableOptions,
  terminal: Terminal,
): Promise<readonly CollectionScores[]> {
  const all: CollectionScores[] = []
  for (const folder of folders) {
    const db = mkdtempSync(join(tmpdir(), 'svc-relevance-'))
    const command = [
      process.execPath,
      join(root, 'dist/server/main.js'),
      '--db-path',
      join(db, 'db'),
    ]
    const server = await startServer({ command, cwd: db })
    try {
      const instance = { url: server.url, apiKey: null }
      all.push(await measureCollection(instance, folder, embedder, terminal))
    } finally {
      await server.stop()
      rmSync(db, { recursive: true })
    }
  }
  return all
}

async function measureCollection(
  instance: Instance,
  folder: string,
  embedder: object | null,
  terminal: Terminal,
): Promise<CollectionScores> {
  const corpus = linesOf(join(folder, 'corpus.jsonl'))
  const queries = join(folder, 'queries.jsonl')
  const judged = readJudged(queries, qrelsOf(folder))
  const documents = corpus.map(documentOf)
  const vectors = new Map(linesOf(queries).map(({ _id, vector }) => [String(_id), vector]))
  const isHybrid = embedder !== null
  for (const [index, settings] of Object.entries({ classic: {}, bm25: BM25, stems: STEMS })) {
    const embedders = isHybrid && index === 'stems' ? { embedders: { [EMBEDDER]: embedder } } : {}
    const searchableAttributes = ['title', 'text']
    const change = { ...settings, ...embedders, searchableAttributes }
    checkTask(await changeSettings(instance, index, JSON.stringify(change)))
    await addDocuments(instance, index, documents)
  }
  const measure = async (rows: readonly Row[], set: JudgedSet): Promise<Score[]> => {
    const options = { ...CUTOFFS, variants: rows, idAttribute: 'docid' }
    const { variants } = await measureRelevance(instance, set, options, terminal)
    return variants.map(({ ndcg, recall, mrr }, i) => ({ name: rows[i]!.name, ndcg, recall, mrr }))
  }
  const scores = await measure(ROWS, judged)
  if (isHybrid) scores.push(...(await measure(HYBRID_ROWS, withVectors(judged, vectors))))
  return {
    collection: basename(folder),
    queries: judged.queries.length,
    documents: documents.length,
    scores,
  }
}

/** Identifiers of collections may have any characters, so they are stored beside a number. */
const documentOf = ({ _id, title, text, _vectors }: Line, i: number): Line => ({
  id: i,
  docid: String(_id),
  title: title ?? '',
  text: text ?? '',
  ...(_vectors === undefined ? {} : { _vectors }),
})

/** A query may have a vector of its own; otherwise the embedder makes it. */
const withVectors = (
  { queries, ...rest }: JudgedSet,
  vectors: ReadonlyMap<string, unknown>,
): JudgedSet => ({
  ...rest,
  queries: queries.map((query) => {
    const vector = vectors.get(query.id)
    return vector === undefined ? query : { ...query, search: { ...query.search, vector } }
  }),
})

async function addDocuments(instance: Instance, index: string, documents: readonly Line[]) {
  const tasks: number[] = []
  for (let i = 0; i < documents.length; i += BATCH_DOCUMENTS) {
    const { taskUid } = await askInstance(
      instance,
      {
        method: 'POST',
        path: `/indexes/${index}/documents?primaryKey=id`,
        body: JSON.stringify(documents.slice(i, i + BATCH_DOCUMENTS)),
        action: 'documents.add',
      },
      RECEIPT,
    )
    tasks.push(taskUid)
  }
  for (const task of await finishedTasks(instance, tasks)) checkTask(task)
}

function checkTask(task: Parameters<typeof failureText>[0]): void {
  const failure = failureText(task)
  if (failure !== null) throw new ToolError(failure)
}

function qrelsOf(folder: string): string {
  const files = ['qrels/test.tsv', 'qrels.tsv'].map((file) => join(folder, file))
  const found = files.find((file) => existsSync(file))
  if (found === undefined) throw new ToolError(`\`${folder}\` has no qrels/test.tsv`)
  return found
}

function linesOf(file: string): readonly Line[] {
  if (!existsSync(file)) throw new ToolError(`\`${file}\` does not exist`)
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Line)
}

/** A table in Markdown: nDCG@10 / recall@100 of each way to search. */
export function relevanceTableText(all: readonly CollectionScores[]): string {
  const names = all[0]?.scores.map(({ name }) => name) ?? []
  const cell = ({ ndcg, recall }: Score): string =>
    `${ndcg.toFixed(3).replace(/^0/, '')} / ${recall.toFixed(3).replace(/^0/, '')}`
  const head = ['nDCG@10 / recall@100', ...all.map(({ collection }) => collection)]
  const sizes = all.map(({ documents, queries }) => `${documents} documents, ${queries} queries`)
  const rows = names.map((name, i) => [name, ...all.map(({ scores }) => cell(scores[i]!))])
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ['', ...sizes], ...rows]
    .map(line)
    .join('')
}
