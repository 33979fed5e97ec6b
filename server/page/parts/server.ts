// Sends requests to the server. The key is kept in this module's memory, and in the session storage
// of the tab if the user has chosen that; it is never stored longer than the tab is open.
import { readStored, writeStored } from './storage.ts'

/** An error answer of the server, or a request without an answer. */
export class ServerError extends Error {
  readonly status: number
  readonly code: string

  constructor(message: string, status: number, code: string) {
    super(message)
    this.status = status
    this.code = code
  }

  /** True if the request may succeed with another key. */
  get wantsKey(): boolean {
    return this.status === 401 || this.status === 403
  }
}

const KEY_NAME = 'svc-preview-key'

let key = ''

/** Sets the key; an empty text removes it. `isKept`: the key survives a reload of this tab. */
export function setKey(text: string, isKept: boolean): void {
  key = text.trim()
  writeStored(() => sessionStorage, KEY_NAME, isKept && key !== '' ? key : null)
}
/** Restores the key from the session storage of this tab. */
export function restoreKey(): void {
  key = readStored(() => sessionStorage, KEY_NAME) ?? ''
}
/** Returns the authorization header, or no header if there is no key. */
export const authorization = (): { readonly authorization?: string } =>
  key === '' ? {} : { authorization: `Bearer ${key}` }
export const hasKey = (): boolean => key !== ''

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * Sends a request and returns the JSON of the answer. @throws ServerError; AbortError when the signal
 * fires
 */
export async function ask<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const response = await reach(path, requestOf(method, body, signal))
  const text = await response.text()
  // A deletion of a key has an empty answer.
  if (response.ok) return (text === '' ? null : JSON.parse(text)) as T
  throw serverErrorOf(response.status, text)
}

/**
 * Sends a request and yields the data of the server-sent events of the answer as they arrive. The
 * server ends lines with LF and writes one `data` line per event, so nothing else is supported.
 * `opened` is called before the first event. @throws ServerError; AbortError when the signal fires
 */
export async function* openEvents(
  method: Method,
  path: string,
  body: unknown,
  signal: AbortSignal,
  opened: () => void = () => undefined,
): AsyncGenerator<string, void, undefined> {
  const response = await reach(path, requestOf(method, body, signal))
  if (!response.ok) throw serverErrorOf(response.status, await response.text())
  opened()
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  for (let incomplete = ''; ; ) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (incomplete + value).split('\n\n')
    incomplete = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('data: ')) yield block.slice('data: '.length)
    }
  }
}

/**
 * Sends any request and returns the response, also if it is an error. @throws ServerError; AbortError
 */
export const sendRaw = (
  method: string,
  target: string,
  body: { readonly type: string; readonly text: string } | null,
  signal: AbortSignal,
): Promise<Response> =>
  reach(target, {
    method,
    headers: { ...authorization(), ...(body === null ? {} : { 'content-type': body.type }) },
    ...(body === null ? {} : { body: body.text }),
    signal,
    cache: 'no-store',
    credentials: 'omit',
  })

const requestOf = (
  method: Method,
  body: unknown,
  signal: AbortSignal | undefined,
): RequestInit => ({
  method,
  headers: {
    ...authorization(),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  ...(signal === undefined ? {} : { signal }),
  cache: 'no-store',
  credentials: 'omit',
})

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(targetOf(path), init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    // `fetch` throws before it sends anything if the key has characters that a header cannot
    // contain.
    throw key !== '' && !/^[\x20-\x7e]*$/.test(key)
      ? new ServerError('This key has characters that a key cannot have.', 401, 'invalid_api_key')
      : new ServerError('The server does not answer. Is it still running?', 0, 'unreachable')
  }
}

export function serverErrorOf(status: number, text: string): ServerError {
  try {
    const { message, code } = JSON.parse(text) as { message?: string; code?: string }
    return new ServerError(message ?? text, status, code ?? '')
  } catch (error) {
    // A proxy may send an error that is not JSON.
    if (!(error instanceof SyntaxError)) throw error
    return new ServerError(`The answer was ${status} without an error message.`, status, '')
  }
}

/**
 * Returns the address of a path of the API, relative to the page, because a proxy may serve the
 * server below a path of its own.
 */
export const targetOf = (path: string): string => `.${path}`

/** Returns the address of the server without a slash at its end, as commands need it. */
export const serverUrl = (): string => new URL('.', location.href).href.slice(0, -1)

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

export const indexPath = (uid: string, subPath = ''): string =>
  `/indexes/${encodeURIComponent(uid)}${subPath}`
