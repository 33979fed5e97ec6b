// Asking the server. The key lives in this module's memory, as long as the page is open.

/** What the server, or the way to it, has refused. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(message: string, status: number, code: string) {
    super(message)
    this.status = status
    this.code = code
  }

  /** Whether another key could help. */
  get wantsKey(): boolean {
    return this.status === 401 || this.status === 403
  }
}

let key = ''

export const setKey = (text: string): void => {
  key = text.trim()
}
export const hasKey = (): boolean => key !== ''

/** The answer's JSON. @throws Refusal; AbortError when the signal fires */
export async function ask<T>(
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const response = await reach(path, requestOf(method, body, signal))
  const text = await response.text()
  if (response.ok) return JSON.parse(text) as T
  throw refusalOf(response.status, text)
}

/** The answer as text, piece by piece. @throws Refusal; AbortError when the signal fires */
export async function* openStream(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const response = await reach(path, requestOf('POST', body, signal))
  if (!response.ok) throw refusalOf(response.status, await response.text())
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

const requestOf = (
  method: 'GET' | 'POST',
  body: unknown,
  signal: AbortSignal | undefined,
): RequestInit => ({
  method,
  headers: {
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  ...(signal === undefined ? {} : { signal }),
  cache: 'no-store',
  credentials: 'omit',
})

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    // A header that cannot be sent is the key's fault; anything else lies between here and there.
    throw key !== '' && !/^[\x20-\x7e]*$/.test(key)
      ? new Refusal('This key has characters that no key has.', 401, 'invalid_api_key')
      : new Refusal('The server does not answer. Is it still running?', 0, 'unreachable')
  }
}

function refusalOf(status: number, text: string): Refusal {
  try {
    const { message, code } = JSON.parse(text) as { message?: string; code?: string }
    return new Refusal(message ?? text, status, code ?? '')
  } catch (error) {
    // Whoever stands between may answer with something else than JSON.
    if (!(error instanceof SyntaxError)) throw error
    return new Refusal(`The answer was ${status} without an explanation.`, status, '')
  }
}

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

export const indexPath = (uid: string, rest = ''): string =>
  `/indexes/${encodeURIComponent(uid)}${rest}`
