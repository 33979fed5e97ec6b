// Files of segments cut short under a server that has them mapped: reading what is gone would end
// the process (SIGBUS), so lengths are looked at before searches are run.
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readDatabase, segmentPath } from '../../engine/catalog/index.ts'
import { RealFileSystem } from '../../engine/storage/index.ts'
import { film } from '../test-support.ts'
import { type Client, clientOf, endOfTask, pause } from './ask.ts'
import { type Program, startProgram } from './program.ts'

/** Longer than the time between two looks of a search thread. */
const LOOK_MS = 300
const MERGE_MS = 2000

let root: string
let program: Program
let client: Client

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  program = startProgram({ db: join(root, 'data.ms') })
  client = clientOf(await program.url)
  for (const index of ['films', 'others']) {
    const body = Array.from({ length: 2000 }, (_, id) => film(id))
    const added = await client.ask('POST', `/indexes/${index}/documents`, { body })
    await endOfTask(client, added.json.taskUid)
  }
})
afterEach(async () => {
  client.close()
  await program.stop()
  rmSync(root, { recursive: true })
})

const search = (index: string, q: string) =>
  client.ask('POST', `/indexes/${index}/search`, { body: { q, limit: 1000 } })

/** Cuts every file of an index to some part of its length. */
function cutFilesOf(uid: string): void {
  const db = join(root, 'data.ms')
  const { state } = readDatabase(new RealFileSystem(db))
  const index = [...state.indexes.values()].find((one) => one.uid === uid)
  for (const { segment, layer, location, bytes } of index?.segments.values() ?? []) {
    if (location.kind !== 'file') continue
    truncateSync(join(db, segmentPath(segment, layer)), bytes >>> 2)
  }
}

it('answers with an error for the index, and goes on', async () => {
  expect((await search('films', 'harbour')).status).toBe(200)
  expect((await search('others', 'harbour')).status).toBe(200)
  cutFilesOf('films')
  await pause(LOOK_MS)
  for (const q of ['mountain', 'quiet', 'star', '']) {
    const answer = await search('films', q)
    expect([answer.status, answer.json.code]).toEqual([422, 'io_error'])
    expect(answer.json.message).toMatch(/segments\/\d+\.\w+` has \d+ bytes instead of \d+/)
    expect((await search('others', q)).status).toBe(200)
  }
  const page = await client.ask('GET', '/indexes/films/documents')
  expect(page.status).toBe(422)
  const write = { body: [film(5)] }
  const added = await client.ask('POST', '/indexes/films/documents', write)
  const failed = await endOfTask(client, added.json.taskUid)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'io_error' } })
  const other = await client.ask('POST', '/indexes/others/documents', write)
  expect(await endOfTask(client, other.json.taskUid)).toMatchObject({ status: 'succeeded' })
  // Long enough for merges to look at what is there.
  await pause(MERGE_MS)
  expect((await client.ask('GET', '/health')).status).toBe(200)
  expect((await program.stop()).code).toBe(0)
})
