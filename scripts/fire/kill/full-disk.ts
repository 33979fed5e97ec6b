// A disk that is really full: a small file system in memory, mounted for the run (which requires
// the rights to mount). Documents are sent until the disk is full; then space is freed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../../engine/store/storage/index.ts'
import { MiB } from '../../../format/bytes/index.ts'
import { endOfTask, untilIdle } from '../parts/client.ts'
import { expectSound, newFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import type { Report, Run } from '../parts/report.ts'

const DISK_MIB = 48
/** Reserved, and freed when the disk is full. */
const BALLAST_MIB = 16
const NO_SPACE = 'no_space_left_on_device'
/** Refusals until the disk counts as full. */
const REFUSALS = 5
const BODIES_MAX = 2000
const PATH = '/indexes/a/documents'

/** `full`. @throws Error if nothing can be mounted, or an expectation fails */
export async function fillDisk({ seed }: Run): Promise<Report> {
  const root = newFolder()
  const words = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', root]
  const { status, stderr } = spawnSync('mount', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`no file system could be mounted: ${stderr}`)
  const ballast = join(root, 'ballast')
  writeFileSync(ballast, Buffer.alloc(BALLAST_MIB * MiB))
  const instance = new Instance({ name: 'full', root })
  try {
    await instance.start()
    const figures = await overflow(instance, ballast, seed)
    await instance.stop()
    expectSound(instance.db, 'at the end')
    return { figures, problems: [] }
  } finally {
    await instance.kill()
    // Lazily: the check may still have mapped files.
    spawnSync('umount', ['-l', root])
    rmSync(root, { recursive: true })
  }
}

async function overflow(instance: Instance, ballast: string, seed: number) {
  /** By uid: number of documents of an acknowledged task. */
  const accepted = new Map<number, number>()
  const refused = await sendUntilFull(instance, seed, accepted)
  await untilIdle(instance)
  const full = await outcomes(instance, accepted)
  await instance.expect(200, 'GET', '/health')
  await instance.expect(200, 'POST', '/indexes/a/search', { q: 'w1' })
  rmSync(ballast)
  const { taskUid } = (await instance.expect(202, 'POST', PATH, [{ id: 'room-again' }])).json
  accepted.set(taskUid, 1)
  const end = await endOfTask(instance, taskUid)
  assert.equal(end.status, 'succeeded', JSON.stringify(end))
  const succeeded = await outcomes(instance, accepted)
  assert.equal(succeeded, full + 1)
  return {
    'tasks that succeeded': succeeded,
    'tasks that failed': accepted.size - succeeded,
    refused,
  }
}

async function sendUntilFull(
  instance: Instance,
  seed: number,
  accepted: Map<number, number>,
): Promise<number> {
  const random = randomOf(seed)
  let refused = 0
  for (let sent = 0; refused < REFUSALS; sent++) {
    assert.ok(sent < BODIES_MAX, 'the disk is full at some time')
    const body = Array.from({ length: 200 }, (_, i) => ({
      id: sent * 200 + i,
      text: Array.from({ length: 40 }, () => `w${random.below(5000)}`).join(' '),
    }))
    const { status, json, text } = await instance.ask('POST', PATH, { body })
    if (status === 202) accepted.set(json.taskUid, body.length)
    else assert.equal(json?.code, NO_SPACE, text)
    if (status !== 202) refused++
  }
  return refused
}

/** Checks that every acknowledged task has ended, and that succeeded ones are complete. */
async function outcomes(instance: Instance, accepted: Map<number, number>): Promise<number> {
  const { json } = await instance.ask('GET', '/tasks?limit=100000&reverse=true')
  let [succeeded, documents] = [0, 0]
  for (const [uid, count] of accepted) {
    const task = json.results[uid]
    assert.equal(task?.uid, uid, 'an acknowledged task is there')
    if (task.status === 'succeeded') {
      succeeded++
      documents += count
    } else assert.deepEqual([task.status, task.error?.code], ['failed', NO_SPACE])
  }
  const stats = await instance.ask('GET', '/indexes/a/stats')
  assert.equal(stats.json.numberOfDocuments, documents, 'documents of succeeded tasks are there')
  return succeeded
}
