// Support for tests of the object store: buckets whose store is a function.
import { Bucket } from './bucket.ts'
import type { BucketOptions } from './bucket-requests.ts'
import type { StoreAnswer, StoreRequest } from './transport.ts'

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** An answer of a store with a text or bytes. */
export const answer = (
  status: number,
  body: string | Uint8Array = '',
  headers: StoreAnswer['headers'] = {},
): StoreAnswer => ({
  status,
  headers,
  body: once(typeof body === 'string' ? new TextEncoder().encode(body) : body),
})

/** The time of the clock of `bucketOf`. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Returns a bucket whose store is a function. It pauses 1 ms between attempts. */
export const bucketOf = (
  reply: (request: StoreRequest) => StoreAnswer | Promise<StoreAnswer>,
  more: Partial<BucketOptions> = {},
): Bucket =>
  new Bucket({
    transport: async (request) => reply(request),
    url: 'https://store.test/',
    region: 'r',
    name: 'b',
    credentials: { accessKey: 'AK', secretKey: 'SK', sessionToken: 'ST' },
    signatureSeconds: 60,
    signal: new AbortController().signal,
    now: () => NOW,
    retryPauseMs: 1,
    ...more,
  })

/** The key of a request to a bucket of `bucketOf`. */
export const keyOf = ({ url }: StoreRequest): string =>
  decodeURIComponent(new URL(url).pathname.slice('/b/'.length))

/** The parameters of a request without those of its signature. */
export const queryOf = ({ url }: StoreRequest): { readonly [name: string]: string } =>
  Object.fromEntries([...new URL(url).searchParams].filter(([name]) => !/^X-Amz-/.test(name)))

/** Reads the body of a request. */
export async function sentBytes({ body }: StoreRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body?.open() ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}
