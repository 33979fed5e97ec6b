// The errors that failure answers of another instance become.
import { expect, test } from 'vitest'
import { EngineFault } from '../../../engine/index.ts'
import { type ApiError, toApiError } from '../../errors/index.ts'
import { forInstance, isRetryable, refused } from './remote-call.ts'

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
