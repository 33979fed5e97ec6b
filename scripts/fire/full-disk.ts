// A disk that is really full: a small file system in memory, mounted for the test (which requires
// the rights to mount). Documents are sent until the disk is full; then space is freed.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import { checkDatabase } from '../../tools/check/index.ts'
import { type Answer, type Client, clientOf, endOfTask, untilIdle } from './ask.ts'
import { startProgram } from './program.ts'

export type FullDiskReport = {
  /** Bodies that were refused for lack of space. */
  readonly refused: number
  /** Tasks that failed for lack of space. */
  readonly failed: number
  readonly succeeded: number
}

const DISK_MIB = 48
/** Reserved, and freed when the disk is full. */
const BALLAST_MIB = 16
const NO_SPACE = 'no_space_left_on_device'
/** Refusals until the disk counts as full. */
const REFUSALS = 5
const BODIES_MAX = 2000
const SILENT = { at: () => undefined, end: () => undefined }

/** @throws if nothing can be mounted, and AssertionError if an expectation fails */
export async function fillDisk(seed: number): Promise<FullDiskReport> {
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  mount(root)
  try {
    return await fill(root, randomOf(seed))
  } finally {
    // Lazily: the check may still have mapped files.
    spawnSync('umount', ['-l', root])
    rmSync(root, { recursive: true })
  }
}

function mount(folder: string): void {
  const words = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', folder]
  const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`no file system could be mounted: ${stderr}`)
}

async function fill(root: string, random: Random): Promise<FullDiskReport> {
  const db = join(root, 'data.ms')
  const ballast = join(root, 'ballast')
  writeFileSync(ballast, Buffer.alloc(BALLAST_MIB * MiB))
  const program = startProgram({ db })
  try {
    const report = await overflow(clientOf(await program.url), ballast, random)
    assert.equal((await program.stop()).code, 0)
    const check = { lock: true, release: RELEASE.version, openProgress: () => SILENT }
    assert.equal(checkDatabase(db, check).problemCount, 0, 'svc-tools check finds nothing')
    return report
  } finally {
    await program.stop()
  }
}

async function overflow(client: Client, ballast: string, random: Random): Promise<FullDiskReport> {
  /** By uid: the documents of an acknowledged task. */
  const accepted = new Map<number, readonly object[]>()
  const refused = await sendUntilFull(client, random, accepted)
  await untilIdle(client)
  const full = await outcomes(client, accepted)
  assert.equal((await client.ask('GET', '/health')).status, 200)
  assert.equal((await client.ask('POST', '/indexes/a/search', { body: { q: 'w1' } })).status, 200)
  rmSync(ballast)
  const body = [{ id: 'room-again' }]
  const answer = await client.ask('POST', '/indexes/a/documents', { body })
  assert.equal(answer.status, 202, answer.text)
  accepted.set(answer.json.taskUid, body)
  const end = await endOfTask(client, answer.json.taskUid)
  assert.equal(end.status, 'succeeded', JSON.stringify(end))
  const succeeded = await outcomes(client, accepted)
  client.close()
  assert.equal(succeeded, full + 1)
  return { refused, failed: accepted.size - succeeded, succeeded }
}

async function sendUntilFull(
  client: Client,
  random: Random,
  accepted: Map<number, readonly object[]>,
): Promise<number> {
  let refused = 0
  for (let sent = 0; refused < REFUSALS; sent++) {
    assert.ok(sent < BODIES_MAX, 'the disk is full at some time')
    const docs = Array.from({ length: 200 }, (_, i) => ({
      id: sent * 200 + i,
      text: Array.from({ length: 40 }, () => `w${random.below(5000)}`).join(' '),
    }))
    const answer: Answer = await client.ask('POST', '/indexes/a/documents', { body: docs })
    if (answer.status === 202) {
      accepted.set(answer.json.taskUid, docs)
      continue
    }
    assert.equal(answer.json?.code, NO_SPACE, answer.text)
    refused++
  }
  return refused
}

/** Checks that every acknowledged task has ended, and that succeeded ones are complete. */
async function outcomes(client: Client, accepted: Map<number, readonly object[]>): Promise<number> {
  const { json } = await client.ask('GET', '/tasks?limit=100000&reverse=true')
  let succeeded = 0
  let documents = 0
  for (const [uid, docs] of accepted) {
    const task = json.results[uid]
    assert.equal(task?.uid, uid, 'an acknowledged task is there')
    if (task.status === 'succeeded') {
      succeeded++
      documents += docs.length
    } else assert.deepEqual([task.status, task.error?.code], ['failed', NO_SPACE])
  }
  const stats = await client.ask('GET', '/indexes/a/stats')
  assert.equal(stats.json.numberOfDocuments, documents, 'documents of succeeded tasks are there')
  return succeeded
}
