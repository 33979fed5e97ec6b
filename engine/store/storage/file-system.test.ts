// The behaviour that both file systems share, including error codes, and the behaviour that only
// the real one can show.
import { type ChildProcess, fork } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { bundleInto } from '../../../fixtures/bundle.ts'
import { InvariantError } from '../../../format/errors.ts'
import type { StorageCode } from '../../model/index.ts'
import { codeOf } from '../../testing/test-code.ts'
import { storageError } from './errno.ts'
import {
  collectGarbage,
  FakeDisk,
  type FileSystem,
  isTemporaryName,
  RealFileSystem,
  readFile,
  replaceFile,
  SequentialWriter,
  temporaryName,
} from './index.ts'
import { binding, releasePages } from './map.ts'
import { writeAll, writeAllAsync } from './real-file.ts'

const roots: string[] = []
const newRoot = (): string => {
  roots.push(nodeFs.mkdtempSync(join(tmpdir(), 'svc-storage-')))
  return roots.at(-1)!
}
afterAll(() => {
  for (const root of roots) nodeFs.rmSync(root, { recursive: true })
})

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const systems: readonly [string, () => FileSystem][] = [
  ['the real file system', () => RealFileSystem.create(join(newRoot(), 'a', 'b'))],
  ['the fake one', () => new FakeDisk().mount()],
]

describe.each(systems)('%s', (_name, make) => {
  it('writes, reads, truncates and extends', async () => {
    const fs = make()
    const file = fs.open('x', 'create')
    file.write(0, bytesOf('hello'))
    await file.writeAsync(3, bytesOf('p me'))
    file.sync()
    expect(file.size()).toBe(7)
    const target = new Uint8Array(10)
    expect(file.read(1, target)).toBe(6)
    expect(textOf(target.subarray(0, 6))).toBe('elp me')
    expect(await file.readAsync(5, target)).toBe(2)
    expect(file.read(7, target)).toBe(0)
    expect(file.read(900, target)).toBe(0)
    file.truncate(2)
    await file.truncateAsync(4)
    await file.syncAsync()
    expect([...readFile(fs, 'x', 100)]).toEqual([104, 101, 0, 0])
    file.close()
    expect(fs.size('x')).toBe(4)
  })

  it('writes durably at the end, over zeros and over old bytes', async () => {
    const fs = make()
    fs.open('log', 'create').close()
    const file = fs.open('log', 'log')
    await file.writeDurableAsync(0, new Uint8Array(5000))
    await file.writeDurableAsync(100, bytesOf('first'))
    await file.writeDurableAsync(4998, bytesOf('last'))
    file.close()
    const bytes = readFile(fs, 'log', 10_000)
    expect(bytes.length).toBe(5002)
    expect(textOf(bytes.subarray(100, 105))).toBe('first')
    expect(textOf(bytes.subarray(4998))).toBe('last')
  })

  it('keeps names in folders', async () => {
    const fs = make()
    fs.makeDirectory('d')
    fs.makeDirectory('d')
    for (const name of ['b', 'a', 'ä', 'B']) fs.open(`d/${name}`, 'create').close()
    fs.syncDirectory('d')
    await fs.syncDirectoryAsync('')
    expect(fs.list('d')).toEqual(['B', 'a', 'b', 'ä'])
    expect(fs.list('')).toEqual(['d'])
    fs.rename('d/a', 'd/b')
    await fs.renameAsync('d/B', 'd/C')
    fs.remove('d/b')
    await fs.removeAsync('d/ä')
    expect(fs.list('d')).toEqual(['C'])
    expect([fs.exists('d/C'), fs.exists('d/B'), fs.exists('d')]).toEqual([true, false, true])
    expect(fs.freeBytes()).toBeGreaterThan(0)
  })

  it('fails with the same codes', async () => {
    const fs = make()
    fs.open('here', 'create').close()
    expect(codeOf(() => fs.open('here', 'create'))).toBe('exists')
    expect(codeOf(() => fs.open('gone', 'read'))).toBe('missing')
    expect(codeOf(() => fs.open('gone', 'log'))).toBe('missing')
    expect(codeOf(() => fs.open('no/where', 'create'))).toBe('missing')
    expect(codeOf(() => fs.size('gone'))).toBe('missing')
    expect(codeOf(() => fs.list('gone'))).toBe('missing')
    expect(codeOf(() => fs.remove('gone'))).toBe('missing')
    expect(codeOf(() => fs.rename('gone', 'x'))).toBe('missing')
    expect(codeOf(() => fs.map('gone', 1))).toBe('missing')
    expect(codeOf(() => fs.map('here', 1))).toBe('short_file')
    expect(codeOf(() => readFile(fs, 'gone', 1))).toBe('missing')
    await expect(fs.openAsync('gone', 'write')).rejects.toMatchObject({ code: 'missing' })
    await expect(fs.removeAsync('gone')).rejects.toMatchObject({ code: 'missing', path: 'gone' })
  })

  it('maps whole files, empty ones too', () => {
    const fs = make()
    const file = fs.open('m', 'create')
    file.write(0, bytesOf('mapped'))
    file.close()
    fs.open('empty', 'create').close()
    const mapped = fs.map('m', 6)
    fs.remove('m')
    expect(textOf(mapped)).toBe('mapped')
    expect(mapped.constructor).toBe(Uint8Array)
    expect(fs.map('empty', 0)).toHaveLength(0)
  })

  it('grants one lock at a time', () => {
    const fs = make()
    const lock = fs.lock('LOCK')
    expect(codeOf(() => fs.lock('LOCK'))).toBe('locked')
    expect(() => fs.lock('LOCK')).toThrow(/uses this database: stop it first/)
    lock.release()
    {
      using _lock = fs.lock('LOCK')
      expect(codeOf(() => fs.lock('LOCK'))).toBe('locked')
    }
    fs.lock('LOCK').release()
  })

  it('grants locks to many readers or one writer', () => {
    const fs = make()
    fs.lockForReading('LOCK').release()
    const writer = fs.lock('LOCK')
    expect(codeOf(() => fs.lockForReading('LOCK'))).toBe('locked')
    writer.release()
    const readers = [fs.lockForReading('LOCK'), fs.lockForReading('LOCK')]
    expect(codeOf(() => fs.lock('LOCK'))).toBe('locked')
    readers[0]!.release()
    expect(codeOf(() => fs.lock('LOCK'))).toBe('locked')
    readers[1]!.release()
    fs.lock('LOCK').release()
  })

  it('replaces a file in one step, also after an interrupted attempt', async () => {
    const fs = make()
    fs.open(temporaryName('v'), 'create').close()
    await replaceFile(fs, 'v', bytesOf('one'))
    await replaceFile(fs, 'v', bytesOf('two'))
    expect(textOf(readFile(fs, 'v', 10))).toBe('two')
    expect(fs.list('').filter(isTemporaryName)).toEqual([])
    expect(codeOf(() => readFile(fs, 'v', 2))).toBe('too_large')
  })

  it('is written front to back', () => {
    const fs = make()
    const writer = new SequentialWriter(fs, 's', 16)
    const parts = ['a', 'bcdefgh', 'i'.repeat(16), '', 'j'.repeat(100), 'k'.repeat(15), 'lm']
    for (const part of parts) writer.write(bytesOf(part))
    expect(writer.bytes).toBe(parts.join('').length)
    expect(writer.finish()).toBe(parts.join('').length)
    expect(textOf(readFile(fs, 's', 1000))).toBe(parts.join(''))
    expect(codeOf(() => new SequentialWriter(fs, 's'))).toBe('exists')
    const other = new SequentialWriter(fs, 't')
    other.write(bytesOf('x'))
    other.abandon()
    expect(fs.exists('t')).toBe(false)
    expect(() => other.write(bytesOf('y'))).toThrow(InvariantError)
  })
})

