// Test support: writers that publish into a real object store, and followers of them, on disks that
// lose data that was not synced.
import { expect, onTestFinished } from 'vitest'
import type { Bucket } from '../../engine/backup/objstore/index.ts'
import type { FollowOptions } from '../../engine/followers/following/index.ts'
import { EngineFault } from '../../engine/model/index.ts'
import { type FollowerOptions, openFollower } from '../../engine/open/open-readers.ts'
import { type FakeDisk, type FileSystem, randomOf } from '../../engine/store/storage/index.ts'
import { openBucket } from '../../engine/task-kinds/database/snapshot-upload.ts'
import type { StoreOptions } from '../../engine/task-kinds/kind/options.ts'
import {
  documentsWithVectors,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../engine/testing/test-engine.ts'
import { NO_FILTER } from '../../engine/write/task-data/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import { asIndexUid } from '../../format/ids.ts'
import { streamingCaller } from '../outbound/index.ts'
import {
  BUCKET,
  STORE_KEY,
  type StoreKind,
  startStore,
  type TestStore,
} from './test-object-store.ts'

export const WAIT_MS = 100_000
/** The address that writers publish for themselves. */
export const WRITER = 'http://writer.example:7700'

/** `atEnd`: called with the end of the store; absent: it ends with the test. */
export async function storeOf(
  kind: StoreKind = 'long-pages',
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<{ store: TestStore; options: StoreOptions }> {
  const store = await startStore(kind)
  atEnd(store.stop)
  const options: StoreOptions = {
    transport: streamingCaller('any', 2000),
    url: store.url,
    region: 'us-east-1',
    bucket: BUCKET,
    place: { prefix: 'some/where', name: 'db' },
    credentials: { kind: 'keys', accessKey: STORE_KEY, secretKey: STORE_KEY },
    lanesMax: 3,
    level: 0,
    partBytes: 16 * MiB,
    signatureSeconds: 600,
    incremental: true,
    retain: null,
    now: Date.now,
    retryPauseMs: 1,
    retryMsMax: 300,
  }
  return { store, options }
}

export const said: string[] = []
export const say = (_: string, message: string): void => void said.push(message)

/** `replaced`: the instance whose place the writer takes, or null for none. */
export async function openWriter(
  disk: FakeDisk,
  store: StoreOptions,
  replaced: TestEngine | null = null,
): Promise<TestEngine> {
  const replaces = replaced === null ? {} : { replaces: replaced.identity.id }
  const publish = { store, intervalMs: 10, writer: WRITER, say, ...replaces }
  return openTestEngine(disk.mount(), { publish })
}

export const followOptions = (store: StoreOptions): FollowOptions => ({
  openBucket: (signal) => openBucket(store, signal),
  place: store.place,
  source: 'the database `db`',
  name: 'f',
  pollMs: 10,
  download: 'before',
  waitMsMax: 50,
  version: '1.50.0',
  say,
  report: () => undefined,
  now: Date.now,
})

export const openReader = (
  fileSystem: FileSystem,
  store: StoreOptions,
  more: Partial<FollowerOptions> = {},
): Promise<TestEngine> =>
  openFollower({
    path: '',
    version: '1.50.0',
    upgrade: false,
    workers: null,
    searchThreads: 1,
    searchQueueMax: 10,
    searchesAtOnce: 4,
    searchDropAfterMs: 60_000,
    indexingMemoryMax: 16 * MiB,
    batchTasksMax: 1,
    batchBytesMax: 1,
    report: (message, error) => void said.push(`${message} ${String(error)}`),
    fileSystem,
    follow: followOptions(store),
    ...more,
  })

/** Reads everything that an engine shows. */
export async function seen(engine: TestEngine) {
  const known = await seenQuickly(engine)
  const of = async (uid: string) => ({
    documents: await documentsWithVectors(engine, uid),
    found: (await searchFor(engine, uid, { q: 'quiet song', limit: 100 })).hits,
  })
  const contents = Object.keys(known.indexes).map(async (uid) => [uid, await of(uid)])
  return { ...known, contents: Object.fromEntries(await Promise.all(contents)) }
}

/** Reads what an engine shows without its documents, which may have megabytes. */
async function seenQuickly(engine: TestEngine) {
  const uids = engine.documents.listIndexes(null).map(({ uid }) => uid)
  const of = (uid: string) => ({
    settings: engine.documents.settings(asIndexUid(uid)),
    stats: engine.documents.indexStats(asIndexUid(uid)),
    info: engine.documents.index(asIndexUid(uid)),
  })
  const { results } = await engine.tasks.list(
    NO_FILTER,
    { from: null, limit: 1000, reverse: false },
    null,
  )
  return {
    indexes: Object.fromEntries(uids.map((uid) => [uid, of(uid)])),
    tasks: results,
    features: engine.administration.features,
  }
}

/** Waits until the follower shows the same as the writer, which must be idle. */
export async function caughtUp(
  writer: TestEngine,
  follower: TestEngine,
  over: AbortSignal | null = null,
): Promise<void> {
  const quickly = JSON.stringify(await seenQuickly(writer))
  const wanted = await seen(writer)
  const end = Date.now() + WAIT_MS
  while (!over?.aborted) {
    const isLate = Date.now() > end
    const now = await (async () =>
      isLate || JSON.stringify(await seenQuickly(follower)) === quickly
        ? await seen(follower)
        : null)().catch((error: unknown) => {
      if (!isOnItsWay(error)) throw error
      return { why: 'an index is on its way, or has just gone' }
    })
    if (JSON.stringify(now) === JSON.stringify(wanted)) return
    if (isLate) expect(now, said.slice(-5).join('\n')).toEqual(wanted)
    await pause(10)
  }
}

/** The same for at most `ms`, and also if the follower loses its disk meanwhile. */
export async function catchesUp(writer: TestEngine, follower: TestEngine, ms: number) {
  const over = AbortSignal.timeout(ms)
  await Promise.race([caughtUp(writer, follower, over).catch(() => undefined), pause(ms)])
}

const isOnItsWay = (error: unknown): boolean =>
  error instanceof EngineFault &&
  (error.code === 'index_not_downloaded' || error.code === 'index_not_found')

/**
 * Returns documents that do not compress: `count` times 9 kB. Three quarters are a word that is too
 * long for the index, because words are what takes time.
 */
export function large(from: number, count: number): readonly { id: number; text: string }[] {
  const random = randomOf(from)
  const word = (parts: number): string =>
    Array.from({ length: parts }, () => random.below(1 << 30).toString(36)).join('')
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 25 }, () => word(15))
    return { id: from + i, text: [...words, word(1200)].join(' ') }
  })
}

export const bucketOf = (options: StoreOptions): Promise<Bucket> =>
  openBucket(options, new AbortController().signal)

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
