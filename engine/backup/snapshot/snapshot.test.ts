// Heads and archives: written ones are read again, others are refused.

import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { pack } from 'tar-stream'
import { describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { PROFILES } from '../../store/layers/index.ts'
import { FakeDisk, readFile } from '../../store/storage/index.ts'
import { ArchiveError, packArchive, readArchive } from '../archive/index.ts'
import { isDatabasePath } from './head-v1.ts'
import { decodeHead, encodeHead, HEAD, restoreArchive, type SnapshotHead } from './index.ts'
import { type PackedFile, packedBlocks } from './pack.ts'
import { PartsTarget } from './target.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const paths = fc
  .integer({ min: 1, max: 999_999 })
  .chain((number) =>
    fc
      .constantFrom(
        ...PROFILES.map(({ extension }) => `segments/%.${extension}`),
        'tasks/tasks-%.log',
        'manifest-%.log',
      )
      .map((form) => form.replace('%', String(number).padStart(6, '0'))),
  )
const contents = fc.uint8Array({ maxLength: 3000 })
const files = fc.uniqueArray(fc.record({ path: paths, content: contents }), {
  selector: ({ path }) => path,
  minLength: 1,
  maxLength: 6,
})

const headOf = (list: readonly { path: string; content: Uint8Array }[]): SnapshotHead => ({
  version: '1.50.0',
  createdAt: '2026-01-02T03:04:05.000006Z',
  sequence: 7,
  files: list.map(({ path, content }) => ({ path, bytes: content.length, sha256: null })),
})

async function packed(list: readonly PackedFile[], disk = new FakeDisk()): Promise<Uint8Array> {
  const blocks: Uint8Array[] = []
  for await (const block of packedBlocks(disk.mount(), list, new Date(0))) blocks.push(block)
  return Buffer.concat(blocks)
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

describe('a head', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(files, fc.boolean(), (list, hashed) => {
        const head = headOf(list)
        const sha256 = hashed ? 'ab'.repeat(32) : null
        const written = { ...head, files: head.files.map((file) => ({ ...file, sha256 })) }
        expect(decodeHead(encodeHead(written))).toEqual(written)
      }),
    )
  })

  it('has these bytes', () => {
    const file = { path: 'segments/000001.docs', bytes: 7, sha256: 'ab'.repeat(32) }
    const head = { ...headOf([{ path: 'CURRENT', content: bytesOf('x') }]) }
    const text = new TextDecoder().decode(encodeHead({ ...head, files: [...head.files, file] }))
    expect(text).toBe(
      '{"format":1,"version":"1.50.0","createdAt":"2026-01-02T03:04:05.000006Z","sequence":7,' +
        '"files":[{"path":"CURRENT","bytes":1},{"path":"segments/000001.docs","bytes":7,' +
        `"sha256":"${'ab'.repeat(32)}"}]}\n`,
    )
  })

  it.each([
    ['no JSON', '{'],
    ['another format', '{"format":2}'],
    ['no version', '{"format":1,"version":"one"}'],
    ['no list', '{"format":1,"version":"1.2.3","createdAt":"2026-01-02T03:04:05Z","sequence":1}'],
    ['bytes that are no UTF-8', '\u0000'],
  ])('is refused: %s', (_, text) => {
    expect(() => decodeHead(bytesOf(text))).toThrow(ArchiveError)
  })

  it('names only files of a database, each once', () => {
    const file = (path: string) => ({ path, content: new Uint8Array(1) })
    const names = ['../x', '/etc/passwd', 'segments/000001.exe', 'LOCK', 'IMPORTING', HEAD, '']
    for (const name of names) {
      expect(isDatabasePath(name), name).toBe(false)
      expect(() => decodeHead(encodeHead(headOf([file(name)])))).toThrow('not a file of a database')
    }
    const twice = headOf([file('CURRENT'), file('CURRENT')])
    expect(() => decodeHead(encodeHead(twice))).toThrow('occurs twice')
  })
})

