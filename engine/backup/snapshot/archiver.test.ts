// The archive thread as the main thread sees it: a small program with the same protocol replaces
// the real one.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Canceled, StorageError } from '../../model/index.ts'
import { type ArchiveHooks, type ArchiveJob, ThreadArchiver } from './archiver.ts'

const PROGRAM = `
import { appendFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
appendFileSync(workerData.root + '/started', 'x')
const send = (reply) => parentPort.postMessage(reply)
const result = { bytes: 7, digests: ['d'] }
let part = 0
parentPort.on('message', ({ kind, job }) => {
  if (kind === 'cancel') send({ kind: 'canceled' })
  else if (kind === 'go') {
    if (part++ === 0) send({ kind: 'part', part: { number: 2 } })
    else send({ kind: 'done', result })
  } else if (job.act === 'parts') {
    send({ kind: 'progress', bytes: 3 })
    send({ kind: 'part', part: { number: 1 } })
  } else if (job.act === 'fail') {
    const error = { family: 'storage', code: 'no_space', message: 'No space.', path: 'a' }
    send({ kind: 'failed', error })
  } else if (job.act === 'exit') process.exit(4)
})
`
const folder = mkdtempSync(join(tmpdir(), 'svc-archiver-'))
const file = pathToFileURL(join(folder, 'program.mjs'))
beforeAll(() => writeFileSync(file, PROGRAM))
afterAll(() => rmSync(folder, { recursive: true }))

const jobOf = (act: string): ArchiveJob => ({ act }) as unknown as ArchiveJob
const run = (act: string, hooks: Partial<ArchiveHooks> = {}) =>
  new ThreadArchiver(file, folder).run(jobOf(act), {
    signal: null,
    progress: () => undefined,
    onPart: async () => undefined,
    ...hooks,
  } as ArchiveHooks)

it('reports progress, waits until each part is accepted, and returns the result', async () => {
  const seen: unknown[] = []
  const result = await run('parts', {
    progress: (bytes) => void seen.push(bytes),
    onPart: async (part) => void seen.push(part),
  })
  expect(result).toEqual({ bytes: 7, digests: ['d'] })
  expect(seen).toEqual([3, { number: 1 }, { number: 2 }])
})

it('fails with the error of the thread, and with the error of a part', async () => {
  const failure = await run('fail').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StorageError)
  expect(failure).toMatchObject({ code: 'no_space', path: 'a' })
  const onPart = () => Promise.reject(new Error('the part was not taken'))
  await expect(run('parts', { onPart })).rejects.toThrow('the part was not taken')
  await expect(run('exit')).rejects.toThrow('the thread archive ended with code 4')
})

it('is canceled by its signal, before it begins and while it runs', async () => {
  const signal = AbortSignal.abort()
  await expect(run('silent', { signal })).rejects.toBeInstanceOf(Canceled)
  const controller = new AbortController()
  const onPart = async (): Promise<void> => {
    controller.abort()
    await new Promise(() => undefined)
  }
  const running = run('parts', { signal: controller.signal, onPart })
  await expect(running).rejects.toBeInstanceOf(Canceled)
})

it('has a thread for each job', async () => {
  const before = readFileSync(join(folder, 'started')).length
  await Promise.all([run('parts'), run('parts')])
  expect(readFileSync(join(folder, 'started'))).toHaveLength(before + 2)
})
