// Snapshots as one archive in an object store: its parts, what earlier uploads have left, limits.
import { describe, expect, it } from 'vitest'
import { answer, keyOf, queryOf, sentBytes } from '../../backup/objstore/test-bucket.ts'
import type { StoreAnswer, StoreRequest } from '../../backup/objstore/transport.ts'
import type { ArchiveHooks, ArchiveJob } from '../../backup/snapshot/archiver.ts'
import { Canceled } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { storeIn } from '../../testing/test-store.ts'
import type { StoreOptions } from '../kind/index.ts'
import { uploadSnapshot } from './snapshot-upload.ts'

const ARCHIVE = 'p/db.snapshot'
const LEFT = [ARCHIVE, `${ARCHIVE}.other`].map(
  (key, i) => `<Upload><Key>${key}</Key><UploadId>left${i}</UploadId></Upload>`,
)

/** Archives files of these sizes, as parts of these numbers and texts. */
function world(
  more: Partial<StoreOptions>,
  sizes: readonly number[],
  parts: readonly (readonly [number: number, text: string])[],
) {
  const requests: string[] = []
  const transport = async (request: StoreRequest): Promise<StoreAnswer> => {
    const { uploadId = '', partNumber } = queryOf(request)
    const body = partNumber === undefined ? '' : Buffer.from(await sentBytes(request)).toString()
    const words = [request.method, keyOf(request), uploadId, partNumber ?? '', body]
    requests.push(words.filter((word) => word !== '').join(' '))
    if (request.method === 'GET')
      return answer(
        200,
        `<ListMultipartUploadsResult>${LEFT.join('')}</ListMultipartUploadsResult>`,
      )
    if (request.method === 'POST' && uploadId === '') {
      const id = '<UploadId>new</UploadId>'
      return answer(200, `<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>`)
    }
    return answer(200, '', { etag: '"e"' })
  }
  const fs = new FakeDisk().mount()
  fs.makeDirectory('staging')
  const jobs: ArchiveJob[] = []
  const abort = new AbortController()
  const run = async (job: ArchiveJob, { onPart }: ArchiveHooks) => {
    jobs.push(job)
    for (const [number, text] of parts) {
      if (text === 'cancel') abort.abort()
      const path = `staging/${number}`
      const file = fs.open(path, 'create')
      file.write(0, Buffer.from(text))
      file.close()
      await onPart({ number, path, bytes: text.length })
    }
    return { digests: [] }
  }
  const shown: (readonly number[])[] = []
  const store = storeIn({ transport } as never, { incremental: false, lanesMax: 1, ...more })
  const files = sizes.map((bytes, i) => ({ path: `f${i}`, source: `s${i}`, bytes, level: 9 }))
  const createdAt = '2026-01-02T03:04:05.678901Z'
  const head = { version: '1', createdAt, sequence: 1, files: [] }
  const uploaded = () =>
    uploadSnapshot({
      fs,
      archiver: { run } as never,
      store,
      signal: abort.signal,
      head,
      files,
      progress: (...counts) => void shown.push(counts),
      digests: new Map(),
    })
  return { uploaded, requests, jobs, shown, fs, files }
}

const BEGUN = [`GET`, `DELETE ${ARCHIVE} left0`, `POST ${ARCHIVE}`]

describe('an archive', () => {
  it('is uploaded part by part, after an earlier upload of it was aborted', async () => {
    const given = world(
      { level: 3, partBytes: 4 },
      [2, 3],
      [
        [1, 'abc'],
        [2, 'defg'],
      ],
    )
    await given.uploaded()
    expect(given.requests).toEqual([
      ...BEGUN,
      `PUT ${ARCHIVE} new 1 abc`,
      `PUT ${ARCHIVE} new 2 defg`,
      `POST ${ARCHIVE} new`,
    ])
    expect(given.jobs).toEqual([
      {
        kind: 'pack',
        files: given.files.map((file) => ({ ...file, level: 3 })),
        modifiedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
        target: { kind: 'parts', folder: 'staging', bytes: 4 },
      },
    ])
    // The archive has more bytes than its files.
    expect(given.shown).toEqual([
      [3, 5],
      [5, 5],
    ])
    expect(given.fs.list('staging')).toEqual([])
  })

  const tooMany = {
    code: 'invalid_s_3_snapshot_parameters',
    message:
      'S3 error: the snapshot has more than 10000 parts of 10 bytes: ' +
      'make them larger with `--experimental-objstore-multipart-part-size`',
  }

  it('that is not compressed is refused at once if it has too many parts', async () => {
    const refused = world({ partBytes: 10 }, [99_999, 2], [])
    await expect(refused.uploaded()).rejects.toMatchObject(tooMany)
    expect([refused.jobs, refused.requests]).toEqual([[], BEGUN.slice(0, 2)])
    for (const [sizes, level] of [
      [[99_999, 1], 0],
      [[99_999, 2], 1],
    ] as const) {
      const fine = world({ partBytes: 10, level }, sizes, [])
      await fine.uploaded()
      expect(fine.jobs).toHaveLength(1)
    }
  })

  it('is abandoned at the part that is one too many', async () => {
    const { uploaded, requests } = world(
      { partBytes: 10, level: 1 },
      [1],
      [
        [10_000, 'a'],
        [10_001, 'b'],
      ],
    )
    await expect(uploaded()).rejects.toMatchObject(tooMany)
    expect(requests).toEqual([...BEGUN, `PUT ${ARCHIVE} new 10000 a`, `DELETE ${ARCHIVE} new`])
  })

  it('is abandoned if its task is canceled', async () => {
    const { uploaded, requests } = world({}, [1], [[1, 'cancel']])
    await expect(uploaded()).rejects.toBeInstanceOf(Canceled)
    expect(requests).toEqual([...BEGUN, `DELETE ${ARCHIVE} new`])
  })
})
