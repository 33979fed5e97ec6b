// Commands on snapshots without a server: in files, and in a real object store in this process.
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { HEAD, HEAD_BYTES_MAX } from '../../engine/backup/snapshot/index.ts'
import { readDatabase } from '../../engine/inspect.ts'
import { RealFileSystem } from '../../engine/store/storage/index.ts'
import { enqueue, openTestEngine } from '../../engine/testing/test-engine.ts'
import { sendWork } from '../../engine/testing/test-work.ts'
import { readConfig } from '../../server/config/index.ts'
import { storeOptions } from '../../server/outbound/store-options.ts'
import {
  BUCKET,
  STORE_KEY,
  startStore,
  type TestStore,
} from '../../server/testing/test-object-store.ts'
import { ToolError } from '../terminal/index.ts'
import { inspectSnapshot, listSnapshots, listText, snapshotText } from './index.ts'
import { verifiedText, verifySnapshot } from './verify.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-snapshot-tools-'))
const FILE = join(root, 'snapshots', 'db.snapshot')
let store: TestStore

const OPTIONS = {
  release: '1.50.0',
  deep: null,
  openProgress: () => ({ at: () => undefined, end: () => undefined }),
}

const variables = (url: string) => ({
  SVC_DB_PATH: join(root, 'db'),
  SVC_OBJSTORE_BUCKET_URL: url,
  SVC_OBJSTORE_BUCKET_REGION: 'us-east-1',
  SVC_OBJSTORE_BUCKET_NAME: BUCKET,
  SVC_OBJSTORE_SNAPSHOT_PREFIX: 'a',
  SVC_OBJSTORE_ACCESS_KEY: STORE_KEY,
  SVC_OBJSTORE_SECRET_KEY: STORE_KEY,
  SVC_OBJSTORE_INCREMENTAL: 'true',
  SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS: 'any',
})

beforeAll(async () => {
  mkdirSync(join(root, 'db'))
  store = await startStore()
  const environment = variables(store.url)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const options = storeOptions(await readConfig(new Map(), environment))!
  const fs = new RealFileSystem(join(root, 'db'))
  const docs = Array.from({ length: 300 }, (_, id) => ({ id, text: `${'long '.repeat(200)}${id}` }))
  for (const round of [1, 2, 3]) {
    const snapshots = {
      folder: join(root, 'snapshots'),
      name: 'db',
      compact: true,
      ...(round === 1 ? {} : { store: options }),
    }
    const engine = await openTestEngine(fs, { path: join(root, 'db'), snapshots })
    const some = docs.slice(0, round === 1 ? 300 : 1)
    await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs: some })
    await engine.allMerged()
    await enqueue(engine, null, { kind: 'snapshotCreation' })
    await engine.idle()
    await engine.close()
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await store.stop()
  rmSync(root, { recursive: true, force: true })
})

/** Records totals and steps of progress. */
function watched() {
  const seen: unknown[] = []
  const progress = (total: number) => {
    seen.push(total)
    const at = (done: number, step: string): void => void seen.push([done, total, step])
    return { at, end: () => void seen.push('end') }
  }
  return { progress, seen }
}

