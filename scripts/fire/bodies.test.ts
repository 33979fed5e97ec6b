// Hostile bodies of a moderate size; the long version is `node scripts/run.mjs fire bodies`.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { clientOf, endOfTask } from './ask.ts'
import { attack } from './attack.ts'
import { PROTOTYPES } from './bodies.ts'
import { startProgram } from './program.ts'

const SIZES = { ndjsonBytes: 4.5 * MiB, fields: 70_000, bombBytes: 60 * MiB, depth: 100_000 }

it('are refused or accepted as expected, in bounded memory', { timeout: 120_000 }, async () => {
  const { reports, bytesBefore, bytesPeak } = await attack(SIZES, 5 * MiB)
  expect(reports.filter(({ problem }) => problem !== '')).toEqual([])
  expect(reports.length).toBeGreaterThan(40)
  expect(bytesPeak - bytesBefore).toBeLessThan(500 * MiB)
})

it('keeps odd members unchanged, and the last of two equal ones', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const program = startProgram({ db: join(root, 'data.ms') })
  const client = clientOf(await program.url)
  for (const body of [PROTOTYPES, '[{"id":"twice","a":1,"b":0,"a":2}]']) {
    const added = await client.ask('POST', '/indexes/odd/documents', { body })
    expect((await endOfTask(client, added.json.taskUid)).status).toBe('succeeded')
  }
  const twice = await client.ask('GET', '/indexes/odd/documents/twice')
  expect(twice.json).toEqual({ id: 'twice', a: 2, b: 0 })
  const proto = await client.ask('GET', '/indexes/odd/documents/proto')
  expect(`[${proto.text}]`).toBe(PROTOTYPES)
  const found = await client.ask('POST', '/indexes/odd/search', { body: { q: '', limit: 2 } })
  expect(found.text).toContain('"__proto__":{"polluted":true}')
  client.close()
  expect((await program.stop()).code).toBe(0)
  rmSync(root, { recursive: true })
})
