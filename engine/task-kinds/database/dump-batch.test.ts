// Dumps: the whole content of a database, and what is left after a failure or a cancelation.
import { expect, it, onTestFinished } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { dumpsOn, openFromDump } from '../../testing/test-dump.ts'
import {
  addDocuments,
  allTasks,
  changeSettings,
  documentsOf,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'

const closed = (engine: TestEngine): TestEngine => {
  onTestFinished(() => engine.close())
  return engine
}

async function dumping(options: object = {}) {
  const [disk, dumps] = [new FakeDisk(), new FakeDisk()]
  const fs = disk.mount()
  const engine = closed(await openTestEngine(fs, { dumps: dumpsOn(dumps), ...options }))
  return { engine, fs, disk, dumps }
}

it('a dump holds settings, rules, the network, and requests that wait', async () => {
  const { engine, dumps } = await dumping()
  await changeSettings(engine, 'films', { filterableAttributes: ['a'] })
  await addDocuments(engine, 'films', [{ id: 1, a: 1 }])
  await enqueue(engine, '.meili_dsr', { kind: 'dsrUpdate', uid: 'r', rule: { description: 'R' } })
  await enqueue(engine, 'empty', { kind: 'indexCreation', primaryKey: 'sku' })
  const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null }
  const remotes = new Map([['me', remote]])
  await engine.network.update((network) => ({ ...network, self: 'me', remotes }))
  await engine.idle()
  const [dump] = await Promise.all([
    engine.tasks.enqueueDump(),
    addDocuments(engine, 'films', [{ id: 2, text: 'long '.repeat(10_000) }]),
    addDocuments(engine, 'films', [{ id: 3 }]),
  ])
  await engine.idle()
  const { details, status } = (await engine.tasks.get(dump.uid, null))!
  expect(status).toBe('succeeded')
  const copy = closed(await openFromDump(dumps.mount(), String(details!['dumpUid'])))
  await copy.idle()
  const ids = (await documentsOf(copy, 'films')).map((one) => (one as { id: number }).id)
  expect(ids.sort()).toEqual([1, 2, 3])
  expect(copy.documents.settings(asIndexUid('films'))).toMatchObject({
    filterableAttributes: ['a'],
  })
  expect(copy.documents.index(asIndexUid('empty'))).toMatchObject({ primaryKey: 'sku' })
  expect(copy.administration.rules()).toMatchObject([{ uid: 'r', description: 'R' }])
  expect([...copy.network.get().remotes.keys()]).toEqual(['me'])
  const kinds = (tasks: Awaited<ReturnType<typeof allTasks>>) => tasks.map(({ kind }) => kind)
  expect(kinds(await allTasks(copy))).toEqual(kinds(await allTasks(engine)))
})

it('a dump that fails leaves no files', async () => {
  const { engine, fs, dumps } = await dumping()
  await addDocuments(engine, 'films', [{ id: 1 }])
  dumps.fail({ on: 'write', errno: 'ENOSPC', times: 9 })
  const { uid } = await engine.tasks.enqueueDump()
  await engine.idle()
  expect((await engine.tasks.get(uid, null))!.status).toBe('failed')
  expect([fs.exists('dump'), dumps.mount().list('')]).toEqual([false, []])
})

it('a dump that is canceled ends as canceled, and leaves no files', async () => {
  const { engine, fs, dumps } = await dumping()
  let opened = (): void => undefined
  const isOpened = new Promise<void>((resolve) => (opened = resolve))
  let go = (): void => undefined
  const gate = new Promise<void>((resolve) => (go = resolve))
  await addDocuments(engine, 'films', [{ id: 1 }])
  await engine.idle()
  dumps.gate = () => {
    opened()
    return gate
  }
  const { uid } = await engine.tasks.enqueueDump()
  await isOpened
  await engine.tasks.enqueueCancelation({ ...EVERY_TASK, uids: [uid] }, '?', null)
  go()
  await engine.idle()
  expect((await engine.tasks.get(uid, null))!.status).toBe('canceled')
  expect(fs.exists('dump')).toBe(false)
})
