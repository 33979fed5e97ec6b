// Archives: written archives are read again, by `tar` as well; harmful ones are refused and leave
// no files behind.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { afterAll, describe, expect, it } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { FakeDisk, fileBytes, RealFileSystem, replaceByStream } from '../../store/storage/index.ts'
import { entryPath } from './entry-path.ts'
import {
  ARCHIVE_LIMITS,
  ArchiveError,
  type ArchiveLimits,
  type NewEntry,
  packArchive,
  readArchive,
  unpackArchive,
} from './index.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-archive-'))
afterAll(() => rmSync(root, { recursive: true }))

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const file = (path: string, text: string): NewEntry => {
  const content = bytesOf(text)
  return { kind: 'file', path, bytes: content.length, content }
}
const MODIFIED = new Date('2026-01-02T03:04:05Z')

async function packed(
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
  gzipLevel: number | null = 6,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of packArchive(entries, { gzipLevel, modifiedAt: MODIFIED })) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes)
  }
}

type Read = { readonly path: string; readonly kind: string; readonly text: string }

async function read(bytes: Uint8Array, limits?: ArchiveLimits, pieceBytes = 4096): Promise<Read[]> {
  const entries: Read[] = []
  for await (const { path, kind, content } of readArchive(inPieces(bytes, pieceBytes), limits)) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(chunk)
    entries.push({ path, kind, text: Buffer.concat(chunks).toString() })
  }
  return entries
}

/** Builds a tar with headers that our writer never writes. */
async function hostile(headers: readonly Parameters<ReturnType<typeof pack>['entry']>[0][]) {
  const tar = pack()
  for (const header of headers) {
    const sink = tar.entry({ ...header, size: header.size ?? 0 })
    sink.end(
      header.type === undefined || header.type === 'file' ? 'x'.repeat(header.size ?? 0) : '',
    )
  }
  tar.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of tar) chunks.push(chunk as Uint8Array)
  return gzipSync(Buffer.concat(chunks))
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'nothing'
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    return `${error.code}: ${error.message}`
  }
}

describe('a written archive', () => {
  it('is read again, in chunks of any size', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}(\/[a-z]{1,100}){0,3}\.x$/), {
      maxLength: 8,
    })
    const contents = fc.array(fc.string({ unit: 'grapheme', maxLength: 1500 }), { minLength: 8 })
    const level = fc.constantFrom(null, 0, 1, 9)
    const pieces = fc.integer({ min: 100, max: 9000 })
    await fc.assert(
      fc.asyncProperty(names, contents, level, pieces, async (paths, texts, gzipLevel, size) => {
        fc.pre(paths.length > 0)
        const bytes = await packed(
          paths.map((path, i) => file(path, texts[i]!)),
          gzipLevel,
        )
        const expected = paths.map((path, i) => ({ path, kind: 'file', text: texts[i]! }))
        expect(await read(bytes, ARCHIVE_LIMITS, size)).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  it('is readable by tar, folders and long names included', async () => {
    const long = `indexes/${'a'.repeat(150)}/${'b'.repeat(120)}.jsonl`
    const entries: NewEntry[] = [
      { kind: 'folder', path: './' },
      { kind: 'folder', path: 'indexes' },
      file(long, 'long'),
      file('empty', ''),
    ]
    const path = join(root, 'tar.tar.gz')
    writeFileSync(path, await packed(entries))
    const listed = execFileSync('tar', ['tzf', path], { encoding: 'utf8' })
    expect(listed.trim().split('\n')).toEqual(['./', 'indexes', long, 'empty'])
    expect(execFileSync('tar', ['xzOf', path, long], { encoding: 'utf8' })).toBe('long')
  })

  it('has the same bytes for the same entries', async () => {
    const once = await packed([file('a', 'x')])
    expect(Buffer.compare(once, await packed([file('a', 'x')]))).toBe(0)
  })

  it('streams content that would not fit into memory as a whole', async () => {
    const chunk = new Uint8Array(1 << 20)
    async function* content(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 40; i++) yield chunk
    }
    const entry: NewEntry = { kind: 'file', path: 'big', bytes: 40 << 20, content: content() }
    let bytes = 0
    for await (const part of packArchive([entry], { gzipLevel: null, modifiedAt: MODIFIED })) {
      bytes += part.length
    }
    expect(bytes).toBeGreaterThan(40 << 20)
  })

  it('fails with the error of the content, or if the length of the content is wrong', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytesOf('x')
      throw new StorageError('io', 'x', 'the disk is gone')
    }
    const failing: NewEntry = { kind: 'file', path: 'x', bytes: 5, content: broken() }
    await expect(packed([failing])).rejects.toThrow('the disk is gone')
    const short: NewEntry = { kind: 'file', path: 'x', bytes: 5, content: bytesOf('x') }
    await expect(packed([short])).rejects.toThrow('Size mismatch')
    async function* entries(): AsyncGenerator<NewEntry> {
      yield file('a', 'x')
      throw new StorageError('io', 'x', 'no more entries')
    }
    await expect(packed(entries())).rejects.toThrow('no more entries')
  })
})

