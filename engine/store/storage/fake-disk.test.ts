// The fake disk: it loses everything that a real disk may lose, and nothing else.

import { describe, expect, it } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { PowerOff } from './fake-failures.ts'
import { FakeDisk, type FileSystem, readFile, replaceFile } from './index.ts'

const CRASHES = 300
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * Returns the distinct contents of `path` after each of many crashes; `(none)` if the name is
 * missing.
 */
async function outcomes(
  prepare: (fs: FileSystem) => void | Promise<void>,
  path: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let seed = 0; seed < CRASHES; seed++) {
    const disk = new FakeDisk(seed)
    await prepare(disk.mount())
    disk.crash(seed)
    const fs = disk.mount()
    if (!fs.exists(path)) found.add('(none)')
    else found.add(shortened(readFile(fs, path, 1e6)))
  }
  return found
}

/** Returns one letter for each run of equal bytes. */
const shortened = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes)
    .replace(/\0/g, '0')
    .replace(/(.)\1*/g, '$1')

describe('a crash', () => {
  it('keeps synced bytes and names', async () => {
    const found = await outcomes((fs) => {
      const file = fs.open('x', 'create')
      file.write(0, bytesOf('ab'))
      file.sync()
      fs.syncDirectory('')
    }, 'x')
    expect([...found]).toEqual(['ab'])
  })

  it('may lose a name whose folder was not synced, even if the bytes were', async () => {
    const found = await outcomes((fs) => {
      const file = fs.open('x', 'create')
      file.write(0, bytesOf('ab'))
      file.sync()
    }, 'x')
    expect([...found].sort()).toEqual(['(none)', 'ab'])
  })

  it('may keep any of the sectors and any of the lengths', async () => {
    const found = await outcomes((fs) => {
      const file = fs.open('x', 'create')
      fs.syncDirectory('')
      for (const letter of ['a', 'b', 'c']) {
        const at = file.size()
        file.write(at, bytesOf(letter.repeat(512)))
      }
    }, 'x')
    for (const text of ['', 'abc', 'ab', 'a', '0bc', 'a0c', 'ab0', '0', '00c'.slice(1)]) {
      expect(found, text).toContain(text)
    }
  })

  it('may bring back an old version of a sector, but never a mixture in it', async () => {
    const found = await outcomes((fs) => {
      const file = fs.open('x', 'create')
      fs.syncDirectory('')
      file.write(0, bytesOf('a'.repeat(512)))
      file.sync()
      file.write(0, bytesOf('b'.repeat(512)))
      file.write(0, bytesOf('c'.repeat(512)))
    }, 'x')
    expect([...found].sort()).toEqual(['a', 'b', 'c'])
  })

  it('keeps or loses a rename whole', async () => {
    const prepare = (fs: FileSystem): void => {
      for (const [name, text] of [
        ['old', 'o'],
        ['new', 'n'],
      ] as const) {
        const file = fs.open(name, 'create')
        file.write(0, bytesOf(text))
        file.sync()
      }
      fs.syncDirectory('')
      fs.rename('new', 'old')
    }
    expect([...(await outcomes(prepare, 'old'))].sort()).toEqual(['n', 'o'])
    expect([...(await outcomes(prepare, 'new'))].sort()).toEqual(['(none)', 'n'])
  })

  it('keeps the new content of a file that was replaced', async () => {
    const found = await outcomes(async (fs) => {
      await replaceFile(fs, 'x', bytesOf('a'))
      await replaceFile(fs, 'x', bytesOf('b'))
    }, 'x')
    expect([...found]).toEqual(['b'])
  })

  it('may restore a removed file, and truncated bytes', async () => {
    const prepare = (fs: FileSystem): void => {
      const file = fs.open('x', 'create')
      file.write(0, bytesOf('a'.repeat(512)))
      file.sync()
      fs.syncDirectory('')
    }
    const removed = await outcomes((fs) => {
      prepare(fs)
      fs.remove('x')
    }, 'x')
    expect([...removed].sort()).toEqual(['(none)', 'a'])
    const cut = await outcomes((fs) => {
      prepare(fs)
      fs.open('x', 'write').truncate(0)
    }, 'x')
    expect(cut).toContain('')
    expect(cut).toContain('a')
  })

  it('loses a folder with its content', async () => {
    const found = await outcomes((fs) => {
      fs.makeDirectory('d')
      const file = fs.open('d/x', 'create')
      file.sync()
      fs.syncDirectory('d')
    }, 'd/x')
    expect([...found].sort()).toEqual(['', '(none)'])
  })

  it('is decided by its seed', () => {
    const run = (seed: number): string => {
      const disk = new FakeDisk()
      const file = disk.mount().open('x', 'create')
      for (let i = 0; i < 20; i++)
        file.write(i * 512, bytesOf(String.fromCharCode(97 + i).repeat(512)))
      disk.crash(seed)
      const fs = disk.mount()
      return fs.exists('x') ? shortened(readFile(fs, 'x', 1e6)) : ''
    }
    for (let seed = 0; seed < 50; seed++) expect(run(seed)).toBe(run(seed))
  })
})

