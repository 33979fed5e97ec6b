// Exports: the order of the indexes, the size of chunks, cancelation, and the view that is read.
import { describe, expect, it, onTestFinished } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { type OutgoingAnswer, type OutgoingRequest, StorageError } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, EVERY_TASK, enqueue, openTestEngine } from '../../testing/test-engine.ts'
import { stateOf } from '../kind/test-states.ts'
import { exportedIndex, runExportBatch } from './export-batch.ts'

const CONTENT = { kind: 'export', url: 'http://h/', apiKey: null, payloadSize: null } as const
const ALL = { '*': { filter: null, overrideSettings: false } }

type Answer = (request: OutgoingRequest) => Promise<OutgoingAnswer>
const accepting: Answer = async ({ method }) => ({
  status: method === 'GET' ? 404 : 202,
  body: Buffer.from('{"taskUid":1}'),
})

async function exporting(answer: Answer, options: object = {}) {
  const sent: OutgoingRequest[] = []
  const send = (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    sent.push(request)
    return answer(request)
  }
  const engine = await openTestEngine(new FakeDisk().mount(), { send, ...options })
  onTestFinished(() => engine.close())
  for (const uid of ['b', 'c', 'a']) await addDocuments(engine, uid, [{ id: 1 }, { id: 2 }])
  await engine.idle()
  const { uid } = await enqueue(engine, null, { ...CONTENT, indexes: ALL })
  const ended = async () => {
    await engine.idle()
    return (await engine.tasks.get(uid, null))!
  }
  return { engine, uid, sent, ended }
}

const documentsSent = (sent: readonly OutgoingRequest[]): readonly string[] =>
  sent.flatMap(({ method, url }) =>
    method !== 'GET' && url.includes('/documents') ? [/indexes\/(.)/.exec(url)![1]!] : [],
  )

describe('an export', () => {
  it('sends indexes in the order of their names, however old they are', async () => {
    const { sent, ended } = await exporting(accepting)
    expect((await ended()).status).toBe('succeeded')
    expect(documentsSent(sent)).toEqual(['a', 'b', 'c'])
  })

  it('sends chunks of the size that the options allow', async () => {
    const { sent, ended } = await exporting(accepting, { exportBytes: 1 })
    expect((await ended()).status).toBe('succeeded')
    expect(documentsSent(sent)).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  })

  it('that is canceled ends as canceled, not as failed', async () => {
    let sentOne = (): void => undefined
    const isSent = new Promise<void>((resolve) => (sentOne = resolve))
    const { engine, uid, ended } = await exporting(({ signal }) => {
      sentOne()
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    })
    await isSent
    await engine.tasks.enqueueCancelation({ ...EVERY_TASK, uids: [uid] }, '?', null)
    expect(await ended()).toMatchObject({ status: 'canceled', error: null })
  })

  it('fails with the error of the other server', async () => {
    const body = Buffer.from('{"message":"m","code":"c","type":"t","link":"l"}')
    const { ended } = await exporting(async () => ({ status: 403, body }))
    const { status, error } = await ended()
    expect(status).toBe('failed')
    expect(error!.message).toMatch(/^Failed to export documents to remote server/)
  })

  it('does not hide a failure of the disk', async () => {
    const failure = new StorageError('io', 'x', 'broken')
    const environment = {
      manifest: { state: stateOf(['films']) },
      views: { lease: () => ({ ref: {}, release: () => undefined }) },
      searching: { run: () => Promise.reject(failure) },
      features: () => null,
      send: accepting,
      now: () => 0,
    }
    const plan = { tasks: [{ uid: 3, hasEffect: true, content: { ...CONTENT, indexes: ALL } }] }
    const control = { signal: new AbortController().signal, progress: () => undefined }
    const run = runExportBatch(environment as never, plan as never, control as never)
    await expect(run).rejects.toBe(failure)
  })
})

describe('an exported index', () => {
  const UID = asIndexUid('films')
  const { signal } = new AbortController()

  function parts(hasView = true) {
    const calls: unknown[][] = []
    const ref = { sequence: 7 }
    const release = (): void => void calls.push(['release'])
    return {
      calls,
      parts: {
        manifest: { state: stateOf(['films']) },
        views: { lease: () => (hasView ? { ref, release } : null) },
        searching: {
          run: async (view: { ref: object; release: () => void }, ...rest: unknown[]) => {
            view.release()
            calls.push([view.ref, ...rest])
            return 'bytes'
          },
        },
        features: () => 'features',
      } as never,
      ref,
    }
  }

  it('needs an index and its view', () => {
    expect(exportedIndex(parts().parts, asIndexUid('other'), signal)).toBeNull()
    expect(exportedIndex(parts(false).parts, UID, signal)).toBeNull()
    expect(exportedIndex(parts().parts, UID, signal)).toMatchObject({ uid: UID, primaryKey: null })
  })

  it.each([undefined, { to: 'b' }])('is read chunk by chunk (transfer %j)', async (transfer) => {
    const { parts: given, calls, ref } = parts()
    const index = exportedIndex(given, UID, signal, transfer as never)!
    expect(await index.chunk('f', 3, 100, null)).toBe('bytes')
    const range = { filter: 'f', after: 3, bytesMax: 100, fragments: null }
    const chunk = transfer === undefined ? range : { ...range, transfer }
    // The lease of the index outlives its chunks.
    expect(calls).toStrictEqual([[ref, { kind: 'export', chunk, features: 'features' }, signal]])
    index.release()
    expect(calls.at(-1)).toEqual(['release'])
  })
})
