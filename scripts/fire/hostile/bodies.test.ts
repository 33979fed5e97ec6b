// Bodies that are broken, packed wrongly, too large, or cut off.
import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { endOfTask } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import { attackWithBodies, PROTOTYPES } from './bodies.ts'

const SIZES = { ndjsonBytes: 4.5 * MiB, fields: 70_000, bombBytes: 16 * MiB, depth: 100_000 }

it('are refused or accepted as expected, in bounded memory', { timeout: 120_000 }, async () => {
  const { problems, bytesBefore, bytesPeak } = await attackWithBodies(SIZES, 5 * MiB)
  expect([...problems].filter(([, problem]) => problem !== '')).toEqual([])
  expect(problems.size).toBeGreaterThan(40)
  expect(bytesPeak - bytesBefore).toBeLessThan(500 * MiB)
})

it('keeps odd members unchanged, and the last of two equal ones', async () => {
  const root = newFolder()
  const instance = new Instance({ name: 'odd', root })
  await instance.start()
  for (const body of [PROTOTYPES, '[{"id":"twice","a":1,"b":0,"a":2}]']) {
    const added = await instance.ask('POST', '/indexes/odd/documents', { body })
    expect((await endOfTask(instance, added.json.taskUid)).status).toBe('succeeded')
  }
  const twice = await instance.ask('GET', '/indexes/odd/documents/twice')
  expect(twice.json).toEqual({ id: 'twice', a: 2, b: 0 })
  const proto = await instance.ask('GET', '/indexes/odd/documents/proto')
  expect(`[${proto.text}]`).toBe(PROTOTYPES)
  const found = await instance.ask('POST', '/indexes/odd/search', { body: { q: '', limit: 2 } })
  expect(found.text).toContain('"__proto__":{"polluted":true}')
  await instance.stop()
  rmSync(root, { recursive: true })
})
