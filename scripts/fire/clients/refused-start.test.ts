// Starts that must fail: each ends with a clear error and an exit code, and leaves every file
// unchanged.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesOf } from '../damage/damage.ts'
import { clientOf, endOfTask } from '../parts/client.ts'
import { builtFolder, startProgram } from '../parts/program.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
const db = join(root, 'data.ms')
const NOBODY = 65534

beforeAll(async () => {
  const program = startProgram({ db })
  const client = clientOf(await program.url)
  const body = Array.from({ length: 500 }, (_, id) => ({ id, title: `title ${id % 7}` }))
  const added = await client.ask('POST', '/indexes/a/documents', { body })
  await endOfTask(client, added.json.taskUid)
  client.close()
  await program.stop()
}, 120_000)
afterAll(() => rmSync(root, { recursive: true }))

/** File → hash. The lock holds the process id of the last attempt, for people. */
const hashes = (): readonly (readonly [string, string])[] =>
  filesOf(db)
    .filter((file) => file !== 'LOCK')
    .map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(db, file)))
        .digest('hex'),
    ])

/** Tries to start; returns the error message. */
async function refused(): Promise<string> {
  const before = hashes()
  const program = startProgram({ db })
  await expect(program.url).rejects.toThrow(/ended/)
  const { code, signal, stderr } = await program.ended
  expect([code, signal]).toEqual([1, null])
  expect(hashes()).toEqual(before)
  return stderr.slice(stderr.indexOf('\nError: ') + 1)
}

/** Changes a file while `work` runs. */
async function withChanged(file: string, bytes: Uint8Array, work: () => Promise<void>) {
  const path = join(db, file)
  const whole = readFileSync(path)
  writeFileSync(path, bytes)
  try {
    await work()
  } finally {
    writeFileSync(path, whole)
  }
}

it('a second server on the same folder', async () => {
  const first = startProgram({ db })
  const client = clientOf(await first.url)
  try {
    expect(await refused()).toMatch(
      new RegExp(`^Error: another server \\(process ${first.pid}\\) uses this database: stop it`),
    )
    expect((await client.ask('GET', '/indexes/a/stats')).json.numberOfDocuments).toBe(500)
  } finally {
    client.close()
    await first.stop()
  }
})

it('a database of a newer release', async () => {
  await withChanged('VERSION', Buffer.from('99.1.0\n'), async () => {
    const error = await refused()
    expect(error).toMatch(/^Error: Database version 99\.1\.0 is higher/)
    expect(error).toContain('Start it with Svc 99.1.0 or newer')
  })
})

it('a manifest and a task log of a newer format', async () => {
  for (const file of ['manifest-000001.log', 'tasks/tasks-000001.log']) {
    const bytes = readFileSync(join(db, file))
    bytes[8] = 2
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28)
    await withChanged(file, bytes, async () => {
      expect(await refused()).toContain(`\`${file}\`: it was written by another release`)
    })
  }
})

it('a manifest and a task log that are cut short or damaged', async () => {
  for (const file of ['manifest-000001.log', 'tasks/tasks-000001.log']) {
    const whole = readFileSync(join(db, file))
    await withChanged(file, whole.subarray(0, whole.length - 30), async () => {
      expect(await refused()).toContain(`\`${file}\` is not what it was when the database was`)
    })
    const flipped = Buffer.from(whole)
    flipped[100]! ^= 4
    await withChanged(file, flipped, async () => {
      expect(await refused()).toContain(`\`${file}\` is damaged`)
    })
  }
})

it('a folder that is a file, or below one', async () => {
  const file = join(root, 'file')
  writeFileSync(file, 'mine')
  for (const path of [file, join(file, 'data.ms')]) {
    const program = startProgram({ db: path })
    const { code, stderr } = await program.ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('\nError: cannot make')])
  }
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

/** Returns whether every user can read the built server: a user without rights must start it. */
function isOpenToNobody(): boolean {
  const child = spawnSync(
    process.execPath,
    ['-e', 'require("fs").readFileSync(process.argv[1])', join(builtFolder(), 'server/main.js')],
    { uid: NOBODY, gid: NOBODY },
  )
  return child.status === 0
}

const isRoot = process.getuid?.() === 0
it.skipIf(isRoot && !isOpenToNobody())('a folder without permission', async () => {
  const folder = join(root, 'closed')
  mkdirSync(folder)
  chmodSync(root, 0o755)
  chmodSync(folder, isRoot ? 0o700 : 0)
  const user = isRoot ? { uid: NOBODY } : {}
  const program = startProgram({ db: join(folder, 'data.ms'), ...user })
  const { code, stderr } = await program.ended
  chmodSync(folder, 0o700)
  expect(code).toBe(1)
  expect(stderr).toMatch(/\nError: cannot make .*permission denied/)
  expect(filesOf(folder)).toEqual([])
})

it('the database is unchanged', async () => {
  truncateSync(join(root, 'file'))
  const program = startProgram({ db })
  const client = clientOf(await program.url)
  expect((await client.ask('GET', '/indexes/a/stats')).json.numberOfDocuments).toBe(500)
  client.close()
  expect((await program.stop()).code).toBe(0)
})