describe('a snapshot in a file', () => {
  it('shows its content', async () => {
    const summary = await inspectSnapshot(FILE)
    expect(summary).toMatchObject({
      snapshot: FILE,
      version: '1.50.0',
      indexes: [{ uid: 'a', primaryKey: 'id', documents: 300 }],
      files: { catalog: { count: 3 }, tasks: { count: 1 } },
    })
    expect(summary.archiveBytes).toBe(readFileSync(FILE).length)
    const text = snapshotText(summary)
    expect(text).toContain('by release 1.50.0')
    expect(text).toMatch(/a +300 +\d/)
  })

  it('is verified to the last byte of its database', async () => {
    const quick = await verifySnapshot(FILE, OPTIONS)
    expect(quick).toMatchObject({ isSound: true, problem: null, check: null })
    expect(verifiedText(quick)).toContain('all as written')
    const deep = await verifySnapshot(FILE, { ...OPTIONS, deep: root })
    expect(deep.check?.problemCount).toBe(0)
    expect(deep.problem).toBeNull()
    expect(verifiedText(deep)).toContain('The database is sound.')
    expect(readdirSync(root).filter((name) => name.startsWith('svc-verify'))).toEqual([])
  })

  it('is reported as damaged when any byte has changed', async () => {
    const whole = readFileSync(FILE)
    const damaged = join(root, 'damaged.snapshot')
    for (const at of [20, 300, Math.floor(whole.length / 2), whole.length - 500]) {
      const copy = Buffer.from(whole)
      copy[at] = copy[at]! ^ 4
      writeFileSync(damaged, copy)
      const found = await verifySnapshot(damaged, OPTIONS)
      expect(found, `byte ${at}`).toMatchObject({ isSound: false })
      expect(verifiedText(found)).toContain('is damaged: ')
    }
    writeFileSync(damaged, whole.subarray(0, -100))
    expect(await verifySnapshot(damaged, OPTIONS)).toMatchObject({ isSound: false })
    rmSync(damaged)
  })

  it('shows how much has been read, to the end', async () => {
    const { progress, seen } = watched()
    await verifySnapshot(FILE, { ...OPTIONS, openProgress: progress })
    expect(seen.at(-1)).toBe('end')
    expect(seen.filter((one) => one === 'end')).toHaveLength(1)
    expect(seen.at(-2)).toEqual([seen[0], seen[0], 'reading'])
  })

  it('is listed', async () => {
    const listed = await listSnapshots(join(root, 'snapshots'))
    expect(listed).toMatchObject([{ name: FILE, version: '1.50.0', problem: null }])
    const { bytes, createdAt, files } = await inspectSnapshot(FILE)
    const counts = Object.values(files).map(({ count }) => count)
    const ownBytes = readFileSync(FILE).length
    const sum = counts.reduce((all, count) => all + count, 0)
    expect(listed[0]).toMatchObject({ bytes, ownBytes, createdAt, files: sum })
    expect(listText(listed)).toContain('1 snapshot, ')
    await expect(listSnapshots(join(root, 'nowhere'))).rejects.toThrow(ToolError)
    await expect(inspectSnapshot(join(root, 'nowhere'))).rejects.toThrow('there is no file')
  })
})

it('a file that is not a snapshot is listed with its problem', async () => {
  const folder = mkdtempSync(join(root, 'broken-'))
  const name = join(folder, 'a.snapshot')
  writeFileSync(name, 'text')
  writeFileSync(join(folder, 'b.other'), 'text')
  const [only, ...others] = await listSnapshots(folder)
  expect(others).toEqual([])
  expect(only).toMatchObject({ name, version: null, files: 0, bytes: 0, ownBytes: 4 })
  expect(only!.problem).not.toBeNull()
})

it('a file whose head is longer than 256 MiB is no snapshot', async () => {
  const folder = mkdtempSync(join(root, 'long-'))
  for (const [name, bytes] of [
    ['a', HEAD_BYTES_MAX],
    ['b', HEAD_BYTES_MAX + 1],
  ] as const) {
    const tar = pack()
    tar.entry({ name: HEAD, size: bytes })
    const { value } = await tar[Symbol.asyncIterator]().next()
    writeFileSync(join(folder, `${name}.snapshot`), value)
  }
  expect((await listSnapshots(folder)).map(({ problem }) => problem)).toEqual([
    'it ends early',
    'it is not a snapshot: it does not begin with a head',
  ])
})

describe('further names of a snapshot', () => {
  it('use no bytes, and names of nothing are left out', async () => {
    const folder = mkdtempSync(join(root, 'names-'))
    linkSync(FILE, join(folder, 'a.snapshot'))
    linkSync(FILE, join(folder, 'b.snapshot'))
    symlinkSync('a.snapshot', join(folder, 'c.snapshot'))
    symlinkSync('nothing', join(folder, 'd.snapshot'))
    mkdirSync(join(folder, 'e.snapshot'))
    const listed = await listSnapshots(folder)
    expect(listed.map(({ ownBytes }) => ownBytes)).toEqual([readFileSync(FILE).length, 0, 0])
    expect(new Set(listed.map(({ bytes }) => bytes)).size).toBe(1)
  })
})

