// Requests to a bucket: signatures, repetitions on a stepping clock, broken downloads, pages of
// lists, multipart requests.
import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Canceled } from '../../model/index.ts'
import { RETRY_PAUSE_GROWTH, RETRY_PAUSE_MS_MAX } from './limits.ts'
import { answer, bucketOf, keyOf, NOW, queryOf, sentBytes } from './test-bucket.ts'
import { bodyOf, type StoreAnswer, type StoreRequest, TransportFault } from './transport.ts'

const lost = (): never => {
  throw new TransportFault(true, 'ECONNRESET')
}

describe('a signature', () => {
  const sign = async (more: Parameters<typeof bucketOf>[1], key: string): Promise<string> => {
    let signed = ''
    const bucket = bucketOf(({ url }) => {
      signed = url
      return answer(200)
    }, more)
    for await (const _ of bucket.get(key));
    return signed
  }

  it('is that of the published example for a signed query string', async () => {
    const url = await sign(
      {
        url: 'https://examplebucket.s3.amazonaws.com',
        name: 'test.txt',
        region: 'us-east-1',
        credentials: {
          accessKey: 'AKIAIOSFODNN7EXAMPLE',
          secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
          sessionToken: null,
        },
        signatureSeconds: 86_400,
        now: () => Date.UTC(2013, 4, 24),
      },
      '',
    )
    expect(new URL(url).searchParams.get('X-Amz-Signature')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })

  const hmac = (key: string | Buffer, text: string): Buffer =>
    createHmac('sha256', key).update(text).digest()
  const encoded = (text: string): string =>
    [...new TextEncoder().encode(text)]
      .map((byte) => String.fromCharCode(byte))
      .map((char) =>
        /[A-Za-z0-9._~-]/.test(char)
          ? char
          : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      )
      .join('')

  it('is that of the definition, for keys and session tokens with any characters', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    // A URL has no empty, `.` and `..` segments.
    const segment = text.filter((part) => !part.includes('/') && !/^\.{1,2}$/.test(part))
    const key = fc.array(segment, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(key, text, async (segments, sessionToken) => {
        const credentials = { accessKey: 'AK', secretKey: 'SK', sessionToken }
        const url = await sign({ credentials }, segments.join('/'))
        const path = `/b/${segments.map(encoded).join('/')}`
        expect(url.startsWith(`https://store.test${path}?`)).toBe(true)
        const query = [
          'X-Amz-Algorithm=AWS4-HMAC-SHA256',
          `X-Amz-Credential=${encoded('AK/20260102/r/s3/aws4_request')}`,
          'X-Amz-Date=20260102T030405Z',
          'X-Amz-Expires=60',
          `X-Amz-Security-Token=${encoded(sessionToken)}`,
          'X-Amz-SignedHeaders=host',
        ].join('&')
        const canonical = `GET\n${path}\n${query}\nhost:store.test\n\nhost\nUNSIGNED-PAYLOAD`
        const digest = createHash('sha256').update(canonical).digest('hex')
        const scope = '20260102/r/s3/aws4_request'
        const dated = hmac(hmac(hmac(hmac('AWS4SK', '20260102'), 'r'), 's3'), 'aws4_request')
        const toSign = `AWS4-HMAC-SHA256\n20260102T030405Z\n${scope}\n${digest}`
        const signature = new URL(url).searchParams.get('X-Amz-Signature')
        expect(signature).toBe(hmac(dated, toSign).toString('hex'))
      }),
      { numRuns: 20 },
    )
  })
})

