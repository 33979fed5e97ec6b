// An engine for tests of routes: it stores indexes by name, finishes every task immediately without
// running it, receives bodies completely, and records its calls.
import { templatesInPlace } from '../../engine/ai/template/index.ts'
import type { Engine } from '../../engine/api/index.ts'
import {
  EngineFault,
  FEATURES,
  type Features,
  type IndexStats,
  type SearchContext,
  type SearchRequest,
} from '../../engine/model/index.ts'
import { defaultSettings, renderSetting, SETTING_NAMES } from '../../engine/settings/index.ts'
import { TASK_KINDS, type TaskContent, taskKinds } from '../../engine/task-kinds/index.ts'
import { ReceivedBody } from '../../engine/write/bodies/index.ts'
import { createIntake } from '../../engine/write/intake/index.ts'
import {
  type Batch,
  type QueuedContent,
  TASK_STATUSES,
  type Task,
  type TaskRequest,
} from '../../engine/write/task-data/index.ts'
import { asBatchUid, asIndexUid, asTaskUid } from '../../format/ids.ts'
import { fakeChats, fakeNetwork } from './fake-chats.ts'
import { fakeKeys } from './fake-keys.ts'
import { fakeWebhooks } from './fake-webhooks.ts'

export type FakeEngine = Engine & {
  /** Names of the called methods, with their first argument. */
  readonly calls: readonly (readonly [method: string, argument: unknown])[]
  /** Replaces the search. */
  onSearch: (request: SearchRequest, context: SearchContext) => Promise<Uint8Array>
  /** Called with every chunk of a body. */
  onChunk: (chunk: Uint8Array) => Promise<void>
  /** Bodies that were begun and not finished, aborted or discarded. */
  readonly openBodies: number
}

const TIME = 1_700_000_000_000_000
const utf8 = new TextEncoder()

