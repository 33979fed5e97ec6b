// An instance that refuses tasks of the leader while the network changes: the change waits for it,
// and all writes wait for the change.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Body, TestNetwork } from './test-network.ts'

const OPEN_CHANGES = '/tasks?types=networkTopologyChange&statuses=enqueued,processing'

let network: TestNetwork
let door: Server

afterEach(async () => {
  door.close()
  door.closeAllConnections()
  await network.end()
})

/** Returns an address of `c` where requests that `isRefused` resolves for get an error. */
async function doorOf(isRefused: (request: IncomingMessage) => Promise<boolean>): Promise<string> {
  door = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (await isRefused(request)) {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"code":"bad_request"}')
      return
    }
    const { method = 'GET', url = '/' } = request
    const headers = new Headers(request.headers as Record<string, string>)
    for (const name of ['connection', 'content-length', 'host']) headers.delete(name)
    const sent = method === 'GET' ? {} : { body }
    const answer = await fetch(network.url('c') + url, { method, headers, ...sent })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`
}

const write = (method: string, path: string, body?: unknown): Promise<Body> =>
  network.ask('a', method, path, body)

async function added(id: number): Promise<void> {
  expect(await write('POST', '/indexes/x/documents', [{ id }])).toMatchObject({ http: 202 })
}

const joining = (url: string): object => ({
  remotes: { c: { url } },
  shards: { s1: { addRemotes: ['c'] } },
})

/** Waits until the task has ended. Returns its status. */
async function endOf({ taskUid }: Body): Promise<unknown> {
  let status: unknown
  await network.until(async () => {
    ;({ status } = await write('GET', `/tasks/${taskUid}`))
    return status !== 'enqueued' && status !== 'processing'
  })
  return status
}

test('a change that an instance refuses is canceled, and writes go on', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b'], { s1: ['a', 'b'] })
  await network.start('c')
  const url = await doorOf(async ({ method }) => method === 'PATCH')
  await added(1)
  const change = await write('PATCH', '/network', joining(url))
  await added(2)
  expect(await endOf(change)).toBe('canceled')
  await network.until(
    async () => (await write('GET', '/indexes/x/stats'))['numberOfDocuments'] === 2,
  )
}, 30_000)

test('a change is canceled if an instance refuses a task before it', async () => {
  network = new TestNetwork()
  await network.form(['a', 'b'], { s1: ['a', 'b'] })
  await network.start('c')
  let release = (): void => undefined
  const isReleased = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  let isHeld = false
  const url = await doorOf(async ({ method, url: path }) => {
    if (!isHeld || method !== 'POST' || path?.includes('/documents') !== true) return false
    isHeld = false
    return isReleased
  })
  expect(await endOf(await write('PATCH', '/network', joining(url)))).toBe('succeeded')
  // The next change is refused while a member has not ended this one.
  await network.settled()
  isHeld = true
  const adding = added(1)
  await network.until(() => !isHeld)
  const change = write('PATCH', '/network', { shards: { s2: { remotes: ['a', 'b'] } } })
  await network.until(async () => {
    const { total } = await write('GET', OPEN_CHANGES)
    return total === 1
  })
  release()
  await adding
  expect(await endOf(await change)).toBe('canceled')
  // It gets its shards again.
  await network.until(async () => {
    const { verdict } = await write('GET', '/network/replicas')
    return verdict === 'equal'
  })
  expect(await write('GET', '/indexes/x/documents/1')).toMatchObject({ http: 200 })
}, 60_000)