describe('a durable write', () => {
  it('syncs its own sectors and the length, nothing else', async () => {
    const found = await outcomes(async (fs) => {
      const file = fs.open('x', 'create')
      fs.syncDirectory('')
      file.write(0, bytesOf('a'.repeat(512)))
      await file.writeDurableAsync(512, bytesOf('b'.repeat(512)))
    }, 'x')
    expect([...found].sort()).toEqual(['0b', 'ab'])
  })
})

describe('the end of a process', () => {
  it('loses nothing but locks and open files', () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const file = fs.open('x', 'create')
    file.write(0, bytesOf('a'))
    fs.lock('LOCK')
    disk.kill()
    expect(() => file.write(1, bytesOf('b'))).toThrow(PowerOff)
    expect(() => fs.exists('x')).toThrow(PowerOff)
    const next = disk.mount()
    expect(shortened(readFile(next, 'x', 9))).toBe('a')
    next.lock('LOCK').release()
  })

  it('comes in the middle of a step when asked for', () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const file = fs.open('x', 'create')
    disk.powerOffAfter(1)
    file.write(0, bytesOf('a'))
    expect(disk.powerIsOff).toBe(false)
    expect(() => file.sync()).toThrow(PowerOff)
    expect(disk.powerIsOff).toBe(true)
    expect(() => file.size()).toThrow(PowerOff)
    disk.crash(1)
    expect(disk.mount().list('').length).toBeLessThan(2)
  })
})

describe('faults', () => {
  it('occur at the requested place as often as requested', () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    disk.fail({ on: 'write', errno: 'EIO', path: 'b', after: 1, times: 2, part: 1 })
    const a = fs.open('a', 'create')
    const b = fs.open('b', 'create')
    const tries = (file: typeof a): string => {
      try {
        file.write(file.size(), bytesOf('xyz'))
        return 'ok'
      } catch (error) {
        return error instanceof StorageError ? error.code : 'other'
      }
    }
    expect([tries(a), tries(b), tries(b), tries(b), tries(b)]).toEqual([
      'ok',
      'ok',
      'io',
      'io',
      'ok',
    ])
    expect(b.size()).toBe(3 + 1 + 1 + 3)
    disk.fail({ on: 'open', errno: 'EMFILE' })
    expect(() => fs.open('a', 'read')).toThrow(/EMFILE/)
    fs.open('a', 'read').close()
  })

  it('fill the disk up to the last byte', () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    disk.capacity = 5
    const file = fs.open('a', 'create')
    file.write(0, bytesOf('abc'))
    expect(() => file.write(3, bytesOf('defg'))).toThrow(/no space left/)
    expect(file.size()).toBe(5)
    file.write(0, bytesOf('over'))
    file.truncate(1)
    expect(fs.freeBytes()).toBe(4)
  })

  it('of a sync leave a cache that differs from the disk', () => {
    const after = new Set<string>()
    for (let seed = 0; seed < 100; seed++) {
      const disk = new FakeDisk(seed)
      const fs = disk.mount()
      const file = fs.open('x', 'create')
      fs.syncDirectory('')
      file.write(0, bytesOf('a'.repeat(512)))
      file.sync()
      file.write(0, bytesOf('b'.repeat(512)))
      disk.fail({ on: 'sync', errno: 'EIO' })
      expect(() => file.sync()).toThrow(StorageError)
      const seen = shortened(readFile(fs, 'x', 1e6))
      file.sync()
      disk.crash(seed)
      after.add(`${seen} then ${shortened(readFile(disk.mount(), 'x', 1e6))}`)
    }
    expect([...after].sort()).toEqual(['a then a', 'b then a', 'b then b'])
  })
})