describe('an attempt', () => {
  /** Number of attempts when each gets `reply` and there is time for three. */
  async function attempts(reply: () => StoreAnswer): Promise<number> {
    let count = 0
    const bucket = bucketOf(() => (++count < 3 ? reply() : answer(200)))
    await bucket.put('k', bodyOf(new Uint8Array(1))).catch(() => undefined)
    return count
  }

  it.each([
    [1, [200, 201, 204, 206, 400, 401, 403, 404, 409, 412, 416, 501]],
    [3, [429, 500, 502, 503, 504, 507]],
  ])('is made %i times after the statuses %j', async (expected, statuses) => {
    for (const status of statuses) {
      expect([status, await attempts(() => answer(status))]).toEqual([status, expected])
    }
  })

  it('is repeated after a fault of the connection that may pass, and after no other', async () => {
    expect(await attempts(lost)).toBe(3)
    const final = new TransportFault(false, 'the address is not allowed')
    expect(
      await attempts(() => {
        throw final
      }),
    ).toBe(1)
    const bug = new TypeError('a mistake of the transport')
    const bucket = bucketOf(() => {
      throw bug
    })
    await expect(bucket.size('k')).rejects.toBe(bug)
  })

  it('is the last one when the next would begin after the time limit', async () => {
    const times = fc.record({
      step: fc.integer({ min: 100, max: 400 }),
      limit: fc.integer({ min: 0, max: 1000 }),
    })
    await fc.assert(
      fc.asyncProperty(times, async ({ step, limit }) => {
        let time = 0
        let count = 0
        const now = (): number => time
        const bucket = bucketOf(
          () => {
            count++
            time += step
            return answer(503, '<Error/>')
          },
          { now, retryMsMax: limit, retryPauseMs: 0.01 },
        )
        await expect(bucket.put('k', bodyOf(new Uint8Array(1)))).rejects.toMatchObject({
          code: 's_3_snapshot_server_error',
          message: expect.stringContaining('status: 503'),
        })
        // The decision is made before an attempt, from the clock and the next pause.
        let expected = 1
        let pause = 0.01
        while ((expected - 1) * step + pause <= limit) {
          expected++
          pause = Math.min(pause * RETRY_PAUSE_GROWTH, RETRY_PAUSE_MS_MAX)
        }
        expect(count).toBe(expected)
      }),
      // Pauses are real: few attempts at a time.
      { numRuns: 12, examples: [[{ step: 100, limit: 0 }]] },
    )
  })

  it('has a new body and a new signature each time', async () => {
    const urls = new Set<string>()
    const bodies: string[] = []
    let time = NOW
    const bucket = bucketOf(
      async (request) => {
        urls.add(request.url)
        bodies.push(Buffer.from(await sentBytes(request)).toString())
        time += 1000
        return answer(bodies.length < 3 ? 500 : 200)
      },
      { now: () => time },
    )
    await bucket.put('k', bodyOf(new TextEncoder().encode('content')))
    expect(bodies).toEqual(['content', 'content', 'content'])
    expect(urls.size).toBe(3)
  })

  it('ends with the signal, also during a pause and during an answer', async () => {
    for (const isInAnswer of [false, true]) {
      const controller = new AbortController()
      async function* broken() {
        yield new Uint8Array(1)
        controller.abort()
        throw new TransportFault(true, 'aborted')
      }
      const bucket = bucketOf(
        () => {
          if (isInAnswer) return { status: 200, headers: {}, body: broken() }
          setImmediate(() => controller.abort())
          return answer(503)
        },
        { signal: controller.signal, retryPauseMs: 60_000 },
      )
      await expect(bucket.list('')).rejects.toThrow(Canceled)
    }
  })
})

describe('a download', () => {
  it('returns the bytes of an object over connections that break anywhere', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 })
    const store = fc.record({
      bytes: fc.uint8Array({ maxLength: 120 }),
      sizes,
      hasRanges: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(store, async ({ bytes, sizes, hasRanges }) => {
        const ranges: (string | undefined)[] = []
        let at = 0
        const reply = ({ headers }: StoreRequest): StoreAnswer => {
          const { range } = headers
          ranges.push(range)
          const from =
            range === undefined || !hasRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(range)![1])
          if (from > 0 && from >= bytes.length) return answer(416)
          const breaksAfter = sizes[ranges.length - 1]
          async function* body() {
            for (let i = from; i < bytes.length; i += 7) {
              const chunk = bytes.subarray(i, Math.min(i + 7, bytes.length))
              if (breaksAfter !== undefined && i - from + chunk.length > breaksAfter) lost()
              at = Math.max(at, i + chunk.length)
              yield chunk
            }
            if (breaksAfter !== undefined) lost()
          }
          return { status: from > 0 ? 206 : 200, headers: {}, body: body() }
        }
        const received: Uint8Array[] = []
        for await (const chunk of bucketOf(reply, { retryPauseMs: 0.01 }).get('k')) {
          expect(chunk.length).toBeGreaterThan(0)
          received.push(chunk)
        }
        expect(Buffer.concat(received)).toEqual(Buffer.from(bytes))
        // Each request begins where the one before has ended.
        expect(ranges[0]).toBe(undefined)
        const starts = ranges.map((range) => Number(range?.slice('bytes='.length, -1) ?? 0))
        expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      }),
      { numRuns: 20 },
    )
  })

  it('may take longer than the time limit while each attempt makes progress', async () => {
    const bytes = new TextEncoder().encode('0123456789')
    let time = 0
    const bucket = bucketOf(
      ({ headers }) => {
        time += 400
        const from = Number(headers['range']?.slice('bytes='.length, -1) ?? 0)
        async function* body() {
          yield bytes.subarray(from, from + 1)
          if (from + 1 < bytes.length) lost()
        }
        return { status: from === 0 ? 200 : 206, headers: {}, body: body() }
      },
      { now: () => time, retryMsMax: 1000, retryPauseMs: 0.01 },
    )
    let text = ''
    for await (const chunk of bucket.get('k')) text += Buffer.from(chunk).toString()
    expect(text).toBe('0123456789')
  })

  it('fails when it makes no progress for the time limit, and for a missing object', async () => {
    let time = 0
    const bucket = bucketOf(
      () => {
        time += 10
        return {
          status: 200,
          headers: {},
          body: { [Symbol.asyncIterator]: () => ({ next: async () => lost() }) },
        }
      },
      { now: () => time, retryMsMax: 50 },
    )
    const read = async (from: typeof bucket): Promise<void> => {
      for await (const _ of from.get('k'));
    }
    await expect(read(bucket)).rejects.toThrow('S3 HTTP error: ECONNRESET')
    await expect(read(bucketOf(() => answer(404, '<Error/>')))).rejects.toThrow('status: 404')
  })
})

