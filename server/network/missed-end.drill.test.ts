// A change of the network that has ended while an instance was down: when the instance is back, it
// learns the outcome from the leader.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Body, TestNetwork } from './test-network.ts'

const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }
const IDS = Array.from({ length: 40 }, (_, id) => id)

let network: TestNetwork
/** Accepts connections and never answers. */
let silent: Server

beforeEach(async () => {
  network = new TestNetwork({
    EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1',
    EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '1',
  })
  silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  await network.form(['a', 'b', 'c'], SHARDS)
  const documents = IDS.map((id) => ({ id }))
  await network.ask('a', 'POST', '/indexes/films/documents', documents)
  await network.settled()
})

afterEach(async () => {
  await network.end()
  silent.close()
  silent.closeAllConnections()
})

/** Requests a change and stops c after it has accepted the change. */
async function changeWithout(body: object): Promise<number> {
  const { port } = silent.address() as AddressInfo
  // This task delays everything else that c does.
  await network.ask('c', 'POST', '/export', { url: `http://127.0.0.1:${port}` })
  const change = await network.ask('a', 'PATCH', '/network', body)
  expect(change).toMatchObject({ http: 202 })
  await network.until(async () => (await changesOf('c')).length === 2)
  await network.ask('c', 'POST', '/tasks/cancel?types=export')
  await network.stop('c')
  return change['taskUid'] as number
}

const changesOf = async (name: string): Promise<readonly Body[]> => {
  const list = await network.ask(name, 'GET', '/tasks?types=networkTopologyChange')
  return list['results'] as readonly Body[]
}

const ended = (name: string): Promise<void> =>
  network.until(async () => (await changesOf(name)).every(({ finishedAt }) => finishedAt !== null))

test('cancels the change that was canceled meanwhile', async () => {
  const uid = await changeWithout({ shards: { s4: { remotes: ['a', 'c'] } } })
  await network.ask('a', 'POST', `/tasks/cancel?uids=${uid}`)
  await ended('a')
  expect((await changesOf('a'))[0]).toMatchObject({ status: 'canceled' })
  // After its restart the leader repeats no message about the cancelation.
  await network.stop('a')
  await network.start('a')
  await network.start('c')
  await ended('c')
  expect((await changesOf('c'))[0]).toMatchObject({ status: 'canceled' })
  expect(await network.ask('a', 'PATCH', '/network', {})).toMatchObject({ http: 202 })
  await network.settled()
  expect(await network.ask('a', 'GET', '/network/replicas')).toMatchObject({ verdict: 'equal' })
}, 60_000)

test('deletes the documents of an instance that was removed meanwhile', async () => {
  await changeWithout({ remotes: { c: null } })
  await ended('a')
  expect((await changesOf('a'))[0]).toMatchObject({ status: 'succeeded' })
  await network.start('c')
  await ended('c')
  expect((await changesOf('c'))[0]).toMatchObject({ status: 'succeeded' })
  expect(await network.content('c')).toMatchObject({ films: { documents: [] } })
}, 120_000)
