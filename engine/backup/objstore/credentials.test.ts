// Credentials: configured keys, and temporary ones in exchange for a token.
import { describe, expect, it } from 'vitest'
import { type CredentialSource, credentialsFrom } from './credentials.ts'
import { answer, sentBytes } from './test-bucket.ts'
import { type StoreAnswer, type StoreRequest, TransportFault } from './transport.ts'

const TOKEN = 'eyJ.token/with+odd=chars'
const { signal } = new AbortController()

const role = (more: Partial<Extract<CredentialSource, { kind: 'role' }>> = {}) =>
  ({
    kind: 'role',
    arn: 'arn:aws:iam::1:role/a b',
    readToken: async () => ` ${TOKEN}\n`,
    durationSeconds: 900,
    ...more,
  }) as const

const answerOf = (credentials: unknown): string =>
  JSON.stringify({
    AssumeRoleWithWebIdentityResponse: {
      AssumeRoleWithWebIdentityResult: { Credentials: credentials },
    },
  })
const KEYS = { AccessKeyId: 'AK', SecretAccessKey: 'SK', SessionToken: 'ST', Expiration: 1.7e9 }

/** The error of an exchange with this reply. */
async function failureOf(
  reply: (request: StoreRequest) => StoreAnswer,
): Promise<{ code: string; message: string }> {
  const exchanged = credentialsFrom(role(), async (request) => reply(request), signal)
  return exchanged.then(
    () => expect.fail('no error'),
    (error: { code: string; message: string }) => error,
  )
}

it('configured keys need no request', async () => {
  const source = { kind: 'keys', accessKey: 'a', secretKey: 's' } as const
  const transport = () => expect.fail('a request was sent')
  const credentials = await credentialsFrom(source, transport, signal)
  expect(credentials).toEqual({ accessKey: 'a', secretKey: 's', sessionToken: null })
})

describe('temporary keys', () => {
  it('are requested with the trimmed token and the role, as a form', async () => {
    const requests: StoreRequest[] = []
    const transport = async (request: StoreRequest): Promise<StoreAnswer> => {
      requests.push(request)
      return answer(200, answerOf(KEYS))
    }
    const credentials = await credentialsFrom(role(), transport, signal)
    expect(credentials).toEqual({ accessKey: 'AK', secretKey: 'SK', sessionToken: 'ST' })
    const { method, url, headers } = requests[0]!
    expect([method, url]).toEqual(['POST', 'https://sts.amazonaws.com/'])
    expect(headers).toMatchObject({ accept: 'application/json' })
    const form = Buffer.from(await sentBytes(requests[0]!)).toString()
    expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/a b',
      RoleSessionName: 'svc-snapshot-session',
      WebIdentityToken: TOKEN,
      DurationSeconds: '900',
    })
  })

  it.each([
    'null',
    '1',
    '[]',
    '{}',
    '{"AssumeRoleWithWebIdentityResponse":null}',
    '{"AssumeRoleWithWebIdentityResponse":{"AssumeRoleWithWebIdentityResult":{}}}',
    answerOf(null),
    answerOf([]),
    answerOf({ ...KEYS, AccessKeyId: 1 }),
    answerOf({ ...KEYS, SecretAccessKey: null }),
    answerOf({ ...KEYS, SessionToken: undefined }),
  ])('are refused without all members: %s', async (text) => {
    const { code, message } = await failureOf(() => answer(200, text))
    expect(code).toBe('internal')
    expect(message).toContain('it holds no credentials')
  })

  it('are refused in another format, without quoting it', async () => {
    for (const text of ['', `<Secret>${TOKEN}</Secret>`, `{"a":${TOKEN}`]) {
      const { message } = await failureOf(() => answer(200, text))
      expect(message).toBe('Failed to deserialize STS response: it is not JSON')
    }
  })

  it('fail with the beginning of the answer of the service; the token is a secret', async () => {
    const { message } = await failureOf(({ secrets }) => {
      expect(secrets).toEqual([TOKEN])
      return answer(400, `<Error>expired</Error>${'.'.repeat(1000)}`)
    })
    expect(message).toMatch(/^STS request failed with status 400: <Error>expired<\/Error>\.{400,}$/)
    expect(message.length).toBeLessThan(600)
  })

  it('fail without a connection or a token, with the reason', async () => {
    const { message } = await failureOf(() => {
      throw new TransportFault(true, 'ECONNREFUSED')
    })
    expect(message).toBe('Failed to send STS request: ECONNREFUSED')
    const readToken = () => Promise.reject(new Error('ENOENT'))
    const transport = () => expect.fail('a request was sent')
    const failed = credentialsFrom(role({ readToken }), transport, signal)
    await expect(failed).rejects.toThrow('Failed to read web identity token file: ENOENT')
  })
})
