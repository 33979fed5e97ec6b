// Calls that are repeated until another instance accepts or refuses them.
import { expect, test } from 'vitest'
import { OutgoingFault, type Remote, type TopologyChange } from '../../../engine/index.ts'
import { type CallParts, callUntilAccepted, sendMessage } from './accepted-calls.ts'

const REMOTE: Remote = { url: 'http://b', searchApiKey: null, writeApiKey: null }
const REQUEST = { method: 'GET', path: '/', body: null, headers: {} } as const

type Reply = { readonly status: number; readonly code?: string } | 'down'

/** Calls an instance that gives these replies, the last one again and again. */
const called = (...replies: readonly Reply[]) =>
  calledBy((parts) => callUntilAccepted(parts, REMOTE, REQUEST), replies)

function calledBy(call: (parts: CallParts) => Promise<unknown>, replies: readonly Reply[]) {
  const abort = new AbortController()
  const state = { calls: 0 }
  const send = async () => {
    const reply = replies[Math.min(state.calls++, replies.length - 1)]!
    if (reply === 'down') throw new OutgoingFault('unreachable', 'down')
    const body = Buffer.from(reply.code === undefined ? 'done' : JSON.stringify(reply))
    return { status: reply.status, headers: {}, body } as never
  }
  const parts = {
    send,
    times: { connectMs: 1000, requestMs: 1000 },
    signal: abort.signal,
    report: () => undefined,
  }
  const result = call(parts).then(
    (bytes) => Buffer.from(bytes as Uint8Array).toString(),
    (error: { readonly code: string }) => error.code,
  )
  return { result, state, abort }
}

test('repeats a call while its failure may pass', async () => {
  const { result, state } = called('down', { status: 503, code: 'busy' }, { status: 200 })
  expect([await result, state.calls]).toEqual(['done', 3])
})

test.each(['io_error', 'no_space_left_on_device', 'too_many_open_files'])(
  'repeats a message of a change to an instance that answers %s',
  async (code) => {
    const change = { origin: { remoteName: 'a' } } as TopologyChange
    const message = { type: 'importFinishedForRemote' }
    const send = (parts: CallParts): Promise<unknown> => sendMessage(parts, change, REMOTE, message)
    const { result, state } = calledBy(send, [{ status: 422, code }, { status: 200 }])
    expect([await result, state.calls]).toEqual(['done', 2])
  },
)

test('ends with a refusal, and with a task that has arrived before', async () => {
  const refused = called({ status: 400, code: 'invalid_index_uid' })
  expect([await refused.result, refused.state.calls]).toEqual(['remote_bad_request', 1])
  const known = called('down', { status: 412, code: 'import_task_already_received' })
  expect([await known.result, known.state.calls]).toEqual(['', 2])
})

test('ends its pause when it is aborted', async () => {
  const { result, state, abort } = called('down')
  await new Promise((resolve) => setTimeout(resolve, 20))
  const began = state.calls
  abort.abort()
  expect(await result).toBe('remote_could_not_send_request')
  expect(state.calls).toBeLessThanOrEqual(began + 1)
})