describe('a list', () => {
  it('has all objects in order, over any number of pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 5 }), async (sizes) => {
        const pages = sizes.length === 0 ? [0] : sizes
        const tokens: (string | undefined)[] = []
        const bucket = bucketOf((request) => {
          const { 'continuation-token': token, ...query } = queryOf(request)
          const expected = { prefix: 'a/+ b', 'list-type': '2', 'encoding-type': 'url' }
          expect([query, keyOf(request)]).toEqual([expected, ''])
          tokens.push(token)
          const page = token === undefined ? 0 : Number(token.slice('a+/='.length))
          const keys = Array.from({ length: pages[page]! }, (_, i) => `a/+ b${page}-${i}`)
          const items = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
          const isLast = page === pages.length - 1
          const more = isLast
            ? '<IsTruncated>false</IsTruncated><NextContinuationToken>a+/=0</NextContinuationToken>'
            : `<IsTruncated>true</IsTruncated><NextContinuationToken>a+/=${page + 1}</NextContinuationToken>`
          return answer(200, `<ListBucketResult>${items.join('')}${more}</ListBucketResult>`)
        })
        const keys = pages.flatMap((size, page) =>
          Array.from({ length: size }, (_, i) => `a/+ b${page}-${i}`),
        )
        expect((await bucket.list('a/+ b')).map(({ key }) => key)).toEqual(keys)
        expect(tokens.length).toBe(pages.length)
      }),
      { numRuns: 15 },
    )
  })

  it.each(['b/x', 'a', 'A/x'])('with a key of another place is refused: %s', async (key) => {
    const items = ['a/1', key].map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`)
    const bucket = bucketOf(() =>
      answer(200, `<ListBucketResult>${items.join('')}</ListBucketResult>`),
    )
    await expect(bucket.list('a/')).rejects.toThrow('objects of other places')
  })

  it.each([
    ['url', 'a%01%2Bb+c%C3%A9', 'a\u0001+b cé'],
    ['url', 'a%zz', 'a%zz'],
    ['', 'a%2Bb+c', 'a%2Bb+c'],
  ])('decodes keys where the store encoded them: %j %j', async (encoding, key, expected) => {
    const type = encoding === '' ? '' : `<EncodingType>${encoding}</EncodingType>`
    const bucket = bucketOf((request) =>
      'uploads' in queryOf(request)
        ? answer(
            200,
            `<ListMultipartUploadsResult>${type}<Upload><Key>${key}</Key><UploadId>+%41</UploadId>` +
              '</Upload></ListMultipartUploadsResult>',
          )
        : answer(
            200,
            `<ListBucketResult>${type}<Contents><Key>${key}</Key><Size>1</Size></Contents></ListBucketResult>`,
          ),
    )
    expect(await bucket.list('')).toEqual([{ key: expected, bytes: 1 }])
    expect(await bucket.openUploads('')).toEqual([{ key: expected, uploadId: '+%41' }])
  })

  it.each([true, false])('of uploads has all pages; the store knows markers: %j', async (knows) => {
    const all = Array.from({ length: 5 }, (_, i) => ({ key: `k ${i >> 1}`, uploadId: `u${i}` }))
    let requests = 0
    const bucket = bucketOf((request) => {
      requests++
      const { 'key-marker': key, 'upload-id-marker': id } = queryOf(request)
      const after = all.findIndex((one) => one.key === key && one.uploadId === id)
      const from = knows ? after + 1 : 0
      const page = all.slice(from, from + 2)
      const last = page.at(-1)!
      const items = page.map(
        ({ key, uploadId }) => `<Upload><Key>${key}</Key><UploadId>${uploadId}</UploadId></Upload>`,
      )
      const marks =
        `<NextKeyMarker>${last.key.replace(' ', '%20')}</NextKeyMarker>` +
        `<NextUploadIdMarker>${last.uploadId}</NextUploadIdMarker>`
      return answer(
        200,
        `<ListMultipartUploadsResult><EncodingType>url</EncodingType><IsTruncated>${from + 2 < all.length}` +
          `</IsTruncated>${marks}${items.join('')}</ListMultipartUploadsResult>`,
      )
    })
    const found = await bucket.openUploads('')
    if (knows) expect(found).toEqual(all)
    expect(requests).toBe(knows ? 3 : 2)
  })

  it.each([
    '',
    'text',
    '<Error/>',
    '<ListBucketResult>',
    '<ListBucketResult>text</ListBucketResult>',
  ])('is not read from %j', async (text) => {
    const bucket = bucketOf(() => answer(200, text))
    await expect(bucket.list('')).rejects.toThrow('S3 XML error: no list of objects')
    expect(await bucket.openUploads('')).toEqual([])
  })
})

describe('a multipart upload', () => {
  it('sends its id and the number of each part, and returns the tags', async () => {
    const requests: unknown[] = []
    const bucket = bucketOf(async (request) => {
      const { method } = request
      requests.push([method, keyOf(request), queryOf(request), (await sentBytes(request)).length])
      const text =
        '<InitiateMultipartUploadResult><UploadId>i+/=</UploadId></InitiateMultipartUploadResult>'
      return method === 'PUT' ? answer(200, '', { etag: '"t"' }) : answer(200, text)
    })
    expect(await bucket.begin('a b')).toBe('i+/=')
    expect(await bucket.part('a b', 'i+/=', 3, bodyOf(new Uint8Array(5)))).toBe('"t"')
    await bucket.abort('a b', 'i+/=')
    expect(requests).toEqual([
      ['POST', 'a b', { uploads: '' }, 0],
      ['PUT', 'a b', { partNumber: '3', uploadId: 'i+/=' }, 5],
      ['DELETE', 'a b', { uploadId: 'i+/=' }, 0],
    ])
  })

  it.each([
    ['<Error>no</Error>', 's_3_snapshot_server_error'],
    [
      ' \n <?xml version="1.0"?><Error><Code>InternalError</Code></Error>',
      's_3_snapshot_server_error',
    ],
    ['<CompleteMultipartUploadResult/>', null],
    [' \n <?xml version="1.0"?><CompleteMultipartUploadResult/>', null],
    ['', null],
  ])('is complete unless the answer %j holds an error', async (text, code) => {
    const completed = bucketOf(() => answer(200, text)).complete('k', 'u', ['t'], 1)
    if (code === null) await completed
    else await expect(completed).rejects.toMatchObject({ code })
  })

  it.each([
    [400, 'invalid_s_3_snapshot_request'],
    [404, 'invalid_s_3_snapshot_request'],
    [501, 's_3_snapshot_server_error'],
  ])('fails by the status %i with %s', async (status, code) => {
    const completed = bucketOf(() => answer(status, 'no')).complete('k', 'u', [], 0)
    await expect(completed).rejects.toMatchObject({ code })
  })

  it('is complete if the answer was lost and the object consists of its parts', async () => {
    const md5 = (bytes: Uint8Array | string) => createHash('md5').update(bytes)
    const tags = ['one', 'two'].map((text) => `"${md5(text).digest('hex')}"`)
    const whole = md5(Buffer.concat(['one', 'two'].map((text) => md5(text).digest()))).digest('hex')
    const complete = (headers: StoreAnswer['headers'], etags: readonly string[], status = 200) => {
      const methods: string[] = []
      const bucket = bucketOf(({ method }) => {
        methods.push(method)
        if (method === 'HEAD') return answer(status, '', headers)
        if (methods.length === 1) return lost()
        return answer(404, '<Error><Code>NoSuchUpload</Code></Error>')
      })
      return bucket.complete('k', 'u', etags, 6).then(() => methods)
    }
    const object = { 'content-length': '6', etag: `"${whole}-2"` }
    expect(await complete(object, tags)).toEqual(['POST', 'POST', 'HEAD'])
    expect(await complete({ ...object, etag: `${whole}-2` }, tags)).toEqual([
      'POST',
      'POST',
      'HEAD',
    ])
    const failing: Parameters<typeof complete>[] = [
      [{ ...object, 'content-length': '7' }, tags],
      [{ ...object, etag: `"${whole}-3"` }, tags],
      [{ 'content-length': '6' }, tags],
      [object, tags.toReversed()],
      [object, ['"t"', '"u"']],
      [object, tags, 404],
    ]
    for (const given of failing) {
      await expect(complete(...given)).rejects.toMatchObject({
        code: 'invalid_s_3_snapshot_request',
      })
    }
  })

  it('fails without an id or a tag', async () => {
    const bucket = bucketOf(() => answer(200, '<InitiateMultipartUploadResult/>'))
    await expect(bucket.begin('k')).rejects.toThrow('the answer names no upload')
    await expect(bucket.part('k', 'u', 1, bodyOf(new Uint8Array(1)))).rejects.toThrow('ETag')
  })
})