describe('an archive', () => {
  it('returns the packed files, at any mixture of levels', async () => {
    const levels = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 7, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(files, levels, async (list, drawn) => {
        const head = encodeHead(headOf(list))
        const all = [{ path: HEAD, content: head }, ...list].map(
          ({ path, content }, i): PackedFile => ({
            path,
            bytes: content.length,
            level: drawn[i]!,
            source: content,
          }),
        )
        const disk = new FakeDisk()
        const progress = (): void => undefined
        await restoreArchive(once(await packed(all)), disk.mount(), { progress })
        for (const { path, content } of list) {
          expect(Buffer.compare(readFile(disk.mount(), path, 1e6), content)).toBe(0)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('is refused if it differs from its head', async () => {
    const list = [
      { path: 'VERSION', content: bytesOf('1.50.0') },
      { path: 'CURRENT', content: bytesOf('x') },
    ]
    const head = { path: HEAD, content: encodeHead(headOf(list)) }
    const wrong: readonly (readonly { path: string; content: Uint8Array }[])[] = [
      [head, list[0]!],
      [head, list[1]!, list[0]!],
      [head, ...list, { path: 'tasks/tasks-000001.log', content: bytesOf('x') }],
      [head, list[0]!, { path: 'CURRENT', content: bytesOf('xy') }],
      list,
    ]
    for (const entries of wrong) {
      const tar = packArchive(
        entries.map(({ path, content }) => ({
          kind: 'file',
          path,
          bytes: content.length,
          content,
        })) as never,
        { gzipLevel: 1, modifiedAt: new Date(0) },
      )
      const progress = (): void => undefined
      const restored = restoreArchive(tar, new FakeDisk().mount(), { progress })
      await expect(restored).rejects.toThrow(ArchiveError)
    }
  })

  it('has a head of at most 256 MiB', async () => {
    /** The archive ends behind the header that announces the head. */
    const restored = async (bytes: number) => {
      const tar = pack()
      tar.entry({ name: HEAD, size: bytes })
      const { value } = await tar[Symbol.asyncIterator]().next()
      await restoreArchive(once(value), new FakeDisk().mount(), { progress: () => undefined })
    }
    await expect(restored(256 * MiB)).rejects.toThrow(new ArchiveError('damaged', 'it ends early'))
    await expect(restored(256 * MiB + 1)).rejects.toThrow(
      new ArchiveError('too_large', 'its head is too long'),
    )
  })

  it('reads its files up to their recorded ends, though they grow', async () => {
    const disk = new FakeDisk()
    disk.mount().makeDirectory('tasks')
    disk.mount().open('tasks/tasks-000001.log', 'create').write(0, bytesOf('beforeafter'))
    const source = 'tasks/tasks-000001.log'
    const bytes = await packed([{ path: source, bytes: 6, level: 6, source }], disk)
    for await (const { content } of readArchive(once(bytes))) {
      for await (const chunk of content) expect(Buffer.from(chunk).toString()).toBe('before')
    }
  })

  it('is cut into parts of one size, the last one shorter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 50 })),
        fc.integer({ min: 1, max: 40 }),
        async (blocks, partBytes) => {
          const fs = new FakeDisk().mount()
          fs.makeDirectory('staging')
          const parts: Uint8Array[] = []
          const target = new PartsTarget(fs, 'staging', partBytes, async (part) => {
            expect(part.number).toBe(parts.length + 1)
            parts.push(readFile(fs, part.path, 1e6))
            fs.remove(part.path)
          })
          for (const block of blocks) await target.write(block)
          await target.finish()
          expect(Buffer.concat(parts).equals(Buffer.concat(blocks))).toBe(true)
          for (const part of parts.slice(0, -1)) expect(part.length).toBe(partBytes)
          expect(fs.list('staging')).toEqual([])
        },
      ),
    )
  })

  it('is one stream for any reader of gzip', async () => {
    const content = bytesOf('x'.repeat(3_000_000))
    const list = [3, 0, 9].map(
      (level, i): PackedFile => ({
        path: `segments/00000${i}.docs`,
        bytes: content.length,
        level,
        source: content,
      }),
    )
    expect(gunzipSync(await packed(list)).length).toBeGreaterThan(9_000_000)
  })
})
