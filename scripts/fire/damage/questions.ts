// A fixed set of questions to a database, and the answers of an engine: two engines over the same
// bytes give the same answers.

import type { DocumentsRequest } from '../../../engine/model/index.ts'
import { EngineFault, StorageError } from '../../../engine/model/index.ts'
import { allTasks, EVERY_TASK, searchFor, type TestEngine } from '../../../engine/testing/index.ts'
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'

export type Outcome =
  /** The answer to a client without times; client faults count as answers. */
  | { readonly kind: 'answer'; readonly text: string }
  /** The world's fault, with the file's name in the message. */
  | { readonly kind: 'refused'; readonly path: string; readonly message: string }
  /** Any other error: a programming error. */
  | { readonly kind: 'broken'; readonly message: string }

export type Question = {
  readonly name: string
  /** The index of the question, or null for the whole database. */
  readonly index: string | null
  readonly ask: (engine: TestEngine) => Promise<unknown>
}

/** By the names of the questions. */
export type Answers = ReadonlyMap<string, Outcome>

const SEARCHES: { readonly [index: string]: readonly object[] } = {
  films: [
    { q: '', limit: 1000 },
    { q: 'harbour mountain' },
    { q: 'harbor montain' },
    { q: 'sta' },
    { q: '"star night"', attributesToHighlight: ['*'], attributesToCrop: ['overview'] },
    { q: 'gross', filter: 'year > 1980', sort: ['year:asc'] },
    { q: 'quiet', facets: ['genres', 'year'], showRankingScoreDetails: true },
    { q: '', filter: 'genres = comedy AND NOT year = 1960', distinct: 'year' },
    { q: '', filter: '_geoRadius(10, 10, 3000000)', sort: ['_geoPoint(5, 5):asc', 'year:desc'] },
    { q: 'sea', filter: 'note.stars EXISTS', matchingStrategy: 'all' },
  ],
  books: [{ q: '' }, { q: 'one' }, { q: 'zebra' }],
}
const DOCUMENTS: { readonly [index: string]: readonly string[] } = {
  films: ['0', '7', '11', '3', '150', '301'],
  books: ['a-1', 'b-2', 'b 2'],
}
const EVERY_DOCUMENT: DocumentsRequest = {
  offset: 0,
  limit: 100_000,
  fields: null,
  retrieveVectors: false,
  ids: null,
  filter: null,
  sort: null,
}

export const QUESTIONS: readonly Question[] = [
  ...Object.keys(SEARCHES).map(asIndexUid).flatMap(questionsAbout),
  { name: 'indexes', index: null, ask: async (engine) => engine.documents.listIndexes(null) },
  {
    name: 'stats',
    index: null,
    ask: async (engine) => [...engine.administration.stats(null).indexes.keys()],
  },
  { name: 'features', index: null, ask: async (engine) => engine.administration.features },
  { name: 'tasks', index: null, ask: allTasks },
  { name: 'batches', index: null, ask: allBatches },
]

function questionsAbout(index: IndexUid): readonly Question[] {
  const about = (name: string, ask: Question['ask']): Question => ({
    name: `${index}: ${name}`,
    index,
    ask,
  })
  return [
    ...SEARCHES[index]!.map((request) =>
      about(JSON.stringify(request), (engine) => searchFor(engine, index, request)),
    ),
    ...DOCUMENTS[index]!.map((id) =>
      about(`document ${id}`, async (engine) =>
        text(await engine.documents.get(index, id, null, false)),
      ),
    ),
    about('documents', async (engine) => text(await engine.documents.list(index, EVERY_DOCUMENT))),
    about('index', async (engine) => engine.documents.index(index)),
    about('stats', async (engine) => engine.documents.indexStats(index)),
    about('settings', async (engine) => engine.documents.settings(index)),
  ]
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

async function allBatches(engine: TestEngine): Promise<unknown> {
  const page = { from: null, limit: 100_000, reverse: true }
  return (await engine.tasks.batches(EVERY_TASK, page, null)).results
}

/** Asks all questions. Never throws. */
export async function interrogate(engine: TestEngine): Promise<Answers> {
  const answers = new Map<string, Outcome>()
  for (const { name, ask } of QUESTIONS) answers.set(name, await outcomeOf(() => ask(engine)))
  return answers
}

/** Runs some work and classifies its outcome by the responsible side. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { kind: 'answer', text: withoutTimes(JSON.stringify(await work()) ?? '') }
  } catch (error) {
    if (error instanceof EngineFault && error.code !== 'internal') {
      return { kind: 'answer', text: `${error.code}: ${error.message}` }
    }
    if (error instanceof StorageError) {
      return { kind: 'refused', path: error.path, message: error.message }
    }
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'broken', message }
  }
}

/** Work that is repeated takes another time, and its result another place. */
const withoutTimes = (json: string): string => json.replace(PASSING, '"$1":0')

const PASSING = new RegExp(
  `"(${[
    'processingTimeMs',
    'startedAt',
    'finishedAt',
    'updatedAt',
    'duration',
    'progressTrace',
    'indexSize',
    'usedIndexSize',
    'rawDocumentDbSize',
    'avgDocumentSize',
    'internalDatabaseSizes',
  ].join('|')})":(?:\\{[^}]*\\}|[^,}]*)`,
  'g',
)
