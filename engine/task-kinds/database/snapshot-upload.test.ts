// Snapshots in an object store, and the checksums that they share.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { type StoreRequest, TransportFault } from '../../backup/objstore/transport.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine } from '../../testing/test-engine.ts'
import { storeIn } from '../../testing/test-store.ts'
import type { StoreOptions } from '../kind/index.ts'
import { digestsOf, openBucket, storeTurnsOf, uploadSnapshot } from './snapshot-upload.ts'

describe('checksums of a snapshot', () => {
  it('are computed once for files that never change, and forgotten with them', async () => {
    const file = (path: string, source = path) => ({ path, source, bytes: 1, level: 0 })
    const log = file('tasks/1.log', 'staging/tasks.log')
    const seen: string[][] = []
    const run = async ({ files }: { readonly files: readonly { readonly path: string }[] }) => {
      seen.push(files.map(({ path }) => path))
      return { digests: files.map(({ path }) => `${path}@${seen.length}`) }
    }
    const digests = new Map<string, string>()
    const upload = { archiver: { run } as never, digests }
    const { signal } = new AbortController()
    const body = file('tasks/bodies/000001.body', 'staging/0.body')
    const first = [file('segments/1'), log, body]
    expect(await digestsOf(upload, first, signal)).toEqual([
      'segments/1@1',
      'tasks/1.log@1',
      'tasks/bodies/000001.body@1',
    ])
    const second = [file('segments/2'), log, body]
    expect(await digestsOf(upload, second, signal)).toEqual([
      'segments/2@2',
      'tasks/1.log@2',
      'tasks/bodies/000001.body@1',
    ])
    expect(seen[1]).toEqual(['segments/2', 'tasks/1.log'])
    expect([...digests.keys()]).toEqual(['segments/2', 'tasks/bodies/000001.body'])
  })
})

describe('a snapshot', () => {
  async function uploading(more: Partial<StoreOptions>) {
    const objects = new MemoryObjects()
    const store = storeIn(objects, more)
    const disk = new FakeDisk()
    const outside = () => new FakeDisk().mount()
    const snapshots = { folder: 's', name: 'db', compact: false, store, outside }
    const engine = await openTestEngine(disk.mount(), { snapshots })
    onTestFinished(() => engine.close())
    await addDocuments(engine, 'films', [{ id: 1 }])
    await engine.idle()
    const snapshot = async () => {
      const { uid } = await enqueue(engine, null, { kind: 'snapshotCreation' })
      await engine.idle()
      const { status, error } = (await engine.tasks.get(uid, null))!
      expect(disk.mount().list('staging'), 'files that are left').toEqual([])
      return { status, message: error?.message ?? null }
    }
    const heads = () => [...objects.objects.keys()].filter((key) => key.includes('snapshots'))
    return { snapshot, heads, objects }
  }

  it('is uploaded file by file; of the old ones as many are kept as the options say', async () => {
    const all = await uploading({ retain: null })
    const some = await uploading({ retain: 2 })
    for (const { snapshot } of [all, some]) {
      for (let i = 0; i < 4; i++) expect(await snapshot()).toMatchObject({ status: 'succeeded' })
    }
    expect([all.heads().length, some.heads().length]).toEqual([4, 2])
  })

  it('sends again what the store has lost since the last one', async () => {
    const { snapshot, objects } = await uploading({})
    await snapshot()
    const files = () => [...objects.objects.keys()].filter((key) => key.includes('/files/'))
    const lost = files().find((key) => key.endsWith('-VERSION'))!
    objects.objects.delete(lost)
    expect(await snapshot()).toEqual({ status: 'succeeded', message: null })
    expect(files()).toContain(lost)
  })

  it('fails with the reason of the store', async () => {
    const { snapshot, objects } = await uploading({})
    vi.spyOn(objects.objects, 'set').mockImplementation(() => {
      throw new TypeError('broken')
    })
    const message = expect.stringContaining('broken')
    expect(await snapshot()).toEqual({ status: 'failed', message })
  })

  it('fails when it takes longer than its signatures hold', async () => {
    const transport = ({ signal }: StoreRequest): Promise<never> =>
      new Promise((_, reject) => {
        const fail = () => reject(signal.reason)
        if (signal.aborted) fail()
        else signal.addEventListener('abort', fail, { once: true })
      })
    const { snapshot } = await uploading({ transport, signatureSeconds: 0.05 })
    expect(await snapshot()).toEqual({
      status: 'failed',
      message: 'S3 error: the snapshot took longer than 0.05 seconds',
    })
  })
})

describe('a store', () => {
  it('may take as long as its signatures hold, also for months', async () => {
    const store = storeIn(new MemoryObjects(), { signatureSeconds: 5_000_000 })
    const upload = {
      archiver: { run: async () => ({ digests: [] }) },
      files: [],
      digests: new Map(),
    }
    const head = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, files: [] }
    const { signal } = new AbortController()
    storeTurnsOf(store).names = { next: async () => ({ name: 'x', placed: { term: 1 } }) } as never
    const progress = () => undefined
    await uploadSnapshot({ ...upload, store, head, signal, progress, fs: null } as never)
  })

  it('is tried again after the pauses of its options', async () => {
    let tries = 0
    const transport = () => {
      tries++
      return Promise.reject(new TransportFault(true, 'away'))
    }
    // The usual pause is longer than all attempts may take.
    const store = storeIn({ transport } as never, { retryPauseMs: 1, retryMsMax: 200 })
    const bucket = await openBucket(store, new AbortController().signal)
    await expect(bucket.list('')).rejects.toThrow('S3 HTTP error: away')
    expect(tries).toBeGreaterThan(1)
  })

  it('has the same turns for all its users', () => {
    const [one, other] = [storeIn(new MemoryObjects()), storeIn(new MemoryObjects())]
    expect(storeTurnsOf(one)).toBe(storeTurnsOf(one))
    expect(storeTurnsOf(other)).not.toBe(storeTurnsOf(one))
  })
})
