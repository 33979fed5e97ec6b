// Jobs of archives in the calling thread: their messages, checksums, targets and what they leave
// behind; and heads that are refused.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Canceled, StorageError } from '../../model/index.ts'
import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import {
  type ArchiveJob,
  type ArchiveMessage,
  type ArchiveReply,
  runArchiveJob,
  serveArchiveJobs,
} from './archiver.ts'
import { decodeHead, encodeHead, isDatabasePath } from './head-v1.ts'
import { restoreFiles } from './restore.ts'

const MiB = 2 ** 20
const HASH = 'a'.repeat(64)

function world() {
  const [fs, other] = [new FakeDisk().mount(), new FakeDisk().mount()]
  fs.makeDirectory('staging')
  const write = (on: FileSystem, path: string, bytes: Uint8Array) => {
    const file = on.open(path, 'create')
    file.write(0, bytes)
    file.close()
  }
  write(fs, 'VERSION', Buffer.from('1.2.3'))
  const outside = (root: string): FileSystem => {
    if (root !== 'snapshots') throw new StorageError('no_permission' as never, root, 'no')
    return other
  }
  return { fs, other, write, files: { fs, outside } }
}

const FILES = [
  { path: 'VERSION', bytes: 5, level: 0, source: 'VERSION' },
  { path: 'CURRENT', bytes: 3, level: 6, source: Buffer.from('abc') },
]
const packInto = (target: object): ArchiveJob =>
  ({ kind: 'pack', files: FILES, modifiedAt: 0, target }) as never
const HOOKS = { signal: null, progress: () => undefined, onPart: async () => undefined }

describe('a job', () => {
  it('computes checksums of parts of files and of memory', async () => {
    const { files } = world()
    const sha = (text: string) => createHash('sha256').update(text).digest('hex')
    const seen: number[] = []
    const job = {
      kind: 'digest',
      files: [
        { source: 'VERSION', bytes: 5 },
        { source: 'VERSION', bytes: 2, from: 2 },
        { source: Buffer.from('abcdef'), bytes: 3, from: 1 },
        { source: new Uint8Array(0), bytes: 0 },
      ],
    } as const
    const hooks = { ...HOOKS, progress: (bytes: number) => void seen.push(bytes) }
    expect(await runArchiveJob(files, job, hooks)).toEqual({
      bytes: 10,
      digests: [sha('1.2.3'), sha('2.'), sha('bcd'), sha('')],
    })
    expect(seen).toEqual([5, 7, 10, 10])
    const missing = { kind: 'digest', files: [{ source: 'VERSION', bytes: 6 }] } as const
    await expect(runArchiveJob(files, missing, HOOKS)).rejects.toMatchObject({ code: 'short_file' })
  })

  it('packs into a file that replaces the last one, or leaves nothing', async () => {
    const { files, other, write } = world()
    write(other, 'db.snapshot', Buffer.from('old'))
    write(other, 'db.snapshot.new', Buffer.from('left'))
    const into = { kind: 'file', root: 'snapshots', name: 'db.snapshot' }
    const signal = AbortSignal.abort()
    await expect(runArchiveJob(files, packInto(into), { ...HOOKS, signal })).rejects.toThrow(
      Canceled,
    )
    expect([other.list(''), other.size('db.snapshot')]).toEqual([['db.snapshot'], 3])
    let last = 0
    const hooks = { ...HOOKS, progress: (bytes: number) => void (last = bytes) }
    const { bytes } = await runArchiveJob(files, packInto(into), hooks)
    expect([other.list(''), other.size('db.snapshot'), last]).toEqual([
      ['db.snapshot'],
      bytes,
      bytes,
    ])
    const keeps = { ...into, retention: { stamp: '20260302T101112.131415Z', most: 1 } }
    await runArchiveJob(files, packInto(keeps), HOOKS)
    expect(other.list('')).toEqual(['db-20260302T101112.131415Z.snapshot', 'db.snapshot'])
  })

  it('names a folder that cannot be made', () => {
    const { files } = world()
    const into = { kind: 'file', root: 'elsewhere', name: 'db.snapshot' }
    expect(() => runArchiveJob(files, packInto(into), HOOKS)).toThrow(
      'cannot make the folder of snapshots `elsewhere`: no',
    )
  })

  it('packs into parts of one size, one after another', async () => {
    const { files, fs } = world()
    const into = { kind: 'parts', folder: 'staging', bytes: 60 }
    const parts: object[] = []
    const onPart = async (part: { readonly path: string }) => {
      expect(fs.list('staging')).toHaveLength(1)
      fs.remove(part.path)
      parts.push(part)
    }
    const { bytes } = await runArchiveJob(files, packInto(into), { ...HOOKS, onPart })
    const count = Math.ceil(bytes / 60)
    expect(parts).toEqual(
      Array.from({ length: count }, (_, i) => ({
        number: i + 1,
        path: `staging/part-${String(i + 1).padStart(5, '0')}`,
        bytes: i + 1 < count ? 60 : bytes - 60 * (count - 1),
      })),
    )
    const failing = runArchiveJob(files, packInto(into), {
      ...HOOKS,
      onPart: () => Promise.reject(new StorageError('io', 'x', 'refused')),
    })
    await expect(failing).rejects.toThrow('refused')
  })
})

