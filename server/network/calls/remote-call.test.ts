// The errors that failure answers of another instance become.
import { expect, test } from 'vitest'
import {
  EngineFault,
  type OutgoingAnswer,
  OutgoingFault,
  type OutgoingRequest,
} from '../../../engine/index.ts'
import { type ApiError, toApiError } from '../../errors/index.ts'
import { PROTOCOL } from './headers.ts'
import { callRemote, forInstance, isRetryable, refused, remoteCodeOf } from './remote-call.ts'

const fault = (status: number, body: object): ApiError =>
  refused(status, Buffer.from(JSON.stringify(body)), 'search')

test.each([
  [500, 'internal', 'broken'],
  [429, 'too_many', 'later'],
  [422, 'no_space_left_on_device', 'full'],
  [422, 'io_error', 'cannot sync'],
  [422, 'too_many_open_files', 'cannot open'],
  [408, 'invalid_search_filter', 'The filter was stopped.'],
])('%i %s is temporary: another instance is queried', (status, code, message) => {
  expect(isRetryable(fault(status, { code, message }))).toBe(true)
})

test.each([
  [400, 'invalid_search_filter', 'Attribute `n` is not filterable.'],
  [404, 'index_not_found', 'Index `a` not found.'],
])('%i %s is a fault of the request', (status, code, message) => {
  expect(fault(status, { code, message }).code).toBe('remote_bad_request')
})

test('another instance learns from the status that a search ran out of time, clients do not', () => {
  const slow = new EngineFault('invalid_search_filter', 'The filter was stopped.', {
    kind: 'timeUp',
  })
  const wrong = new EngineFault('invalid_search_filter', 'Attribute `n` is not filterable.')
  expect([slow, wrong].map((one) => toApiError(one).status)).toEqual([400, 400])
  expect([slow, wrong].map((one) => forInstance(toApiError(one)).status)).toEqual([408, 400])
})

test.each([
  [401, 'x', 'remote_invalid_api_key'],
  [403, 'x', 'remote_invalid_api_key'],
  [402, 'x', 'remote_bad_request'],
  [412, 'network_version_mismatch', 'network_version_mismatch'],
  [412, 'network_leader_mismatch', 'network_leader_mismatch'],
  [412, 'x', 'remote_bad_request'],
  [411, 'network_version_mismatch', 'remote_bad_request'],
  [499, 'x', 'remote_bad_request'],
  [500, 'network_version_mismatch', 'remote_remote_error'],
  [425, 'x', 'remote_remote_error'],
])('%i %s is the error %s', (status, remoteCode, code) => {
  const error = fault(status, { code: remoteCode })
  expect([error.code, remoteCodeOf(error)]).toEqual([code, remoteCode])
})

test.each<[string, string, string | null]>([
  ['no JSON', 'proxy', null],
  ['no object', 'null', null],
  ['no code', '{}', null],
  ['a number as its code', '{"code":1}', null],
  ['64 KiB', JSON.stringify({ code: 'x' }).padEnd(65_536), 'x'],
  ['more than 64 KiB', JSON.stringify({ code: 'x' }).padEnd(65_537), null],
])('a refusal with %s', (_, body, code) => {
  expect(remoteCodeOf(refused(400, Buffer.from(body), 'search'))).toBe(code)
  expect(remoteCodeOf(new EngineFault('internal', 'x'))).toBeNull()
})

const REQUEST = {
  method: 'POST',
  path: '/b?c=1',
  body: null,
  headers: { a: '1' },
  apiKey: null,
  times: { connectMs: 1, requestMs: 2 },
  action: 'search',
} as const

async function called(
  more: Partial<Parameters<typeof callRemote>[2]>,
  answer: () => Pick<OutgoingAnswer, 'status'>,
) {
  const sent: OutgoingRequest[] = []
  const send = async (request: OutgoingRequest): Promise<OutgoingAnswer> => {
    sent.push(request)
    return { body: Buffer.from('x'), ...answer() }
  }
  const body = await callRemote(send, { url: 'http://b:1/base?q' }, { ...REQUEST, ...more })
  return [sent[0]!, Buffer.from(body).toString()] as const
}

test('a call replaces the path of the address, and has time limits and one protocol', async () => {
  const [plain, body] = await called({}, () => ({ status: 200 }))
  const headers = { a: '1', [PROTOCOL]: '5' }
  expect(plain).toEqual({
    method: 'POST',
    url: 'http://b:1/b?c=1',
    headers,
    body: null,
    connectMs: 1,
    timeoutMs: 2,
    totalMs: 2,
    signal: null,
  })
  expect(body).toBe('x')
  const take = (): boolean => true
  const [keyed] = await called({ apiKey: 'k', answerBytesMax: 9, take }, () => ({ status: 299 }))
  expect(keyed.headers).toEqual({ ...headers, authorization: 'Bearer k' })
  expect(keyed).toMatchObject({ answerBytesMax: 9, take, isShared: true })
})

test.each<[string, () => { readonly status: number }, string]>([
  ['a status below 200', () => ({ status: 199 }), 'remote_bad_request'],
  ['a status from 300 on', () => ({ status: 300 }), 'remote_bad_request'],
  [
    'no connection',
    () => {
      throw new OutgoingFault('unreachable', 'gone')
    },
    'remote_could_not_send_request',
  ],
  [
    'no answer in time',
    () => {
      throw new OutgoingFault('unreachable', 'late', true)
    },
    'remote_timeout',
  ],
  [
    'no room for the answer',
    () => {
      throw new OutgoingFault('tooLarge', 'large')
    },
    'remote_bad_response',
  ],
])('%s is an error', async (_, answer, code) => {
  await expect(called({}, answer)).rejects.toMatchObject({ code })
})

test('faults of this program are not those of the other instance', async () => {
  const broken = (): never => {
    throw new TypeError('broken')
  }
  await expect(called({}, broken)).rejects.toThrow(TypeError)
})