describe('snapshots in a store', () => {
  it('are listed with the size of each', async () => {
    const listed = await listSnapshots('objstore:')
    expect(listed.map(({ name }) => name.slice(0, 11))).toEqual(['objstore:90', 'objstore:90'])
    expect(listed[0]!.ownBytes).toBe(listed[0]!.bytes)
    expect(listed[1]!.ownBytes).toBeLessThan(listed[1]!.bytes)
  })

  it('show their content, and are sound', async () => {
    const [older] = await listSnapshots('objstore:')
    for (const what of ['objstore:', older!.name]) {
      expect(await inspectSnapshot(what)).toMatchObject({
        archiveBytes: null,
        indexes: [{ uid: 'a', documents: 300 }],
      })
      expect(await verifySnapshot(what, OPTIONS)).toMatchObject({ isSound: true })
    }
    const deep = await verifySnapshot('objstore:', { ...OPTIONS, deep: root })
    expect(deep.check?.isSound).toBe(true)
  })

  it('show how much has been read, by file', async () => {
    const { progress, seen } = watched()
    await verifySnapshot('objstore:', { ...OPTIONS, openProgress: progress })
    const { bytes } = await inspectSnapshot('objstore:')
    expect([seen[0], seen.at(-1)]).toEqual([bytes, 'end'])
    expect(seen.at(-2)).toEqual([bytes, bytes, expect.any(String)])
  })

  it('that do not exist are reported', async () => {
    const name = 'objstore:20260101-000000000000-00000000'
    await expect(inspectSnapshot(name)).rejects.toThrow('the store has no snapshot')
    await expect(verifySnapshot(name, OPTIONS)).rejects.toThrow('the store has no snapshot')
    vi.stubEnv('SVC_OBJSTORE_SNAPSHOT_PREFIX', 'empty')
    await expect(inspectSnapshot('objstore:')).rejects.toThrow(/the store has no snapshot$/)
    vi.stubEnv('SVC_OBJSTORE_SNAPSHOT_PREFIX', 'a')
  })

  it('need a configured store', async () => {
    vi.stubEnv('SVC_OBJSTORE_BUCKET_URL', undefined)
    await expect(listSnapshots('objstore:')).rejects.toThrow()
    vi.stubEnv('SVC_OBJSTORE_BUCKET_URL', store.url)
  })
})

describe('an archive in a store', () => {
  const changed = { SVC_OBJSTORE_SNAPSHOT_PREFIX: 'b', SVC_OBJSTORE_INCREMENTAL: 'false' }
  const folder = join(root, 'db')
  beforeAll(async () => {
    const options = storeOptions(
      await readConfig(new Map(), { ...variables(store.url), ...changed }),
    )
    const snapshots = { folder: root, name: 'db', compact: true, store: options! }
    const engine = await openTestEngine(new RealFileSystem(folder), { path: folder, snapshots })
    await sendWork(engine, {
      name: 's',
      kind: 'settings',
      patch: { searchableAttributes: ['text'] },
    })
    await sendWork(engine, { name: 'd', kind: 'delete', ids: [1, 2] })
    // A snapshot comes before other waiting tasks.
    await engine.idle()
    await enqueue(engine, null, { kind: 'snapshotCreation' })
    await engine.idle()
    await engine.close()
    for (const [name, value] of Object.entries(changed)) vi.stubEnv(name, value)
  })
  afterAll(() => {
    for (const name of Object.keys(changed)) {
      vi.stubEnv(name, (variables(store.url) as Record<string, string>)[name])
    }
  })

  it('is listed as one file', async () => {
    const [only, ...others] = await listSnapshots('objstore:')
    expect(others).toEqual([])
    expect(only).toMatchObject({ name: 'b/db.snapshot', createdAt: null, files: 1, problem: null })
    expect(only!.ownBytes).toBe(only!.bytes)
  })

  it('shows its content', async () => {
    const [only] = await listSnapshots('objstore:')
    const { state } = readDatabase(new RealFileSystem(folder))
    const segments = [...[...state.indexes.values()][0]!.segments.values()]
    expect(await inspectSnapshot('objstore:')).toMatchObject({
      snapshot: only!.name,
      archiveBytes: only!.bytes,
      indexes: [
        {
          ...{ uid: 'a', primaryKey: 'id', documents: 298, segments: segments.length },
          bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
          searchableAttributes: ['text'],
        },
      ],
    })
  })

  it('is sound', async () => {
    const { progress, seen } = watched()
    const options = { ...OPTIONS, openProgress: progress }
    expect(await verifySnapshot('objstore:', options)).toMatchObject({ isSound: true, check: null })
    expect([seen.at(-2), seen.at(-1)]).toEqual([[seen[0], seen[0], 'reading'], 'end'])
    const { check } = await verifySnapshot('objstore:', { ...OPTIONS, deep: root })
    expect(check).toMatchObject({ isSound: true, database: 'objstore:' })
    const other = verifySnapshot('objstore:20260101-000000000000-00000000', OPTIONS)
    await expect(other).rejects.toThrow('the store has no snapshot')
  })
})
