// Uploads of snapshots file by file: only missing objects are sent, and the head comes last.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { EngineFault } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { encodeHead, type PackedFile, type SnapshotHead } from '../snapshot/index.ts'
import { hashedHead, uploadIncrement } from './incremental.ts'
import { filesPrefix, headKey, objectsOf } from './keys.ts'
import { answer, bucketOf, keyOf, queryOf, sentBytes } from './test-bucket.ts'
import { StoreTurns } from './turns.ts'

const PLACE = { prefix: '', name: 'db' }
const NAME = '90000007-000000000001-00000001'
const HEAD_KEY = headKey(PLACE, NAME, 'published')
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const DOCS = 'segments/000001.docs'
const LOG = 'tasks/tasks-000001.log'
const PIECES = ['piece', '!!'].map((text) => ({ bytes: text.length, sha256: hashOf(text) }))
const BARE: SnapshotHead = {
  version: '1.0.0',
  createdAt: '2026-01-02T03:04:05Z',
  sequence: 1,
  placed: { term: 7, number: 1, instance: 'me' },
  files: [
    { path: DOCS, bytes: 4, sha256: null },
    { path: 'VERSION', bytes: 3, sha256: null },
    { path: LOG, bytes: 7, sha256: null, pieces: PIECES },
  ],
}
const HEAD = hashedHead(BARE, ['docs', '1.0', 'piece!!'].map(hashOf))
const [DOCS_KEY, VERSION_KEY, PIECE_KEY, REST_KEY] = HEAD.files.flatMap((file) =>
  objectsOf(PLACE, file).map(({ key }) => key),
) as [string, string, string, string]
const HEAD_BYTES = encodeHead(HEAD)

/** A store with objects of these texts. `refused`: the key of an object that it does not take. */
function world(
  stored: { readonly [key: string]: string },
  { refused = 'none', partBytes = 100, lanesMax = 1 } = {},
) {
  const objects = new Map(Object.entries(stored))
  const requests: string[] = []
  const parts: string[] = []
  const bucket = bucketOf(async (request) => {
    const [{ method }, key, { uploadId, partNumber }] = [request, keyOf(request), queryOf(request)]
    requests.push([method, key, partNumber].filter(Boolean).join(' '))
    if (key === refused) return answer(403)
    if (method === 'GET') {
      const items = [...objects].map(
        ([one, { length }]) => `<Contents><Key>${one}</Key><Size>${length}</Size></Contents>`,
      )
      return answer(200, `<ListBucketResult>${items.join('')}</ListBucketResult>`)
    }
    if (method === 'POST' && uploadId === undefined) {
      const id = '<UploadId>u</UploadId>'
      return answer(200, `<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>`)
    }
    const text = Buffer.from(await sentBytes(request)).toString()
    if (partNumber !== undefined) parts[Number(partNumber) - 1] = text
    else objects.set(key, method === 'POST' ? parts.join('') : text)
    return answer(200, '', { etag: '"e"' })
  })
  const fs = new FakeDisk().mount()
  const file = fs.open('log', 'create')
  file.write(0, Buffer.from('piece!! and more'))
  file.close()
  const memory = (text: string) => new Uint8Array(Buffer.from(text))
  const files: readonly PackedFile[] = [
    { path: DOCS, bytes: 4, level: 0, source: memory('docs') },
    { path: 'VERSION', bytes: 3, level: 0, source: memory('1.0') },
    { path: LOG, bytes: 7, level: 0, source: 'log' },
  ]
  const turns = new StoreTurns()
  const shown: (readonly number[])[] = []
  const uploaded = (head = HEAD, count = files.length) =>
    uploadIncrement(
      {
        bucket,
        place: PLACE,
        fs,
        partBytes,
        lanesMax,
        progress: (...counts) => void shown.push(counts),
        kind: 'published',
        turns,
      },
      NAME,
      head,
      files.slice(0, count),
    )
  return { uploaded, objects, requests, turns, shown }
}

