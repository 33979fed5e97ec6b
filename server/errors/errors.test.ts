// The catalogue, the body of an error, and the translation of every failure.

import { describe, expect, test } from 'vitest'
import { EngineFault, StorageError } from '../../engine/model/index.ts'
import { CorruptionError, InvariantError, VersionError } from '../../format/errors.ts'
import { ERROR_DOCS_BASE } from './api-error.ts'
import { ApiError, CATALOGUE, errorBody, toApiError } from './index.ts'

describe('the catalogue', () => {
  test('is in order, with sensible statuses', () => {
    const codes = Object.keys(CATALOGUE)
    expect(codes).toEqual([...codes].sort())
    for (const [code, { status, type }] of Object.entries(CATALOGUE)) {
      expect(code).toMatch(/^[a-z0-9_]+$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      if (type === 'invalid_request') expect([500, 502]).not.toContain(status)
      if (code.startsWith('invalid_settings_')) expect(status).toBe(400)
    }
  })

  test.each([
    ['index_not_found', 404, 'invalid_request'],
    ['payload_too_large', 413, 'invalid_request'],
    ['missing_content_type', 415, 'invalid_request'],
    ['invalid_api_key', 403, 'auth'],
    ['missing_master_key', 401, 'auth'],
    ['index_already_exists', 409, 'invalid_request'],
    ['io_error', 422, 'system'],
    ['no_space_left_on_device', 422, 'system'],
    ['too_many_search_requests', 503, 'system'],
    ['internal', 500, 'internal'],
    ['not_a_leader', 400, 'invalid_request'],
    ['bad_request', 400, 'invalid_request'],
  ] as const)('%s', (code, status, type) => {
    expect(CATALOGUE[code]).toEqual({ status, type })
  })
})

describe('an error', () => {
  test('has a body in the documented order', () => {
    const error = new ApiError('index_not_found', 'Index `a` not found.')
    expect(JSON.stringify(error.toBody())).toBe(
      '{"message":"Index `a` not found.","code":"index_not_found","type":"invalid_request",' +
        `"link":"${ERROR_DOCS_BASE}index_not_found"}`,
    )
    expect(error.status).toBe(404)
    expect(new ApiError('index_not_found', '', 400).status).toBe(400)
  })

  test('of an unknown code still has a body', () => {
    expect(errorBody('toString', 'x').type).toBe('internal')
    expect(errorBody('bad_request', 'x').type).toBe('invalid_request')
  })
})

describe('a failure becomes', () => {
  test('the same error, if it is an ApiError', () => {
    const error = new ApiError('bad_request', 'x')
    expect(toApiError(error)).toBe(error)
  })

  test('the code and message of a fault', () => {
    const fault = new EngineFault('document_not_found', 'Document `1` not found.')
    expect(toApiError(fault)).toMatchObject({
      code: 'document_not_found',
      message: 'Document `1` not found.',
      status: 404,
      cause: fault,
    })
  })

  test.each([
    ['no_space', 'no_space_left_on_device', /no more space left on the device/],
    ['too_many_open_files', 'too_many_open_files', /^EMFILE$/],
    ['io', 'io_error', /^EMFILE\. This error generally happens when you have no space left/],
    ['permission', 'io_error', /read or write right\.$/],
    ['missing', 'io_error', /read or write right\.$/],
    ['locked', 'io_error', /read or write right\.$/],
    ['exists', 'io_error', /read or write right\.$/],
    ['short_file', 'io_error', /read or write right\.$/],
    ['corrupt', 'invalid_store_file', /^The database file is in an invalid state\.$/],
    ['version', 'invalid_store_file', /^The database file is in an invalid state\.$/],
  ] as const)('for storage: %s', (code, ours, sentence) => {
    const error = toApiError(new StorageError(code, 'segments/1.docs', 'EMFILE'))
    expect(error.code).toBe(ours)
    expect(error.message).toMatch(sentence)
    const stopped = toApiError(new StorageError(code, 'segments/1.docs', 'EMFILE.'))
    expect(stopped.message).not.toContain('..')
  })

  test('an invalid store file, if the database is corrupt', () => {
    const at = { section: 's', offset: 0 }
    expect(toApiError(new CorruptionError('bad_magic', at, 1, 2)).code).toBe('invalid_store_file')
    expect(toApiError(new VersionError('s', 9, 1, 2)).code).toBe('invalid_store_file')
  })

  test.each([new InvariantError('x holds'), new TypeError('secret'), 'text', undefined])(
    'an internal error without details: %s',
    (failure) => {
      const error = toApiError(failure)
      expect(error).toMatchObject({ code: 'internal', status: 500, cause: failure })
      expect(error.message).toBe('An internal error has occurred.')
    },
  )
})

describe('a message that quotes megabytes', () => {
  const quoting = (bytes: string): string => `Begin ${bytes} end.`

  test.each([
    ['an error of the server', (text: string) => new ApiError('bad_request', text).toBody()],
    [
      'a fault of the engine',
      (text: string) => toApiError(new EngineFault('bad_request', text)).toBody(),
    ],
  ])('%s: keeps its beginning and its end', (_what, bodyOf) => {
    const { message } = bodyOf(quoting('\u{1f600}'.repeat(500_000)))
    expect(message.length).toBeLessThanOrEqual(40_000)
    expect(message).toMatch(/^Begin .*…(\u{1f600})+ end\.$/su)
    expect(Buffer.from(message).toString()).toBe(message)
    const usual = quoting('x'.repeat(30_000))
    expect(bodyOf(usual).message).toBe(usual)
  })
})
