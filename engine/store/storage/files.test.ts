// Names and identities of files, whole files, and which calls of the system make them durable.
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { codeOf } from '../../testing/test-code.ts'
import {
  FakeDisk,
  type FileSystem,
  fileBytes,
  RealFileSystem,
  readFile,
  SequentialWriter,
  writeAside,
} from './index.ts'
import { writeAll, writeAllAsync } from './real-file.ts'

const folder = nodeFs.mkdtempSync(join(tmpdir(), 'svc-files-'))
afterAll(() => nodeFs.rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

let roots = 0
const newRoot = (): string => join(folder, `${roots++}`, 'a')
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function write(fs: FileSystem, path: string, text: string): void {
  const file = fs.open(path, 'create')
  file.write(0, bytesOf(text))
  file.close()
}

const systems: readonly [string, () => FileSystem][] = [
  ['the real file system', () => RealFileSystem.create(newRoot())],
  ['the fake one', () => new FakeDisk().mount()],
]

describe.each(systems)('%s', (_name, make) => {
  it('knows whether a path leads to an open file', () => {
    const fs = make()
    fs.makeDirectory('d')
    write(fs, 'd/a', 'a')
    write(fs, 'd/b', 'b')
    const file = fs.open('d/a', 'read')
    const again = fs.open('d/a', 'write')
    const other = fs.open('d/b', 'read')
    expect([file.isInPlace(), file.isSameAs(again), file.isSameAs(other)]).toEqual([
      true,
      true,
      false,
    ])
    expect(file.stamp()).toEqual(again.stamp())
    expect(file.stamp().inode).not.toBe(other.stamp().inode)
    fs.rename('d/b', 'd/a')
    expect([file.isInPlace(), other.isInPlace(), file.isSameAs(again)]).toEqual([
      false,
      false,
      true,
    ])
    expect(fs.open('d/a', 'read').isSameAs(other)).toBe(true)
  })

  it('gives a file a second name, and never one that is in use', () => {
    const fs = make()
    write(fs, 'a', 'text')
    write(fs, 'b', 'other')
    expect(fs.link('a', 'c')).toBe(true)
    expect(fs.open('c', 'read').isSameAs(fs.open('a', 'read'))).toBe(true)
    fs.remove('a')
    expect(fs.size('c')).toBe(4)
    expect(codeOf(() => fs.link('c', 'b'))).toBe('exists')
    expect(codeOf(() => fs.link('gone', 'd'))).toBe('missing')
    expect(fs.size('b')).toBe(5)
  })

  it('distinguishes folders from files, and removes them with their content', async () => {
    const fs = make()
    fs.makeDirectory('d')
    fs.makeDirectory('d/e')
    write(fs, 'd/e/a', 'a')
    write(fs, 'dd', 'b')
    expect(['d', 'd/e', 'd/e/a', 'gone'].map((path) => fs.isFolder(path))).toEqual([
      true,
      true,
      false,
      false,
    ])
    await fs.removeTreeAsync('d')
    await fs.removeTreeAsync('gone')
    expect(fs.list('')).toEqual(['dd'])
    await fs.removeTreeAsync('dd')
    expect(fs.list('')).toEqual([])
    await expect(fs.removeTreeAsync('')).rejects.toThrow(InvariantError)
  })

  it('maps frames of exactly the length of the file', () => {
    const fs = make()
    write(fs, 'a', 'mapped')
    const found = fs.mapFrame('a', 6)
    if (!(found instanceof Uint8Array)) found.load(0, 6)
    expect(Buffer.from(found instanceof Uint8Array ? found : found.bytes).toString()).toBe('mapped')
    for (const bytes of [5, 7]) expect(codeOf(() => fs.mapFrame('a', bytes))).toBe('short_file')
    fs.checkWritable()
  })
})

describe('a file that is written front to back', () => {
  it.each([
    [[3, 4], 1],
    [[3, 5], 1],
    [[3, 6], 2],
    [[8], 1],
    [[9], 1],
    [[3, 8], 2],
    [[3, 8, 1], 3],
    [[7, 1, 1], 2],
    [[0], 0],
  ])('of parts of %j bytes takes %i writes with a buffer of 8', (parts, writes) => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const writer = new SequentialWriter(fs, 'a', 8)
    const before = disk.steps
    const bytes = parts.reduce((sum, part) => sum + part, 0)
    for (const part of parts) writer.write(new Uint8Array(part).fill(part))
    expect(writer.bytes).toBe(bytes)
    expect(writer.finish()).toBe(bytes)
    // The last step is the sync.
    expect(disk.steps - before).toBe(writes + 1)
    fs.syncDirectory('')
    disk.crash(1)
    expect([...readFile(disk.mount(), 'a', 99)]).toEqual(
      parts.flatMap((part) => Array<number>(part).fill(part)),
    )
    expect(() => writer.abandon()).toThrow(InvariantError)
    expect(fs.openFiles).toBe(0)
  })
})

describe('a whole file', () => {
  it('that ends while it is read is an error, and is closed', () => {
    const fs = new FakeDisk().mount()
    write(fs, 'a', 'abc')
    const open = fs.open.bind(fs)
    fs.open = (path, mode) => Object.assign(open(path, mode), { size: () => 4 })
    expect(codeOf(() => readFile(fs, 'a', 4))).toBe('short_file')
    expect(codeOf(() => readFile(fs, 'a', 3))).toBe('too_large')
    expect(fs.openFiles).toBe(0)
  })

  it('is closed if it cannot be written, and durable if it can', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    disk.fail({ on: 'sync', errno: 'EIO' })
    await expect(writeAside(fs, 'a', bytesOf('x'))).rejects.toMatchObject({ code: 'io' })
    await writeAside(fs, 'a', bytesOf('text'))
    expect([fs.openFiles, fs.list('')]).toEqual([0, ['a.new']])
    fs.syncDirectory('')
    disk.crash(1)
    expect(disk.mount().size('a.new')).toBe(4)
  })

  it('comes in chunks of 256 KiB', async () => {
    const fs = new FakeDisk().mount()
    write(fs, 'a', 'x'.repeat((256 << 10) + 1))
    const lengths: number[] = []
    for await (const chunk of fileBytes(fs, 'a')) lengths.push(chunk.length)
    expect(lengths).toEqual([256 << 10, 1])
  })
})

