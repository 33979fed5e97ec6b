// Files of segments are damaged while a server runs: the affected index fails, others do not. Files
// that are truncated while they are mapped are the worst case: reading behind their end would end
// the process (SIGBUS), so lengths are checked before searches run.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readDatabase, segmentPath } from '../../../engine/store/catalog/index.ts'
import { RealFileSystem } from '../../../engine/store/storage/index.ts'
import { film } from '../../../tools/test-support.ts'
import { type Client, clientOf, endOfTask, pause } from '../parts/client.ts'
import { type Program, startProgram } from '../parts/program.ts'

/** Longer than the interval between two checks of a search thread. */
const LOOK_MS = 300
const MERGE_MS = 2000

let root: string
let db: string
let program: Program
let client: Client

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  db = join(root, 'data.ms')
  program = startProgram({ db })
  client = clientOf(await program.url)
  for (const index of ['films', 'others']) {
    const body = Array.from({ length: 600 }, (_, id) => film(id))
    const added = await client.ask('POST', `/indexes/${index}/documents`, { body })
    await endOfTask(client, added.json.taskUid)
  }
}, 120_000)
afterEach(async () => {
  client.close()
  await program.stop()
  rmSync(root, { recursive: true })
}, 60_000)

const search = (index: string, q: string) =>
  client.ask('POST', `/indexes/${index}/search`, { body: { q, limit: 1000 } })

/** Returns files of an index with their lengths. */
function filesOf(uid: string): readonly { readonly path: string; readonly bytes: number }[] {
  const { state } = readDatabase(new RealFileSystem(db))
  const index = [...state.indexes.values()].find((one) => one.uid === uid)
  const segments = [...(index?.segments.values() ?? [])]
  return segments
    .filter(({ location }) => location.kind === 'file')
    .map(({ segment, layer, bytes }) => ({ path: segmentPath(segment, layer), bytes }))
}

it('truncated open files fail only their index', async () => {
  expect((await search('films', 'harbour')).status).toBe(200)
  expect((await search('others', 'harbour')).status).toBe(200)
  for (const { path, bytes } of filesOf('films')) truncateSync(join(db, path), bytes >>> 2)
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
  // Long enough for merges to check the files.
  await pause(MERGE_MS)
  expect((await client.ask('GET', '/health')).status).toBe(200)
  expect((await program.stop()).code).toBe(0)
})

it('files with changed bytes fail only their index', async () => {
  await program.stop()
  const files = filesOf('films')
  expect(files.length).toBeGreaterThan(0)
  for (const { path, bytes } of files) {
    const whole = readFileSync(join(db, path))
    whole.fill(0x55, 64, bytes >>> 1)
    writeFileSync(join(db, path), whole)
  }
  client.close()
  program = startProgram({ db })
  client = clientOf(await program.url)
  const answer = await search('films', 'mountain star')
  expect([answer.status, answer.json.code]).toEqual([500, 'invalid_store_file'])
  // The path goes to the operator's log, not to the client.
  expect(program.said()).toMatch(/ERROR .*segments\/\d+\.\w+/)
  expect((await search('others', 'mountain star')).status).toBe(200)
  expect((await program.stop()).code).toBe(0)
})
