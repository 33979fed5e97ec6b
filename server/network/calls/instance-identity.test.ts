// Descriptions of instances, as they are sent and read.
import { expect, test } from 'vitest'
import type { Engine, OutgoingRequest, Remote } from '../../../engine/index.ts'
import { describedRemote, ownDescription } from './instance-identity.ts'

const DESCRIPTION = {
  id: 'i',
  process: 'p',
  self: 'a',
  leader: null,
  leaderId: null,
  term: 3,
  hasDocuments: true,
}
const remote: Remote = { url: 'http://b', searchApiKey: 'find', writeApiKey: 'write' }

const described = (answer: string, sent: OutgoingRequest[] = []) => {
  const send = async (request: OutgoingRequest) => {
    sent.push(request)
    return { status: 200, body: Buffer.from(answer) }
  }
  return describedRemote({ send, times: { connectMs: 1, requestMs: 1 } }, remote)
}

test('an instance describes itself', () => {
  const { id, process, self, leader, leaderId, term, hasDocuments } = DESCRIPTION
  const network = { get: () => ({ self, leader, leaderId, term, version: 'v' }) }
  const engine = { identity: { id, process }, network, topology: { hasDocuments } }
  expect(ownDescription(engine as unknown as Engine)).toEqual(DESCRIPTION)
})

test('its description is read with the key for writes; newer ones may say more', async () => {
  const sent: OutgoingRequest[] = []
  const known = await described(JSON.stringify({ ...DESCRIPTION, more: 1 }), sent)
  expect(known).toMatchObject(DESCRIPTION)
  expect(sent).toMatchObject([
    { url: 'http://b/network/identity', headers: { authorization: 'Bearer write' } },
  ])
})

test.each(['', 'null', '{}', JSON.stringify({ ...DESCRIPTION, term: -1 })])(
  '%j describes no instance',
  async (answer) => {
    expect(await described(answer)).toBeNull()
  },
)