describe('the operating system', () => {
  it('writes and reads at most 1 GiB a call', async () => {
    // Only its length is looked at.
    const huge = { length: 2 ** 31 + 5 } as Uint8Array
    const calls: number[][] = []
    writeAll('x', huge, (from, length) => {
      calls.push([from, length])
      return length
    })
    expect(calls).toEqual([
      [0, 2 ** 30],
      [2 ** 30, 2 ** 30],
      [2 ** 31, 5],
    ])
    const again: number[][] = []
    await writeAllAsync('x', huge, async (from, length) => {
      again.push([from, length])
      return length
    })
    expect(again).toEqual(calls)
  })

  it('returns fewer bytes than requested in the middle of a file, and reading goes on', async () => {
    const fs = RealFileSystem.create(newRoot())
    write(fs, 'a', 'abcdefgh')
    const file = fs.open('a', 'read')
    const { readSync } = nodeFs
    vi.spyOn(nodeFs, 'readSync').mockImplementation(((
      fd: number,
      target: Uint8Array,
      offset: number,
      length: number,
      at: number,
    ) => readSync(fd, target, offset, Math.min(length, 3), at)) as typeof nodeFs.readSync)
    const target = new Uint8Array(9)
    expect(file.read(1, target)).toBe(7)
    expect(Buffer.from(target).toString()).toBe('bcdefgh\0\0')
    expect(await file.readAsync(6, target)).toBe(2)
  })

  it.runIf(process.platform === 'linux')('syncs each folder that has a new name', () => {
    const sync = vi.spyOn(nodeFs, 'fsyncSync')
    const root = newRoot()
    RealFileSystem.create(join(root, 'b'))
    // The test's folder, and those of `root`, above it and in it.
    expect(sync).toHaveBeenCalledTimes(3)
    const fs = RealFileSystem.create(join(root, 'b'))
    expect(sync).toHaveBeenCalledTimes(3)
    fs.syncDirectory('')
    expect(sync).toHaveBeenCalledTimes(4)
    expect(codeOf(() => fs.syncDirectory('gone'))).toBe('missing')
    const refuse = (code: string) => () => {
      throw Object.assign(new Error(code), { code, errno: -1 })
    }
    sync.mockImplementation(refuse('EACCES'))
    RealFileSystem.create(join(root, 'c'))
    sync.mockImplementation(refuse('EIO'))
    expect(codeOf(() => RealFileSystem.create(join(root, 'd')))).toBe('io')
    RealFileSystem.remove(join(root, 'c'))
    expect(nodeFs.readdirSync(root)).toEqual(['b', 'd'])
  })

  it.runIf(process.platform === 'linux')(
    'makes writes of a log durable by themselves',
    async () => {
      const fs = RealFileSystem.create(newRoot())
      write(fs, 'a', '')
      const sync = vi.spyOn(nodeFs, 'fdatasync')
      for (const [open, syncs] of [
        [() => fs.open('a', 'log'), 0],
        [() => fs.openAsync('a', 'log'), 0],
        [() => fs.open('a', 'write'), 1],
        [() => fs.openAsync('a', 'write'), 2],
      ] as const) {
        const file = await open()
        await file.writeDurableAsync(0, bytesOf('b'))
        expect(sync).toHaveBeenCalledTimes(syncs)
        file.close()
      }
    },
  )

  it('may support no second names; other failures are errors', () => {
    const fs = RealFileSystem.create(newRoot())
    write(fs, 'a', 'a')
    const refuse = (code: string) =>
      vi.spyOn(nodeFs, 'linkSync').mockImplementation(() => {
        throw Object.assign(new Error(code), { code, errno: -1 })
      })
    for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']) {
      refuse(code)
      expect(fs.link('a', 'b'), code).toBe(false)
    }
    refuse('EIO')
    expect(() => fs.link('a', 'b')).toThrow('cannot link `a`')
  })

  it('reports a folder that is gone or a file where a folder was', () => {
    const root = newRoot()
    const fs = RealFileSystem.create(root)
    fs.makeDirectory('d')
    write(fs, 'd/a', 'a')
    const file = fs.open('d/a', 'read')
    const { bavail, bsize } = nodeFs.statfsSync(root)
    expect(fs.freeBytes() / (bavail * bsize)).toBeCloseTo(1, 1)
    nodeFs.rmSync(root, { recursive: true })
    expect([file.isInPlace(), codeOf(() => fs.checkWritable())]).toEqual([false, 'missing'])
    nodeFs.mkdirSync(root)
    nodeFs.writeFileSync(join(root, 'd'), '')
    expect(file.isInPlace()).toBe(false)
    expect(file.isSameAs(new FakeDisk().mount().open('x', 'create'))).toBe(false)
    expect(file.size()).toBe(1)
    file.close()
    expect(() => file.size()).toThrow(InvariantError)
    expect(() => fs.open('d', 'read').read(-1, new Uint8Array(1))).toThrow(InvariantError)
  })
})
