// Batches of the whole database: dumps, snapshots and exports of an engine in memory, and what
// upgrades and changes of the network commit.
import { afterEach, describe, expect, it } from 'vitest'
import { asIndexNo, asTaskUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { restoreArchive } from '../../backup/snapshot/index.ts'
import type { OutgoingRequest } from '../../model/index.ts'
import { upgradeBegun, upgradeDue } from '../../store/catalog/upgrade-note.ts'
import { FakeDisk, fileBytes } from '../../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from '../../testing/test-dump.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'
import type { BatchPlan, BatchResult } from '../../write/batching/index.ts'
import type { ChangeWork, TaskEnvironment } from '../kind/task-kind.ts'
import { applied, stateOf } from '../kind/test-states.ts'
import { instanceUidChange, instanceUidOf, sweepDump } from './dump-batch.ts'
import { runTopologyChange } from './topology-batch.ts'
import { enqueueUpgrade, rollBackUpgrade } from './upgrade-batch.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

async function opened(disk: FakeDisk, options: Parameters<typeof openTestEngine>[1] = {}) {
  const engine = await openTestEngine(disk.mount(), options)
  open.push(engine)
  return engine
}

async function settled(engine: TestEngine, content: object) {
  const { uid } = await enqueue(engine, null, content as never)
  await engine.idle()
  return (await engine.tasks.get(uid, null))!
}

const DOCUMENTS = [{ id: 1, a: 'x' }, { id: 2 }]

describe('a dump', () => {
  it('holds documents, keys of tasks and features; its parts are removed', async () => {
    const [disk, dumps] = [new FakeDisk(), new FakeDisk()]
    const engine = await opened(disk, { dumps: dumpsOn(dumps) })
    await addDocuments(engine, 'i', DOCUMENTS)
    await addDocuments(engine, 'j', [{ sku: 7 }], { primaryKey: 'sku' })
    await engine.administration.setFeatures({ containsFilter: true })
    await engine.idle()
    const uid = await dumpOf(engine)
    expect(uid).toMatch(/^\d{8}-\d{9}$/)
    expect(dumps.mount().list('')).toEqual([`${uid}.dump`])
    expect(disk.mount().exists('dump')).toBe(false)
    const copy = await openFromDump(dumps.mount(), uid)
    open.push(copy)
    expect(await documentsOf(copy, 'i')).toEqual(DOCUMENTS)
    expect(await documentsOf(copy, 'j')).toEqual([{ sku: 7 }])
    expect(copy.administration.features.containsFilter).toBe(true)
  })

  it('without a folder fails', async () => {
    const { error } = await settled(await opened(new FakeDisk()), {
      kind: 'dumpCreation',
      keys: [],
      instanceUid: null,
    })
    expect(error!.message).toMatch(/no folder for dumps is configured/)
  })

  it.each([
    ['20240808-090113348', true],
    ['../other', false],
  ])('of a killed process named %s is removed at the next start', async (name, isRemoved) => {
    const [fs, dumps] = [new FakeDisk().mount(), new FakeDisk()]
    const target = dumps.mount()
    fs.makeDirectory('dump')
    const write = (on: typeof fs, path: string, text: string) => {
      const file = on.open(path, 'create')
      file.write(0, Buffer.from(text))
      file.close()
    }
    write(fs, 'dump/name', name)
    write(fs, 'dump/parts', '')
    write(target, '20240808-090113348.dump.new', '')
    write(target, '20240808-090113348.dump', '')
    const options = {
      folder: '/dumps',
      fileSystem: target,
      describe: () => ({ type: '', link: '' }),
    }
    await sweepDump(fs, options)
    expect(fs.exists('dump')).toBe(false)
    expect(target.exists('20240808-090113348.dump.new')).toBe(!isRemoved)
    expect(target.exists('20240808-090113348.dump')).toBe(true)
    await sweepDump(fs, options)
    fs.makeDirectory('dump')
    await sweepDump(fs, undefined)
    expect(fs.exists('dump')).toBe(false)
  })

  it('names the instance that it was imported from', () => {
    const state = stateOf([])
    expect(instanceUidOf(state)).toBeNull()
    expect(instanceUidOf(applied(state, [instanceUidChange('u')]))).toBe('u')
  })
})

describe('a snapshot', () => {
  it.each([true, false])('holds the database, compact %s', async (compact) => {
    const [disk, archive] = [new FakeDisk(), new FakeDisk()]
    const outside = () => archive.mount()
    const snapshots = { folder: 'snapshots', name: 'db', compact, outside }
    const engine = await opened(disk, { snapshots })
    await addDocuments(engine, 'i', DOCUMENTS)
    await engine.idle()
    const { status, uid } = await settled(engine, { kind: 'snapshotCreation' })
    expect(status).toBe('succeeded')
    expect(archive.mount().list('')).toEqual(['db.snapshot'])
    expect(disk.mount().list('staging')).toEqual([])
    const copy = new FakeDisk()
    const bytes = fileBytes(archive.mount(), 'db.snapshot', 1000)
    await restoreArchive(bytes, copy.mount(), { progress: () => undefined })
    const again = await opened(copy)
    expect(await documentsOf(again, 'i')).toEqual(DOCUMENTS)
    expect((await again.tasks.get(uid, null))!.status).toBe('succeeded')
  })

  it('without a place fails', async () => {
    const { error } = await settled(await opened(new FakeDisk()), { kind: 'snapshotCreation' })
    expect(error).toMatchObject({
      code: 'internal',
      message: 'No place for snapshots is configured.',
    })
  })
})

describe('an export', () => {
  const content = { kind: 'export', url: 'http://h/', apiKey: 'k', payloadSize: null }

  it('sends the documents of the indexes that its patterns name', async () => {
    const sent: OutgoingRequest[] = []
    const send = async (request: OutgoingRequest) => {
      sent.push(request)
      const isKnown = request.method !== 'GET'
      return { status: isKnown ? 202 : 404, body: Buffer.from('{"taskUid":1}') }
    }
    const engine = await opened(new FakeDisk(), { send })
    for (const uid of ['b', 'a', 'c']) await addDocuments(engine, uid, DOCUMENTS)
    await engine.idle()
    const filter = { filter: null, overrideSettings: false }
    const task = await settled(engine, { ...content, indexes: { a: filter, b: filter } })
    expect(task).toMatchObject({ status: 'succeeded' })
    const named = Object.entries(task.details!['indexes'] as object)
    expect(named.map(([uid, { matchedDocuments }]) => [uid, matchedDocuments])).toEqual([
      ['a', 2],
      ['b', 2],
    ])
    const urls = sent.map(({ url }) => url)
    expect(urls.some((url) => url.startsWith('http://h/indexes/a'))).toBe(true)
    expect(urls.some((url) => url.includes('/indexes/c'))).toBe(false)
  })

  it('fails if no other server may be called', async () => {
    const engine = await opened(new FakeDisk())
    await addDocuments(engine, 'i', DOCUMENTS)
    const indexes = { '*': { filter: null, overrideSettings: false } }
    const { status, error } = await settled(engine, { ...content, indexes })
    expect(status).toBe('failed')
    expect(error!.message).toMatch(/no other server may be called/)
  })
})

describe('an upgrade', () => {
  const noted = (...more: readonly Change[]) =>
    applied(stateOf(['a']), [...upgradeDue('1.2.3'), ...more])

  it('is enqueued once if it is noted', async () => {
    const registered: unknown[] = []
    const queue = (waiting: number) =>
      ({
        waitingOfKind: () => Array(waiting).fill(0),
        register: async (request: unknown) => void registered.push(request),
      }) as never
    await enqueueUpgrade(queue(0), { state: stateOf(['a']) } as never, '1.50.0')
    await enqueueUpgrade(queue(1), { state: noted() } as never, '1.50.0')
    expect(registered).toEqual([])
    await enqueueUpgrade(queue(0), { state: noted() } as never, '1.50.0')
    const content = { kind: 'upgradeDatabase', from: 'v1.2.3', to: 'v1.50.0' }
    expect(registered).toEqual([{ indexUid: null, content, customMetadata: null }])
  })

  it('that is canceled leaves the older release, unless it has begun', async () => {
    const fs = new FakeDisk().mount()
    const commits: (readonly Change[])[] = []
    const rolledBack = (state: ReturnType<typeof stateOf>) =>
      rollBackUpgrade(fs, {
        state,
        commit: async (changes: readonly Change[]) => void commits.push(changes),
      } as never)
    expect(await rolledBack(stateOf(['a']))).toBeNull()
    expect(await rolledBack(noted(upgradeBegun()))).toBe(
      'Failed to rollback for index `all`: others have been upgraded already.',
    )
    expect([commits, fs.exists('VERSION')]).toEqual([[], false])
    expect(await rolledBack(noted())).toBeNull()
    expect(fs.exists('VERSION')).toBe(true)
    expect(commits).toMatchObject([[{ kind: 'value-set', key: 'from', value: null }, {}]])
  })
})

describe('a change of the network', () => {
  const network = (held: readonly string[], self: string | null = 'me') => ({
    self,
    leader: 'me',
    shards: new Map([
      ['s', { remotes: held }],
      ['t', { remotes: ['you'] }],
    ]),
  })
  const change = {
    uid: asTaskUid(3),
    before: network(['me']),
    after: network(['me', 'you']),
    isDirty: false,
    isReturning: false,
  }

  async function ran(work: ChangeWork, of: object | null = change) {
    const calls: string[] = []
    let state = stateOf(['a', 'b'])
    const documents = { documents: 2, idMin: 0, idMax: 9, bytes: 9, layer: 'documents' } as const
    const location = { kind: 'file', checksum: 1 } as const
    const added = { kind: 'segment-added', index: asIndexNo(1), segment: 1 } as const
    state = applied(state, [{ ...added, ...documents, location } as never])
    const jobs: unknown[] = []
    let result: BatchResult | null = null
    const environment = {
      topology: {
        change: of,
        work,
        cleaned: async () => void calls.push('cleaned'),
        placementChange: () => ({ kind: 'value-set', space: 'n', key: 'p', value: null }),
      },
      manifest: {
        state,
        commit: async (make: (from: typeof state) => readonly Change[]) => {
          calls.push(
            make(state)
              .map((one) => `${one.kind} ${'index' in one ? one.index : ''}`)
              .join(),
          )
        },
      },
      merger: {
        touch: () => undefined,
        follow: (segment: number) => segment,
        offer: () => ({ offer: null, [Symbol.dispose]: () => undefined }),
      },
      views: { lease: () => null },
      indexing: {
        run: async ({
          view,
          operations,
        }: {
          view: { uid: string }
          operations: readonly object[]
        }) => {
          jobs.push([view.uid, ...operations])
          const empty = {
            segments: [],
            replaced: [],
            tombstones: [],
            fieldsAdded: [],
            fieldCounts: [],
          }
          const vectorCounts = { vectors: 0, documents: 0 }
          return { ...empty, vectorCounts, primaryKey: null, deleted: 2 }
        },
      },
      onCommitted: () => void calls.push('committed'),
      now: () => 9,
    } as unknown as TaskEnvironment
    const plan = {
      tasks: [{ uid: 3, hasEffect: true, content: {} }],
      work: {},
    } as never as BatchPlan
    const control = {
      signal: new AbortController().signal,
      progress: () => undefined,
      seal: async (sealed: BatchResult) => {
        result = sealed
        return { view: { uid: 5 }, payload: new Uint8Array(1) }
      },
    }
    const end = await runTopologyChange(environment, plan, control as never)
    const ended = end.kind === 'uncommitted' ? end.result : (result as BatchResult | null)
    return { kind: end.kind, calls, jobs, outcome: ended?.outcomes[0] }
  }

  const shards = (held: boolean, names = ['s', 't']) => ({
    kind: 'deletionOfOthers',
    shards: { names, held: [held, false] },
  })

  it('must be known', async () => {
    for (const of of [null, { ...change, uid: asTaskUid(4) }]) {
      const { kind, outcome } = await ran({ kind: 'keep' }, of)
      expect([kind, outcome!.error]).toEqual([
        'uncommitted',
        { code: 'internal', message: 'the network of the change is not known' },
      ])
    }
  })

  it('fails if instances could not import their documents', async () => {
    const { kind, outcome, jobs } = await ran({ kind: 'fail', failed: ['x', 'y'] })
    expect([kind, jobs]).toEqual(['uncommitted', []])
    expect(outcome!.error).toMatchObject({ code: 'remote_remote_error' })
    expect(outcome!.error!.message).toMatch(/imported by .x. and .y.|imported by .x., .y./)
  })

  it('deletes the documents of shards that others hold from now on', async () => {
    const { kind, outcome, jobs, calls } = await ran({ kind: 'delete' })
    expect([kind, outcome!.result]).toEqual([
      'committed',
      { movedDocuments: 4, message: 'Finished' },
    ])
    expect(jobs).toEqual([
      ['a', shards(true)],
      ['b', shards(true)],
    ])
    expect(calls.filter((call) => call.includes('index-touched'))).toHaveLength(2)
    expect(calls.filter((call) => call.includes('tasks-finished'))).toHaveLength(1)
  })

  it('keeps all documents if nothing moves', async () => {
    const { kind, outcome, jobs } = await ran({ kind: 'keep' })
    expect([kind, jobs, outcome!.result]).toEqual([
      'committed',
      [],
      { movedDocuments: 0, message: 'Finished' },
    ])
  })

  it('first removes leftovers: documents, and empty indexes of a returning instance', async () => {
    const clean = async (more: object) => ran({ kind: 'clean' }, { ...change, ...more })
    expect(await clean({})).toMatchObject({ kind: 'aborted', jobs: [], calls: ['cleaned'] })
    const dirty = await clean({ isDirty: true, before: network(['you'], null) })
    expect(dirty.jobs).toEqual([
      ['a', shards(false)],
      ['b', shards(false)],
    ])
    // An instance that leaves the network has no name any more.
    const leaving = await clean({ isDirty: true, after: network(['you'], null) })
    expect(leaving.jobs).toEqual([
      ['a', shards(true)],
      ['b', shards(true)],
    ])
    const returning = await clean({ isReturning: true })
    expect(returning).toMatchObject({
      kind: 'aborted',
      jobs: [],
      calls: ['index-removed 2', 'committed', 'cleaned'],
    })
  })
})