it('a head has the checksums of its files', () => {
  expect(HEAD).toEqual({
    ...BARE,
    files: BARE.files.map((file, i) => ({
      ...file,
      sha256: hashOf(['docs', '1.0', 'piece!!'][i]!),
    })),
  })
})

it('objects that the store lacks are sent, then the head', async () => {
  const { uploaded, objects, requests, turns, shown } = world({
    [DOCS_KEY]: 'docs',
    [`${filesPrefix(PLACE)}notes.txt`]: 'x',
  })
  expect(await uploaded()).toEqual({ name: NAME, bytes: 10 + HEAD_BYTES.length, files: 3 })
  expect(requests).toEqual([
    'GET',
    `PUT ${VERSION_KEY}`,
    `PUT ${PIECE_KEY}`,
    `PUT ${REST_KEY}`,
    `PUT ${HEAD_KEY}`,
  ])
  const sent = [VERSION_KEY, PIECE_KEY, REST_KEY, HEAD_KEY].map((key) => objects.get(key))
  expect(sent).toEqual(['1.0', 'piece', '!!', Buffer.from(HEAD_BYTES).toString()])
  expect(shown).toEqual([
    [7, 14],
    [12, 14],
    [14, 14],
    [14, 14],
  ])
  expect(turns.own).toMatchObject([{ name: NAME, kind: 'published' }])
  expect([...turns.known!]).toEqual([
    [DOCS_KEY, 4],
    [VERSION_KEY, 3],
    [PIECE_KEY, 5],
    [REST_KEY, 2],
  ])
  // The next one knows what the store has.
  requests.length = 0
  expect(await uploaded()).toEqual({ name: NAME, bytes: HEAD_BYTES.length, files: 0 })
  expect(requests).toEqual([`PUT ${HEAD_KEY}`])
})

it('an object of another length, or one that was deleted, is sent again', async () => {
  const { uploaded, requests, turns } = world({
    [DOCS_KEY]: 'doc',
    [VERSION_KEY]: '1.0',
    [PIECE_KEY]: 'piece',
    [REST_KEY]: '!!',
  })
  turns.removed([REST_KEY, 'other'])
  await uploaded()
  expect(requests).toEqual(['GET', `PUT ${DOCS_KEY}`, `PUT ${REST_KEY}`, `PUT ${HEAD_KEY}`])
  expect([...turns.deleted]).toEqual(['other'])
})

it.each([1, 2])('an object that two files share is sent once, with %i lanes', async (lanesMax) => {
  const { uploaded, requests } = world({}, { lanesMax })
  const [docs] = HEAD.files
  const files = [docs!, { ...docs!, path: `other/${DOCS}` }]
  expect(await uploaded({ ...HEAD, files }, 2)).toMatchObject({ files: 1 })
  expect(requests).toEqual(['GET', `PUT ${DOCS_KEY}`, `PUT ${HEAD_KEY}`])
})

it('objects that are larger than a part are sent in parts', async () => {
  const { uploaded, objects, requests } = world({ [DOCS_KEY]: 'docs' }, { partBytes: 3 })
  await uploaded()
  expect(requests).toEqual([
    'GET',
    `PUT ${VERSION_KEY}`,
    `POST ${PIECE_KEY}`,
    `PUT ${PIECE_KEY} 1`,
    `PUT ${PIECE_KEY} 2`,
    `POST ${PIECE_KEY}`,
    `PUT ${REST_KEY}`,
    `PUT ${HEAD_KEY}`,
  ])
  expect(objects.get(PIECE_KEY)).toBe('piece')
})

it('without one of its objects a snapshot has no head', async () => {
  const { uploaded, objects, requests, turns } = world({}, { refused: PIECE_KEY })
  await expect(uploaded()).rejects.toBeInstanceOf(EngineFault)
  expect([...objects.keys()]).toEqual([DOCS_KEY, VERSION_KEY])
  expect(requests.at(-1)).toBe(`PUT ${PIECE_KEY}`)
  expect([turns.own, turns.known!.size]).toEqual([[], 2])
})
