// The credentials of requests: configured keys, or temporary keys in exchange for a token that the
// environment writes to a file.
import { encoder } from '../../../format/bytes/index.ts'
import { EngineFault } from '../../model/index.ts'
import { bodyOf, type Transport, TransportFault } from './transport.ts'
import { readAll } from './xml.ts'

export type Credentials = {
  readonly accessKey: string
  readonly secretKey: string
  /** Part of temporary keys. */
  readonly sessionToken: string | null
}

export type CredentialSource =
  | { readonly kind: 'keys'; readonly accessKey: string; readonly secretKey: string }
  | {
      readonly kind: 'role'
      readonly arn: string
      /** Reads the current text of the token file. */
      readonly readToken: () => Promise<string>
      readonly durationSeconds: number
      /** Replaces the default endpoint, for tests. */
      readonly endpoint?: string
    }

const ENDPOINT = 'https://sts.amazonaws.com/'
const SESSION_NAME = 'svc-snapshot-session'
/** Characters of an answer that a message quotes. */
const SHOWN_MAX = 500

/** Requested for every snapshot, without repetition. @throws EngineFault `internal` */
export async function credentialsFrom(
  source: CredentialSource,
  transport: Transport,
  signal: AbortSignal,
): Promise<Credentials> {
  if (source.kind === 'keys') {
    const { accessKey, secretKey } = source
    return { accessKey, secretKey, sessionToken: null }
  }
  const token = await readToken(source.readToken)
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: source.arn,
    RoleSessionName: SESSION_NAME,
    WebIdentityToken: token,
    DurationSeconds: String(source.durationSeconds),
  })
  const endpoint = source.endpoint ?? ENDPOINT
  const text = await ask(transport, endpoint, form.toString(), token, signal)
  return parsed(text)
}

async function readToken(read: () => Promise<string>): Promise<string> {
  try {
    return (await read()).trim()
  } catch (error) {
    throw failed(`Failed to read web identity token file: ${(error as Error).message}`)
  }
}

async function ask(
  transport: Transport,
  url: string,
  form: string,
  token: string,
  signal: AbortSignal,
): Promise<string> {
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = bodyOf(encoder.encode(form))
  try {
    const secrets = [token]
    const answer = await transport({ method: 'POST', url, headers, body, secrets, signal })
    const text = await readAll(answer.body)
    if (answer.status >= 200 && answer.status < 300) return text
    const shown = text.slice(0, SHOWN_MAX)
    throw failed(`STS request failed with status ${answer.status}: ${shown}`)
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
    throw failed(`Failed to send STS request: ${error.message}`)
  }
}

type Answered = {
  readonly AssumeRoleWithWebIdentityResponse?: {
    readonly AssumeRoleWithWebIdentityResult?: {
      readonly Credentials?: { readonly [member: string]: unknown }
    }
  }
}

function parsed(text: string): Credentials {
  let answer: Answered | null
  try {
    answer = JSON.parse(text) as Answered | null
  } catch (error) {
    // Not JSON. The message of the parser may quote a secret.
    if (!(error instanceof SyntaxError)) throw error
    throw failed('Failed to deserialize STS response: it is not JSON')
  }
  const result = answer?.AssumeRoleWithWebIdentityResponse?.AssumeRoleWithWebIdentityResult
  const { AccessKeyId, SecretAccessKey, SessionToken } = result?.Credentials ?? {}
  if (
    typeof AccessKeyId !== 'string' ||
    typeof SecretAccessKey !== 'string' ||
    typeof SessionToken !== 'string'
  ) {
    throw failed('Failed to deserialize STS response: it holds no credentials')
  }
  return { accessKey: AccessKeyId, secretKey: SecretAccessKey, sessionToken: SessionToken }
}

const failed = (message: string): EngineFault => new EngineFault('internal', message)
