// The errors that failure answers of another instance become.
import { expect, test } from 'vitest'
import type { ApiError } from '../../errors/index.ts'
import { isRetryable, refused } from './remote-call.ts'

const fault = (status: number, body: object): ApiError =>
  refused(status, Buffer.from(JSON.stringify(body)), 'search')

test.each([
  [500, 'internal', 'broken'],
  [429, 'too_many', 'later'],
  [422, 'no_space_left_on_device', 'full'],
  [
    400,
    'invalid_search_filter',
    'Index `a`: The filter was stopped because the search took longer than 1500 ms.',
  ],
  [400, 'invalid_search_facets', 'Counting facets was stopped because it took longer than 9 ms.'],
])('%i %s is temporary: another instance is queried', (status, code, message) => {
  expect(isRetryable(fault(status, { code, message }))).toBe(true)
})

test.each([
  [400, 'invalid_search_filter', 'Attribute `n` is not filterable.'],
  [404, 'index_not_found', 'Index `a` not found.'],
])('%i %s is a fault of the request', (status, code, message) => {
  expect(fault(status, { code, message }).code).toBe('remote_bad_request')
})