describe('a harmful archive', () => {
  it.each([
    [[{ name: 'a', type: 'symlink' as const, linkname: '/etc/passwd' }], 'neither a file nor'],
    [[{ name: 'a', type: 'link' as const, linkname: 'b' }], 'neither a file nor'],
    [[{ name: 'a', type: 'fifo' as const }], 'neither a file nor'],
    [[{ name: 'a', type: 'character-device' as const }], 'neither a file nor'],
    [[{ name: '../a', size: 1 }], 'leaves the archive'],
    [[{ name: 'a/../../b', size: 1 }], 'leaves the archive'],
    [[{ name: '/etc/passwd', size: 1 }], 'absolute path'],
    [[{ name: 'a//b', size: 1 }], 'no system has'],
    [[{ name: 'a\\b', size: 1 }], 'no system has'],
    [[{ name: 'C:/b', size: 1 }], 'no system has'],
    [[{ name: 'a\u0007b', size: 1 }], 'no system has'],
    [[{ name: 'n'.repeat(300), size: 1 }], 'no system has'],
    [[{ name: `${'d/'.repeat(120)}f`, size: 1 }], 'too deep'],
    [[{ name: '', size: 1 }], 'has no name'],
    [[{ name: '.', size: 1 }], 'the entry `.` is a file without a name'],
    [[{ name: 'a', size: 1, linkname: 'b' }], 'the header of the entry `a` contradicts itself'],
    [[{ name: 'a/', size: 1 }], 'the header of the entry `a/` contradicts itself'],
    [
      [
        { name: 'a', size: 1 },
        { name: './a', size: 1 },
      ],
      'occurs twice',
    ],
    [
      [
        { name: 'a', size: 1 },
        { name: 'a/b', size: 1 },
      ],
      'inside a file',
    ],
    [
      [
        { name: 'a/b', size: 1 },
        { name: 'a', size: 1 },
      ],
      'occurs twice',
    ],
  ])('%j is unsafe', async (headers, words) => {
    const bytes = await hostile(headers)
    const refusal = await refusalOf(read(bytes))
    expect(refusal).toContain('unsafe: ')
    expect(refusal).toContain(words)
    const disk = new DiskAt()
    expect(await refusalOf(disk.unpack(bytes))).toBe(refusal)
    expect(disk.fs.list('')).toEqual([])
    expect(disk.fs.openFiles).toBe(0)
  })

  it('is refused for too many entries, too large ones, and too many bytes in all', async () => {
    const three = await packed([file('a', 'x'), file('b', 'y'.repeat(3000)), file('c', 'z')])
    const limits = { ...ARCHIVE_LIMITS }
    expect(await refusalOf(read(three, { ...limits, entriesMax: 2 }))).toContain('than 2 entries')
    expect(await refusalOf(read(three, { ...limits, entryBytesMax: 2999 }))).toBe(
      'too_large: the entry `b` has 3000 bytes, at most 2999 are allowed',
    )
    expect(await refusalOf(read(three, { ...limits, unpackedBytesMax: 4000 }))).toContain('4000')
    const { length } = gunzipSync(three)
    const least = await refusalOf(read(three, { ...limits, unpackedBytesMax: length - 1 }))
    expect(least).toBe(`too_large: it unpacks to more than ${length - 1} bytes`)
    expect(await read(three, { ...limits, unpackedBytesMax: length })).toHaveLength(3)
    expect(await read(three, { ...limits, entriesMax: 3, entryBytesMax: 3000 })).toHaveLength(3)
  })

  it('is refused long before a bomb is unpacked', async () => {
    const zeros = new Uint8Array(1 << 20)
    async function* content(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i++) yield zeros
    }
    const bomb = await packed([{ kind: 'file', path: 'b', bytes: 200 << 20, content: content() }])
    let got = 0
    const reading = async (): Promise<void> => {
      for await (const { content } of readArchive(inPieces(bomb, 65536))) {
        for await (const chunk of content) got += chunk.length
      }
    }
    expect(await refusalOf(reading())).toContain('too_large: it unpacks to more than 400 times')
    expect(got).toBeLessThan(80 << 20)
  })
})