export function fakeEngine(): FakeEngine {
  const indexes = new Map<string, string | null>()
  const tasks: Task[] = []
  const calls: [string, unknown][] = []
  let features = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
  let openBodies = 0

  const need = (uid: string): void => {
    if (!indexes.has(uid)) throw new EngineFault('index_not_found', `Index \`${uid}\` not found.`)
  }
  const infoOf = (uid: string) => ({
    uid: asIndexUid(uid),
    createdAt: TIME,
    updatedAt: TIME + 5,
    primaryKey: indexes.get(uid) ?? null,
  })
  /** Returns the content of the request, decoded if necessary. */
  const decoded = (request: TaskRequest): QueuedContent => {
    if (!('encoded' in request.content)) return request.content
    return taskKinds.contentOf(taskKinds.recordOf(asTaskUid(0), TIME, request))
  }
  const register = (request: TaskRequest): Task => {
    const { indexUid, customMetadata } = request
    const content = decoded(request) as TaskContent
    if (content.kind === 'indexCreation') indexes.set(indexUid!, content.primaryKey)
    if (content.kind === 'indexDeletion') indexes.delete(indexUid!)
    const task: Task = {
      uid: asTaskUid(tasks.length),
      batchUid: asBatchUid(tasks.length),
      indexUid,
      status: 'succeeded',
      kind: content.kind,
      canceledBy: null,
      details: {},
      error: null,
      enqueuedAt: TIME,
      startedAt: TIME,
      finishedAt: TIME + 1500,
      customMetadata,
    }
    tasks.push(task)
    return { ...task, status: 'enqueued' }
  }
  const answer = (uid: string): Promise<Uint8Array> => {
    need(uid)
    return Promise.resolve(utf8.encode('{"results":[]}'))
  }

  const stores = {
    keys: fakeKeys(),
    webhooks: fakeWebhooks(),
    chats: fakeChats(),
    network: fakeNetwork(),
    templates: templatesInPlace,
  }
  const engine: FakeEngine = {
    ...stores,
    calls,
    identity: {
      id: '5eed0000-0000-4000-8000-000000000000',
      origin: 'own',
    } as FakeEngine['identity'],
    topology: { change: null, onTopology: () => undefined } as unknown as FakeEngine['topology'],
    replication: { remotesDue: () => [] } as unknown as FakeEngine['replication'],
    visibility: {
      newest: () => asTaskUid(tasks.length - 1),
      newestKnown: asTaskUid(-1),
      confirmed: asTaskUid(-1),
      hasEnded: () => true,
      until: (_uid, isMet) => Promise.resolve(isMet()),
      isFull: false,
      arrivedAt: () => asTaskUid(-1),
      arrived: () => undefined,
    },
    onReplicated: () => undefined,
    onCanceling: () => undefined,
    follows: null,
    publication: null,
    unpublishedWrites: () => [],
    onSearch: () => Promise.resolve(utf8.encode('{"hits":[]}')),
    onChunk: () => Promise.resolve(),
    get openBodies() {
      return openBodies
    },
    close: async () => {
      calls.push(['close', null])
    },
    administration: {
      ...stores,
      rules: () => [],
      ruleTargets: () => Promise.resolve({ rules: [], taskUids: [] }),
      get features() {
        return features
      },
      setFeatures: async (patch) => {
        const changed = Object.entries(patch).filter(([, on]) => on !== null && on !== undefined)
        features = { ...features, ...Object.fromEntries(changed) }
        return features
      },
      storageProblem: () => null,
      stats: () => ({
        databaseSize: 4096,
        usedDatabaseSize: 1258291,
        lastUpdate: indexes.size === 0 ? null : TIME,
        indexes: new Map([...indexes.keys()].sort().map((uid) => [uid, STATS])),
      }),
      sizes: () => ({ databaseSize: 4096, indexes: new Map() }),
      measures: () => ({
        searches: {
          waitingMax: 1000,
          running: 1,
          waiting: 2,
          rejected: 3,
          dropped: 4,
          degraded: 5,
          cacheBytes: {
            documents: 1,
            facets: 2,
            sets: 3,
            pairs: 4,
            words: 5,
            bounds: 6,
            boosts: 7,
          },
        },
        tasks: {
          statuses: countsOf(TASK_STATUSES, 'succeeded', tasks.length),
          kinds: countsOf(TASK_KINDS, 'indexCreation', tasks.length),
          indexes: new Map(),
          oldestWaiting: null,
        },
        isRetrying: false,
        taskLog: { usedBytes: 1000, bytesMax: 4000 },
        runningBatches: [],
        freeBytes: 7,
      }),
    },
    documents: {
      listIndexes: (visible) =>
        [...indexes.keys()]
          .filter((uid) => visible === null || visible(asIndexUid(uid)))
          .sort()
          .map(infoOf),
      index: (uid) => {
        need(uid)
        return infoOf(uid)
      },
      indexStats: (uid) => {
        need(uid)
        return STATS
      },
      settings: (uid) => {
        need(uid)
        const settings = defaultSettings()
        return Object.fromEntries(
          SETTING_NAMES.map((name) => [name, renderSetting(settings, name)]),
        )
      },
      receive: (format) => {
        calls.push(['receive', format])
        openBodies++
        let bytes = 0
        const intake = createIntake(format, (stored) => {
          bytes += stored.length
        })
        return {
          write: async (chunk) => {
            await engine.onChunk(chunk)
            intake.push(chunk)
          },
          finish: async () => {
            const { documents } = intake.finish()
            return new ReceivedBody({ file: null, inline: null, bytes, documents })
          },
          abort: async () => {
            calls.push(['abort', null])
            openBodies--
          },
        }
      },
      enqueueDocuments: async (indexUid, body, options) => {
        calls.push(['enqueueDocuments', { indexUid, body: body.take(), options }])
        openBodies--
        if (!indexes.has(indexUid)) indexes.set(indexUid, options.primaryKey)
        const content = { kind: 'documentAdditionOrUpdate' } as TaskRequest['content']
        return register({ indexUid, content, customMetadata: options.customMetadata })
      },
      discard: async () => {
        openBodies--
      },
      get: async (uid, id) => {
        need(uid)
        if (id === '1') return utf8.encode('{"id":1}')
        throw new EngineFault('document_not_found', `Document \`${id}\` not found.`)
      },
      list: async (uid, asked) => {
        calls.push(['documents', asked])
        return answer(uid)
      },
      fields: async (uid, asked) => {
        calls.push(['fields', asked])
        return answer(uid)
      },
    },
    tasks: {
      watch: () => undefined,
      follow: () => undefined,
      documents: () => Promise.resolve(utf8.encode('{"id":1}')),
      compact: () => Promise.resolve({ before: 2, after: 1 }),
      needsRestart: false,
      enqueue: async (request) => {
        calls.push(['enqueue', { ...request, content: decoded(request) }])
        return register(request)
      },
      enqueueDump: async () => {
        calls.push(['enqueueDump', null])
        const content = { kind: 'dumpCreation', keys: [], instanceUid: null } as const
        return register({ indexUid: null, content, customMetadata: null })
      },
      enqueueCancelation: async (filter, query) => {
        calls.push(['enqueueCancelation', { filter, query }])
        const content = { kind: 'taskCancelation' } as TaskRequest['content']
        return register({ indexUid: null, content, customMetadata: null })
      },
      enqueueDeletion: async (filter, query) => {
        calls.push(['enqueueDeletion', { filter, query }])
        const content = { kind: 'taskDeletion' } as TaskRequest['content']
        return register({ indexUid: null, content, customMetadata: null })
      },
      get: async (uid) => tasks[uid] ?? null,
      list: async (filter, page) => {
        calls.push(['tasks', { filter, page }])
        const results = tasks.slice(0, page.limit)
        return { results, total: tasks.length, from: results[0]?.uid ?? null, next: null }
      },
      batch: async (uid) => (tasks[uid] === undefined ? null : batchOf(uid)),
      batches: async () => ({ results: [], total: 0, from: null, next: null }),
    },
    queries: {
      foreignUids: () => [],
      ranksByScores: () => false,
      boosts: () => [],
      statistics: () => Promise.resolve(utf8.encode('{}')),
      foreign: () => Promise.resolve(utf8.encode('{}')),
      hydrate: (_, { answer }) => Promise.resolve(answer),
      mergeDocuments: () => Promise.resolve(utf8.encode('{"results":[]}')),
      mergeInstances: () => Promise.resolve(utf8.encode('{"hits":[]}')),
      search: async (uid, asked, context) => {
        calls.push(['search', asked])
        need(uid)
        return engine.onSearch(asked, context)
      },
      multiSearch: async (searches) => {
        calls.push(['multiSearch', searches])
        for (const { indexUid } of searches) need(indexUid)
        return [utf8.encode('{"results":[]}')]
      },
      federatedSearch: async (searches, federation) => {
        calls.push(['federatedSearch', { searches, federation }])
        for (const { indexUid } of searches) need(indexUid)
        return utf8.encode('{"hits":[]}')
      },
      similar: async (uid, asked) => {
        calls.push(['similar', asked])
        return answer(uid)
      },
      suggest: async (uid, asked) => {
        calls.push(['suggest', asked])
        return answer(uid)
      },
      facetSearch: async (uid, asked) => {
        calls.push(['facetSearch', asked])
        return answer(uid)
      },
    },
  }
  return engine
}

const countsOf = <W extends string>(words: readonly W[], one: W, count: number) =>
  Object.fromEntries(words.map((word) => [word, word === one ? count : 0])) as {
    readonly [word in W]: number
  }

const STATS: IndexStats = {
  numberOfDocuments: 2,
  indexSize: 8192,
  usedIndexSize: 6144,
  rawDocumentDbSize: 4096,
  avgDocumentSize: 40,
  isIndexing: false,
  numberOfEmbeddings: 0,
  numberOfEmbeddedDocuments: 0,
  fieldDistribution: { id: 2, name: 1 },
  internalDatabaseSizes: { documents: 4096 },
}

const batchOf = (uid: number): Batch => ({
  uid: asBatchUid(uid),
  progress: null,
  details: {},
  stats: {
    totalNbTasks: 1,
    status: { succeeded: 1 },
    types: { indexCreation: 1 },
    indexUids: {},
    progressTrace: {},
    writeChannelCongestion: null,
    internalDatabaseSizes: null,
    embedderRequests: null,
  },
  startedAt: TIME,
  finishedAt: TIME + 1500,
  batchStrategy: 'batched all enqueued tasks',
})
