// Support for tests: a store in memory that lists, reads, writes under conditions and deletes.
import { createHash } from 'node:crypto'
import type { Bucket } from './bucket.ts'
import { answer, bucketOf, keyOf, queryOf, sentBytes } from './test-bucket.ts'
import type { StoreAnswer, StoreRequest } from './transport.ts'

const etagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`

export class MemoryObjects {
  readonly objects = new Map<string, Uint8Array>()
  /** Keys that lists do not show. */
  readonly hidden = new Set<string>()
  /** Whether it obeys conditions of writes. */
  obeys = true

  bucket(): Bucket {
    return bucketOf(this.transport)
  }

  set(key: string, text: string): void {
    this.objects.set(key, new TextEncoder().encode(text))
  }

  readonly transport = async (request: StoreRequest): Promise<StoreAnswer> => {
    const [key, { prefix = '' }] = [keyOf(request), queryOf(request)]
    const { method, headers } = request
    const found = this.objects.get(key)
    if (method === 'PUT') {
      const { 'if-match': match, 'if-none-match': none } = headers
      const isAsExpected =
        (none === undefined || found === undefined) &&
        (match === undefined || (found !== undefined && etagOf(found) === match))
      if (this.obeys && !isAsExpected) return answer(412)
      const bytes = await sentBytes(request)
      this.objects.set(key, bytes)
      return answer(200, '', { etag: etagOf(bytes) })
    }
    if (method === 'DELETE') return answer(this.objects.delete(key) ? 204 : 404)
    if (key === '') {
      const keys = [...this.objects.keys()].filter((one) => one.startsWith(prefix))
      const items = keys
        .filter((one) => !this.hidden.has(one))
        .map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`)
      return answer(200, `<ListBucketResult>${items.join('')}</ListBucketResult>`)
    }
    if (found === undefined) return answer(404)
    return answer(200, found, { etag: etagOf(found), 'content-length': String(found.length) })
  }
}