describe('a damaged archive', () => {
  it('is refused at every truncation', async () => {
    const bytes = await packed([file('a', 'some words'), file('b', 'and more')])
    for (let length = 0; length < bytes.length; length += 3) {
      expect(await refusalOf(read(bytes.subarray(0, length)))).toContain('damaged')
    }
  })

  it('is refused if a header announces more bytes than follow', async () => {
    const tar = Buffer.from(gunzipSync(await packed([file('a', 'x'.repeat(600))])))
    expect(await refusalOf(read(tar.subarray(0, 900)))).toBe('damaged: it ends early')
    expect(await refusalOf(read(gzipSync(tar.subarray(0, 900))))).toBe('damaged: it ends early')
  })

  it('is refused if the bytes are another format', async () => {
    expect(await refusalOf(read(bytesOf('{"not":"an archive"}'.repeat(100))))).toContain('damaged')
    expect(await refusalOf(read(gzipSync('x'.repeat(5000))))).toContain('not a tar archive')
    expect(await refusalOf(read(new Uint8Array(0)))).toBe('damaged: it is empty')
    const flipped = Buffer.from(await packed([file('a', 'x'.repeat(3000))]))
    flipped[flipped.length - 6]! ^= 1
    expect(await refusalOf(read(flipped))).toContain('compression is damaged')
  })

  it('passes errors of the source on unchanged', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield (await packed([file('a', 'x')])).subarray(0, 20)
      throw new StorageError('io', 'dump', 'cannot read `dump`')
    }
    const reading = async (): Promise<void> => {
      for await (const _ of readArchive(failing()));
    }
    await expect(reading()).rejects.toBeInstanceOf(StorageError)
  })
})

class DiskAt {
  readonly disk = new FakeDisk()
  readonly fs = this.disk.mount()
  unpack(bytes: Uint8Array, durable = false) {
    return unpackArchive(inPieces(bytes, 1000), this.fs, 'in', { durable })
  }
}

describe('unpacking', () => {
  it('creates folders and files, and returns the files', async () => {
    const at = new DiskAt()
    const bytes = await packed([
      { kind: 'folder', path: './' },
      { kind: 'folder', path: 'empty' },
      file('deep/er/x', 'words'),
    ])
    expect(await at.unpack(bytes, true)).toEqual([{ path: 'deep/er/x', bytes: 5 }])
    at.disk.crash(3)
    const fs = at.disk.mount()
    expect(fs.list('in')).toEqual(['deep', 'empty'])
    expect(fs.size('in/deep/er/x')).toBe(5)
  })

  it('leaves no files when the disk is full', async () => {
    const at = new DiskAt()
    at.disk.capacity = 1000
    const bytes = await packed([file('a', 'x'), file('b', 'y'.repeat(4000))])
    await expect(at.unpack(bytes)).rejects.toMatchObject({ code: 'no_space' })
    expect(at.fs.list('')).toEqual([])
    expect(at.fs.openFiles).toBe(0)
  })

  it('works on a real disk, with unusual names', async () => {
    const fs = RealFileSystem.create(join(root, 'real'))
    const content = 'ü'.repeat(500_000)
    const bytes = await replaceByStream(
      fs,
      'x.tar.gz',
      packArchive([file('a/ü', content)], { gzipLevel: 1, modifiedAt: MODIFIED }),
    )
    expect(fs.size('x.tar.gz')).toBe(bytes)
    await unpackArchive(fileBytes(fs, 'x.tar.gz'), fs, 'out')
    expect(fs.size('out/a/ü')).toBe(1_000_000)
    await fs.removeTreeAsync('out')
    expect(fs.exists('out')).toBe(false)
  })
})

describe('paths', () => {
  it('are relative to the folder', () => {
    expect(['./', '.', 'a', './a/', './/a', 'a/b/'].map(entryPath)).toEqual([
      '',
      '',
      'a',
      'a',
      'a',
      'a/b',
    ])
  })

  it('have a longest one', () => {
    const path = (bytes: number): string => `${'n'.repeat(199)}/`.repeat(11).slice(0, bytes)
    expect(entryPath(path(2048))).toHaveLength(2048)
    expect(() => entryPath(path(2049))).toThrow('has a path that is too long')
    expect(() => entryPath(`é${path(2047)}`)).toThrow('has a path that is too long')
    const name = (bytes: number): string => `a/é${'n'.repeat(bytes - 2)}`
    expect(entryPath(name(255))).toBe(name(255))
    expect(() => entryPath(name(256))).toThrow('has a path that no system has')
    const deep = (names: number): string => Array(names).fill('d').join('/')
    expect(entryPath(deep(100))).toBe(deep(100))
    expect(() => entryPath(deep(101))).toThrow('lies too deep')
  })
})
