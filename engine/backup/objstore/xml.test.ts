// Answers in XML: the forms of several makers of stores, malformed ones, and any keys.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { XML_BYTES_MAX } from './limits.ts'
import { completionXml, hasRoot, listedIn, readAll, rootOf, textIn, uploadsIn } from './xml.ts'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const listOf = async (text: string) => listedIn((await rootOf(text, 'ListBucketResult'))!)

describe('a list of objects', () => {
  it.each<[maker: string, text: string, objects: readonly (readonly [string, number])[]]>([
    [
      'with a namespace, owners and storage classes',
      `${DECLARATION}\n<ListBucketResult ${NAMESPACE}><Name>b</Name><Prefix>a/</Prefix>` +
        '<KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>' +
        '<Contents><Key>a/1</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>' +
        '<ETag>&quot;d41d&quot;</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass>' +
        '</Contents><Contents><Key>a/2</Key><Size>0</Size><Owner><ID>7</ID></Owner></Contents>' +
        '</ListBucketResult>',
      [
        ['a/1', 434_234],
        ['a/2', 0],
      ],
    ],
    [
      'with indentation and common prefixes between the objects',
      `<ListBucketResult>\n  <Contents>\n    <Key>x</Key>\n    <Size> 7 </Size>\n  </Contents>\n` +
        '  <CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>\n</ListBucketResult>\n',
      [['x', 7]],
    ],
    [
      'with CDATA, comments and numeric entities',
      '<!-- page 1 --><ListBucketResult><Contents><Key><![CDATA[a<b&c]]></Key><Size>1</Size>' +
        '</Contents><Contents><Key>&#x1F600;&#233;&apos;</Key><Size>2</Size></Contents>' +
        '</ListBucketResult>',
      [
        ['a<b&c', 1],
        ["😀é'", 2],
      ],
    ],
    ['without objects', `${DECLARATION}<ListBucketResult ${NAMESPACE}/>`, []],
    ['with a byte order mark', '\ufeff<ListBucketResult></ListBucketResult>', []],
  ])('is read %s', async (_, text, objects) => {
    expect(await listOf(text)).toEqual(objects.map(([key, bytes]) => ({ key, bytes })))
  })

  it('leaves out objects without a readable key', async () => {
    const items = ['<Key/>', '<Key><Key>a</Key></Key>', '<Key>a</Key><Key>b</Key>', 'text', '']
    const contents = items.map((item) => `<Contents>${item}<Size>1</Size></Contents>`).join('')
    const text = `<ListBucketResult>${contents}<Contents>text</Contents></ListBucketResult>`
    expect(await listOf(text)).toEqual([])
  })

  it('returns any keys of a store as they were sent', async () => {
    // XML has no control characters, and the parser trims keys.
    const key = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => text === text.trim() && !/\p{Cc}|\p{Cs}/u.test(text))
    const objects = fc.array(fc.record({ key, bytes: fc.nat() }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(objects, async (expected) => {
        const contents = expected.map(
          (one) => `<Contents><Key>${escaped(one.key)}</Key><Size>${one.bytes}</Size></Contents>`,
        )
        const text = `<ListBucketResult>${contents.join('')}</ListBucketResult>`
        expect(await listOf(text)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})

it('unfinished uploads are read with their ids, incomplete entries are left out', async () => {
  const text =
    '<ListMultipartUploadsResult><Upload><Key>a</Key><UploadId>1e3</UploadId></Upload>' +
    '<Upload><Key>b</Key></Upload><Upload><UploadId>2</UploadId></Upload></ListMultipartUploadsResult>'
  const xml = await rootOf(text, 'ListMultipartUploadsResult')
  // The id is a text, not a number.
  expect(uploadsIn(xml!)).toEqual([{ key: 'a', uploadId: '1e3' }])
  expect(uploadsIn({})).toEqual([])
})

describe('a root element', () => {
  it('is found behind blanks that a store sends while it works', async () => {
    const error = '<Error><Code>InternalError</Code></Error>'
    for (const text of [` \n \n${DECLARATION}${error}`, `${DECLARATION}\n \n ${error}`]) {
      expect(textIn((await rootOf(text, 'Error'))!, 'Code')).toBe('InternalError')
      expect(await hasRoot(text, 'Error')).toBe(true)
    }
  })

  it('that holds only text exists and has no members', async () => {
    expect(await hasRoot('<Error>no</Error>', 'Error')).toBe(true)
    expect(await rootOf('<Error>no</Error>', 'Error')).toBe(null)
    expect(await hasRoot('<Result><Error/></Result>', 'Error')).toBe(false)
  })

  it.each([
    '',
    ' ',
    'text',
    '{"Error":1}',
    '<Error>',
    '<Error><Code></Error></Code>',
    '</Error>',
    '<html><body>Bad Gateway</body></html>',
    '<Error a=></Error>',
    '<Error><Code>1</Error>',
    '\0',
  ])('is not found in %j', async (text) => {
    expect(await rootOf(text, 'Error')).toBe(null)
    expect(await hasRoot(text, 'Error')).toBe(false)
  })

  it('is not one of the members of every object', async () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(await hasRoot('<Error/>', name)).toBe(false)
    }
  })

  it('is looked for in damaged documents without an error', async () => {
    const whole = `${DECLARATION}<R><Contents><Key>a&amp;b</Key><Size>3</Size></Contents></R>`
    const damaged = fc
      .tuple(fc.nat(whole.length), fc.nat(whole.length), fc.string({ maxLength: 3 }))
      .map(([a, b, text]) => whole.slice(0, Math.min(a, b)) + text + whole.slice(Math.max(a, b)))
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const xml = await rootOf(text, 'R')
        if (xml !== null) for (const { key } of listedIn(xml)) expect(typeof key).toBe('string')
      }),
      { numRuns: 150 },
    )
  })
})

describe('the body that completes an upload', () => {
  it('is read back part by part', async () => {
    const etag = fc.string({ minLength: 1 }).filter((text) => text === text.trim())
    await fc.assert(
      fc.asyncProperty(fc.array(etag, { minLength: 2, maxLength: 8 }), async (etags) => {
        const xml = await rootOf(completionXml(etags), 'CompleteMultipartUpload')
        const parts = xml!['Part'] as readonly { readonly [name: string]: string }[]
        expect(parts.map(({ ETag }) => ETag)).toEqual(etags)
        expect(parts.map(({ PartNumber }) => PartNumber)).toEqual(etags.map((_, i) => `${i + 1}`))
      }),
      { numRuns: 40 },
    )
  })
})

it('an answer is read up to the limit, in chunks of any size', async () => {
  const chunk = new Uint8Array(1 << 20).fill(0x20)
  const read: number[] = []
  async function* chunks(count: number) {
    for (let i = 0; i < count; i++) {
      read.push(i)
      yield chunk
    }
  }
  const most = XML_BYTES_MAX / chunk.length
  expect((await readAll(chunks(most))).length).toBe(XML_BYTES_MAX)
  read.length = 0
  await expect(readAll(chunks(1000))).rejects.toMatchObject({ mayRetry: false })
  expect(read.length).toBe(most + 1)
  const euro = new TextEncoder().encode('€')
  async function* bytes() {
    for (const byte of euro) yield Uint8Array.of(byte)
  }
  expect(await readAll(bytes())).toBe('€')
})
