// Ten thousand neighbours beyond 2^53 on other instances, against BigInt: a follower of an object
// store, a restored snapshot, an export to another server, and a network of three.
import { afterEach, expect, it } from 'vitest'
import { restoreArchive } from '../../engine/backup/snapshot/index.ts'
import { FakeDisk, fileBytes } from '../../engine/store/storage/index.ts'
import { enqueue, openTestEngine } from '../../engine/testing/test-engine.ts'
import {
  ASKED,
  type Ask,
  askOf,
  COUNT,
  eventLines,
  expectExact,
  fillEvents,
  SETTINGS,
} from '../../engine/testing/test-exact-numbers.ts'
import { followOptions, openReader, openWriter, pause, storeOf } from './test-followers.ts'
import { startServer, type TestServer } from './test-server.ts'

const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

async function opened(): Promise<TestServer> {
  const server = await startServer()
  servers.push(server)
  return server
}

const askServer =
  ({ url }: TestServer, more: object = {}): Ask =>
  async (request) => {
    const answer = await fetch(`${url}/indexes/events/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ASKED, ...request, ...more }),
    })
    return answer.text()
  }

async function fill(server: TestServer) {
  await server.ask('PATCH', '/indexes/events/settings', SETTINGS)
  const { model, halves, updates } = eventLines()
  const send = async (method: string, lines: readonly string[]): Promise<void> => {
    const path = `${server.url}/indexes/events/documents?primaryKey=id`
    const headers = { 'content-type': 'application/x-ndjson' }
    const { status } = await fetch(path, { method, headers, body: lines.join('') })
    expect(status).toBe(202)
  }
  for (const half of halves) await send('POST', half)
  await send('PUT', updates)
  return model
}

/** Waits until the servers together have `total` documents and no tasks. */
async function settle(all: readonly TestServer[], total: number): Promise<void> {
  for (;;) {
    let sum = 0
    let waiting = 0
    for (const server of all) {
      await server.idle()
      const tasks = (await server.ask('GET', '/tasks?statuses=enqueued,processing')).body
      waiting += (tasks as { total: number }).total
      const { body } = await server.ask('GET', '/indexes/events/stats')
      sum += (body as { numberOfDocuments?: number }).numberOfDocuments ?? 0
    }
    if (sum === total && waiting === 0) return
    await pause(50)
  }
}

it('a follower, and a snapshot', async () => {
  const { options } = await storeOf()
  const disk = new FakeDisk()
  const writer = await openWriter(disk, options)
  const model = await fillEvents(writer)
  const reader = await openReader(new FakeDisk().mount(), options, {
    follow: followOptions(options),
  })
  const ask = askOf(reader)
  while (!(await ask({ filter: 'id > 0', limit: 0 }).catch(() => '')).includes(`Hits":${COUNT}`)) {
    await pause(50)
  }
  await expectExact(ask, model)
  await reader.close()
  await writer.close()

  const archive = new FakeDisk()
  const snapshots = { folder: 's', name: 'db', compact: true, outside: () => archive.mount() }
  const again = await openTestEngine(disk.mount(), { snapshots })
  await enqueue(again, null, { kind: 'snapshotCreation' })
  await again.idle()
  await again.close()
  const copy = new FakeDisk()
  const progress = (): void => undefined
  await restoreArchive(fileBytes(archive.mount(), 'db.snapshot', 1000), copy.mount(), { progress })
  const restored = await openTestEngine(copy.mount())
  await expectExact(askOf(restored), model)
  await restored.close()
}, 600_000)

it('an export to another server', async () => {
  const [from, to] = [await opened(), await opened()]
  const model = await fill(from)
  await settle([from], COUNT)
  await from.ask('POST', '/export', { url: to.url })
  await settle([from, to], 2 * COUNT)
  await expectExact(askServer(to), model)
}, 600_000)

it('a network', async () => {
  const names = ['a', 'b', 'c']
  const all = [await opened(), await opened(), await opened()]
  for (const server of all) await server.ask('PATCH', '/experimental-features', { network: true })
  const remotes = Object.fromEntries(names.map((name, i) => [name, { url: all[i]!.url }]))
  const shards = Object.fromEntries(names.map((name) => [`s${name}`, { remotes: [name] }]))
  await all[0]!.ask('PATCH', '/network', { self: 'a', leader: 'a', remotes, shards })
  const model = await fill(all[0]!)
  await settle(all, COUNT)
  for (const server of all) await expectExact(askServer(server, { useNetwork: true }), model)
}, 600_000)
