// Large files piece by piece, new folders, and errors of the system in words.
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { goneError, guarded, promised, storageError } from './errno.ts'
import { PowerOff } from './fake-failures.ts'
import { FakeDisk, type FileSystem, fileBytes, readFile, replaceByStream } from './index.ts'
import { makeFolders } from './make-folders.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textIn = (system: FileSystem, path: string): string =>
  new TextDecoder().decode(readFile(system, path, 1e6))

function write(system: FileSystem, path: string, text: string): void {
  const file = system.open(path, 'create')
  file.write(0, bytesOf(text))
  file.sync()
  file.close()
  system.syncDirectory('')
}

async function chunksOf(system: FileSystem, path: string, bytes: number): Promise<string[]> {
  const chunks: string[] = []
  for await (const chunk of fileBytes(system, path, bytes))
    chunks.push(Buffer.from(chunk).toString())
  return chunks
}

describe('the bytes of a file', () => {
  it('come in chunks, the last one shorter', async () => {
    const system = new FakeDisk().mount()
    write(system, 'a', 'abcdefgh')
    write(system, 'empty', '')
    expect(await chunksOf(system, 'a', 3)).toEqual(['abc', 'def', 'gh'])
    expect(await chunksOf(system, 'a', 4)).toEqual(['abcd', 'efgh'])
    expect(await chunksOf(system, 'a', 9)).toEqual(['abcdefgh'])
    expect(await chunksOf(system, 'empty', 3)).toEqual([])
    expect(system.openFiles).toBe(0)
  })

  it('of a file that was cut while it is read are an error', async () => {
    const system = new FakeDisk().mount()
    write(system, 'a', 'abcdef')
    const reading = fileBytes(system, 'a', 2)
    await reading.next()
    const file = system.open('a', 'write')
    file.truncate(3)
    file.close()
    await expect(reading.next()).rejects.toMatchObject({ code: 'short_file', path: 'a' })
    expect(system.openFiles).toBe(0)
  })
})

describe('a file replaced by a stream', () => {
  async function* stream(...texts: readonly string[]) {
    for (const text of texts) {
      if (text === 'fail') throw new Error('the stream failed')
      yield bytesOf(text)
    }
  }

  it('has all chunks, in order', async () => {
    const system = new FakeDisk().mount()
    write(system, 'a', 'old')
    write(system, 'a.new', 'left by a process that was killed')
    expect(await replaceByStream(system, 'a', stream('ab', '', 'cde'))).toBe(5)
    expect([textIn(system, 'a'), system.list('')]).toEqual(['abcde', ['a']])
    expect(await replaceByStream(system, 'b', stream(), 'aside')).toBe(0)
    expect([textIn(system, 'b'), system.list(''), system.openFiles]).toEqual(['', ['a', 'b'], 0])
  })

  it('stays as it was if the stream or the disk fail', async () => {
    const disk = new FakeDisk()
    const system = disk.mount()
    write(system, 'a', 'old')
    await expect(replaceByStream(system, 'a', stream('ab', 'fail'))).rejects.toThrow(
      'stream failed',
    )
    for (const on of ['write', 'sync'] as const) {
      disk.fail({ on, errno: 'EIO' })
      await expect(replaceByStream(system, 'a', stream('ab'))).rejects.toMatchObject({ code: 'io' })
    }
    expect([textIn(system, 'a'), system.list(''), system.openFiles]).toEqual(['old', ['a'], 0])
  })

  it('is the whole new file or the old one after a power failure at any step', async () => {
    for (let steps = 0; steps < 12; steps++) {
      const disk = new FakeDisk(steps)
      write(disk.mount(), 'a', 'old')
      disk.powerOffAfter(steps)
      const isDone = await replaceByStream(disk.mount(), 'a', stream('ab', 'cd')).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(PowerOff)
          return false
        },
      )
      disk.crash(steps)
      expect(isDone ? ['abcd'] : ['old', 'abcd']).toContain(textIn(disk.mount(), 'a'))
    }
  })
})

describe('folders', () => {
  const root = fs.mkdtempSync(join(tmpdir(), 'svc-folders-'))
  afterAll(() => fs.rmSync(root, { recursive: true }))

  it('are created with those above them; the outermost new one is returned', () => {
    expect(makeFolders(join(root, 'a/b/c'), 0o700)).toBe(join(root, 'a'))
    expect(fs.statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700)
    expect(makeFolders(join(root, 'a/b/d'), 0o700)).toBe(join(root, 'a/b/d'))
    expect(makeFolders(join(root, 'a/b/c'), 0o700)).toBeUndefined()
  })

  it('are not created where a file is', () => {
    fs.writeFileSync(join(root, 'file'), '')
    expect(() => makeFolders(join(root, 'file'), 0o700)).toThrow('EEXIST')
    expect(() => makeFolders(join(root, 'file/below'), 0o700)).toThrow('ENOTDIR')
  })
})

describe('errors of the system', () => {
  const system = (code: string): Error => Object.assign(new Error('its words'), { code, errno: -1 })

  it.each([
    ['ENOSPC', 'no_space', 'cannot write `a`: no space left on the device (ENOSPC)'],
    ['EACCES', 'permission', 'cannot write `a`: permission denied (EACCES)'],
    ['EROFS', 'permission', 'cannot write `a`: the file system is read-only (EROFS)'],
    ['ENOENT', 'missing', 'cannot write `a`: no such file (ENOENT)'],
    ['EMFILE', 'too_many_open_files', 'cannot write `a`: too many open files (EMFILE)'],
    ['EIO', 'io', 'cannot write `a`: its words (EIO)'],
  ])('%s', (errno, code, message) => {
    const cause = system(errno)
    expect(storageError(cause, 'a', 'write')).toMatchObject({ code, path: 'a', message, cause })
  })

  it('name the folder for an empty path, and stay what they are', () => {
    expect(storageError(system('EIO'), '', 'list').message).toMatch(
      /^cannot list the database folder:/,
    )
    expect(storageError(system('EIO'), '', 'list', 'the dumps').message).toMatch(/ list the dumps:/)
    expect(storageError('a text', 'a', 'read').message).toBe('cannot read `a`: a text')
    const error = new StorageError('io', 'b', 'known')
    expect(storageError(error, 'a', 'read')).toBe(error)
    expect(goneError('a')).toMatchObject({ code: 'missing', path: 'a' })
  })

  it('are converted where they are thrown or passed on; others are not', async () => {
    const failing = (error: unknown) => () => {
      throw error
    }
    expect(guarded('a', 'read', () => 7)).toBe(7)
    expect(() => guarded('a', 'read', failing(system('EIO')))).toThrow('cannot read `a`')
    expect(() => guarded('', 'read', failing(system('EIO')), 'the dumps')).toThrow('the dumps')
    const ours = new RangeError('ours')
    expect(() => guarded('a', 'read', failing(ours))).toThrow(ours)
    expect(await promised('a', 'read', (done) => done(null, 7))).toBe(7)
    const passed = promised('a', 'read', (done) => done(system('EIO') as NodeJS.ErrnoException))
    await expect(passed).rejects.toMatchObject({ code: 'io', path: 'a' })
  })
})