describe('the real file system', () => {
  it.runIf(binding() !== null)('unmaps collected mappings', async () => {
    const root = newRoot()
    const fs = new RealFileSystem(root)
    const file = fs.open('big', 'create')
    file.write(0, new Uint8Array(1 << 20).fill(7))
    file.close()
    const mappings = () =>
      nodeFs.readFileSync('/proc/self/maps', 'utf8').split(join(root, 'big')).length - 1
    let part: Uint8Array | null = fs.map('big', 1 << 20).subarray(5, 6)
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([part[0], mappings()]).toEqual([7, 1])
    part = null
    for (let i = 0; i < 50 && mappings() > 0; i++) {
      collectGarbage()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(mappings()).toBe(0)
  })

  it.runIf(binding() !== null)(
    'releases the pages of a mapping; other memory does not change',
    () => {
      const root = newRoot()
      const fs = new RealFileSystem(root)
      const file = fs.open('pages', 'create')
      file.write(0, new Uint8Array(1 << 20).fill(7))
      file.close()
      const mapped = fs.map('pages', 1 << 20)
      const residentKilobytes = (): number => {
        const [, after = ''] = nodeFs
          .readFileSync('/proc/self/smaps', 'utf8')
          .split(join(root, 'pages'))
        return Number(/^Rss:\s+(\d+) kB$/m.exec(after)?.[1])
      }
      for (let i = 0; i < mapped.length; i += 4096) expect(mapped[i]).toBe(7)
      expect(residentKilobytes()).toBe(1024)
      releasePages(mapped.buffer)
      expect(residentKilobytes()).toBe(0)
      expect([mapped[0], mapped.at(-1)]).toEqual([7, 7])
      const own = new Uint8Array(1 << 20).fill(7)
      releasePages(own.buffer)
      expect(own.every((byte) => byte === 7)).toBe(true)
    },
  )

  it('refuses to map more bytes than the binding supports', () => {
    const fs = new RealFileSystem(newRoot())
    expect(codeOf(() => fs.map('x', 2 ** 31))).toBe('too_large')
    expect(codeOf(() => fs.map('x', 2 ** 31 - 1))).toBe('missing')
  })

  it('stays inside its folder', () => {
    const fs = new RealFileSystem(newRoot())
    expect(() => fs.open('../x', 'read')).toThrow(InvariantError)
    expect(() => fs.open('/etc/passwd', 'read')).toThrow(InvariantError)
    fs.open('a..b', 'create').close()
  })

  it('excludes another process, and names the owner', async () => {
    const root = newRoot()
    const entry = join(root, 'holder.ts')
    const storage = JSON.stringify(join(import.meta.dirname, 'index.ts'))
    nodeFs.writeFileSync(
      entry,
      `import { RealFileSystem } from ${storage}
       new RealFileSystem(${JSON.stringify(root)}).lock('LOCK')
       process.send('locked')
       process.on('message', () => process.exit())`,
    )
    const script = bundleInto(root, entry, 'holder.mjs')
    const child: ChildProcess = fork(script, { execArgv: [] })
    await new Promise((resolve) => child.once('message', resolve))
    const fs = new RealFileSystem(root)
    expect(() => fs.lock('LOCK')).toThrow(
      `another server (process ${child.pid}) uses this database`,
    )
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const before = nodeFs.readFileSync(join(root, 'LOCK'), 'utf8')
    const reader = fs.lockForReading('LOCK')
    expect(nodeFs.readFileSync(join(root, 'LOCK'), 'utf8')).toBe(before)
    // The file still names the process that was killed.
    expect(() => fs.lock('LOCK')).toThrow('another process uses this database')
    reader.release()
    fs.lock('LOCK').release()
  })

  it('maps files and respects the lock in worker threads', async () => {
    const root = newRoot()
    const entry = join(root, 'worker.ts')
    const storage = JSON.stringify(join(import.meta.dirname, 'index.ts'))
    const runtime = JSON.stringify(join(import.meta.dirname, '../../runtime/index.ts'))
    nodeFs.writeFileSync(join(root, 'data'), 'from a worker')
    nodeFs.writeFileSync(
      entry,
      `import { getPriority } from 'node:os'
       import { readlinkSync } from 'node:fs'
       import { parentPort } from 'node:worker_threads'
       import * as storage from ${storage}
       import { setThreadNiceness } from ${runtime}
       const text = new TextDecoder().decode(
         new storage.RealFileSystem(${JSON.stringify(root)}).map('data', 13))
       const packed = storage.compress(new TextEncoder().encode(text), 3)
       const again = new TextDecoder().decode(storage.decompress(packed, 13))
       const lowered = setThreadNiceness(7)
       const thread = lowered ? Number(readlinkSync('/proc/thread-self').split('/').at(-1)) : 0
       storage.collectGarbage()
       parentPort.postMessage({ again, lowered, nice: lowered ? getPriority(thread) : 7 })`,
    )
    const worker = new Worker(bundleInto(root, entry, 'worker.mjs'))
    const answer = await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    await worker.terminate()
    expect(answer).toEqual({
      again: 'from a worker',
      lowered: process.platform === 'linux',
      nice: 7,
    })
    expect(process.platform !== 'linux' || nodeFs.existsSync('/proc/thread-self')).toBe(true)
  })
})

describe('short writes', () => {
  const source = Uint8Array.from({ length: 1000 }, (_, i) => i)
  const taking = (counts: readonly number[]) => {
    const seen: number[] = []
    let call = 0
    const some = (from: number, length: number): number => {
      const count = Math.min(length, counts[call++ % counts.length]!)
      for (let i = 0; i < count; i++) seen.push(source[from + i]!)
      return count
    }
    return { seen, some }
  }

  it('are continued', async () => {
    const one = taking([1, 300, 7])
    writeAll('x', source, one.some)
    expect(Uint8Array.from(one.seen)).toEqual(source)
    const two = taking([400])
    await writeAllAsync('x', source, async (from, length) => two.some(from, length))
    expect(Uint8Array.from(two.seen)).toEqual(source)
  })

  it('of nothing are a failure, not a loop', async () => {
    expect(codeOf(() => writeAll('x', source, taking([5, 0]).some))).toBe('io')
    const none = writeAllAsync('x', source, async () => 0)
    await expect(none).rejects.toMatchObject({ code: 'io' })
  })
})

describe('system errors', () => {
  it('become codes', () => {
    const cases: readonly [string, StorageCode][] = [
      ['ENOSPC', 'no_space'],
      ['EDQUOT', 'no_space'],
      ['EMFILE', 'too_many_open_files'],
      ['ENFILE', 'too_many_open_files'],
      ['EACCES', 'permission'],
      ['EPERM', 'permission'],
      ['EROFS', 'permission'],
      ['ENOENT', 'missing'],
      ['EEXIST', 'exists'],
      ['EIO', 'io'],
      ['EBADF', 'io'],
    ]
    for (const [code, expected] of cases) {
      const error = Object.assign(new Error('words'), { code, errno: -1 })
      const found = storageError(error, 'segments/1.docs', 'write')
      expect([found.code, found.path]).toEqual([expected, 'segments/1.docs'])
      expect(found.message).toContain('cannot write `segments/1.docs`')
      expect(found.message).toContain(code)
    }
  })
})