describe('a thread', () => {
  it('answers messages, reports each four mebibytes, and waits between parts', async () => {
    const { files, fs, write } = world()
    write(fs, 'large', new Uint8Array(9 * MiB))
    const replies: ArchiveReply[] = []
    let settle: () => void = () => undefined
    let handle: (message: ArchiveMessage) => void = () => undefined
    const begin = () => {
      const ended = new Promise<void>((resolve) => {
        settle = resolve
      })
      handle = serveArchiveJobs(files, (reply) => {
        replies.push(reply)
        if (reply.kind === 'part') setImmediate(() => handle({ kind: 'go' }))
        if (reply.kind !== 'progress' && reply.kind !== 'part') settle()
      })
      return ended
    }
    const ran = async (job: ArchiveJob, more: () => void = () => undefined) => {
      replies.length = 0
      const ended = begin()
      handle({ kind: 'run', job })
      more()
      await ended
      return replies.map(({ kind, ...rest }) => ('bytes' in rest ? `${kind} ${rest.bytes}` : kind))
    }
    const digest = { kind: 'digest', files: [{ source: 'large', bytes: 9 * MiB }] } as const
    expect(await ran(digest)).toEqual([`progress ${4 * MiB}`, `progress ${8 * MiB}`, 'done'])
    expect(await ran(digest, () => handle({ kind: 'cancel' }))).toEqual(['canceled'])
    const missing = { kind: 'digest', files: [{ source: 'none', bytes: 1 }] } as const
    expect(await ran(missing)).toEqual(['failed'])
    const kinds = await ran(packInto({ kind: 'parts', folder: 'staging', bytes: 100 }))
    expect(kinds.filter((kind) => kind === 'part').length).toBeGreaterThan(1)
    expect(kinds.at(-1)).toBe('done')
  })
})

describe('a head', () => {
  const head = {
    version: '1.2.3',
    createdAt: '2026-01-01T00:00:00.123456Z',
    sequence: 4,
    files: [{ path: 'VERSION', bytes: 5, sha256: null }],
  }
  const placed = { term: 1, number: 2, instance: 'i' }
  const pieces = [
    { bytes: 2, sha256: HASH },
    { bytes: 3, sha256: HASH },
  ]

  it('keeps its members', () => {
    for (const one of [
      head,
      { ...head, writer: 'http://w', placed },
      { ...head, files: [{ path: 'CURRENT', bytes: 5, sha256: HASH, pieces }] },
    ]) {
      expect(decodeHead(encodeHead(one))).toEqual(one)
    }
    const partly = JSON.parse(Buffer.from(encodeHead({ ...head, placed })).toString())
    for (const member of ['term', 'number', 'instance']) {
      const { [member]: _, ...rest } = partly
      expect(decodeHead(Buffer.from(JSON.stringify(rest)))).toEqual(head)
    }
  })

  it.each<[object | string, string, string]>([
    ['{', 'damaged', 'not JSON'],
    [{ format: 2 }, 'newer', 'its format is 2, this release knows 1'],
    [{ format: 0 }, 'damaged', 'its format is 0'],
    [{ format: '2' }, 'damaged', 'its format is "2"'],
    [{ version: '1.2' }, 'damaged', 'version'],
    [{ sequence: -1 }, 'damaged', 'sequence'],
    [{ files: [{ path: 'x', bytes: 1 }] }, 'damaged', '"x" is not a file of a database'],
    [{ files: [head.files[0], head.files[0]] }, 'damaged', '`VERSION` occurs twice'],
    [{ files: [{ path: 'VERSION', bytes: -1 }] }, 'damaged', 'bytes'],
    [{ files: [{ path: 'VERSION', bytes: 6, pieces }] }, 'damaged', 'not as long as it is'],
    [{ term: 0 }, 'damaged', 'term'],
  ])('%j is refused', (change, code, words) => {
    const text =
      typeof change === 'string' ? change : JSON.stringify({ format: 1, ...head, ...change })
    expect(() => decodeHead(Buffer.from(text))).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    )
  })

  it.each([
    ['VERSION', true],
    ['CURRENT', true],
    ['LOCK', false],
    ['manifest-000001.log', true],
    ['manifest-00001.log', false],
    ['tasks/tasks-000001.log', true],
    ['tasks/bodies/000001.body', true],
    ['tasks/bodies/../000001.body', false],
    ['segments/000001.docs', true],
    ['segments/000001.none', false],
    [`tasks/bodies/${'1'.repeat(60)}.body`, false],
    ['xVERSION', false],
  ])('%s is a file of a database: %s', (path, isOne) => {
    expect(isDatabasePath(path)).toBe(isOne)
  })
})

it('separate files are restored with their folders', async () => {
  const fs = new FakeDisk().mount()
  const files = ['VERSION', 'tasks/bodies/000001.body', 'tasks/tasks-000001.log'].map((path) => ({
    path,
    bytes: path.length,
    sha256: null,
  }))
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const seen: (readonly [number, number])[] = []
  async function* open({ path }: { readonly path: string }) {
    yield Buffer.from(path.slice(0, 3))
    yield Buffer.from(path.slice(3))
  }
  await restoreFiles({ files } as never, open, fs, {
    progress: (done, of) => void seen.push([done, of]),
  })
  for (const { path, bytes } of files) expect(fs.size(path)).toBe(bytes)
  expect(seen.at(-1)).toEqual([total, total])
  expect(seen.map(([done]) => done)).toEqual([...seen.map(([done]) => done)].sort((a, b) => a - b))
})

it('the restore of a large file reports each four mebibytes', async () => {
  const fs = new FakeDisk().mount()
  const sizes = [4 * MiB - 1, 1, 2 * MiB, 2 * MiB, 3]
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const seen: number[] = []
  async function* open() {
    for (const size of sizes) yield new Uint8Array(size)
  }
  const file = { path: 'VERSION', bytes, sha256: null }
  await restoreFiles({ files: [file] } as never, open, fs, { progress: (done) => seen.push(done) })
  expect(seen).toEqual([4 * MiB, 8 * MiB, bytes])
})
