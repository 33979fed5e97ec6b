// Locks by every way: processes exclude each other whichever way each of them uses, also when they
// are killed; systems without a way are refused.
import { type ChildProcess, fork } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { bundleInto } from '../../../fixtures/bundle.ts'
import { lockByProgram, lockWay, refuseNetwork } from './flock.ts'
import { RealFileSystem } from './index.ts'

const folder = fs.mkdtempSync(join(tmpdir(), 'svc-lock-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Values of SVC_NATIVES, and the way that each leaves on Linux. */
const WAYS = { 'fs-ext': 'fs-ext', koffi: 'koffi', off: 'program' } as const
const TURNS = 45

describe.runIf(process.platform === 'linux')('the lock of a database', () => {
  it('has one owner among processes of all ways, of which many are killed', {
    timeout: 240_000,
  }, async () => {
    const script = bundleContender()
    const ways = Object.keys(WAYS)
    const children = new Set<ChildProcess>()
    const wins = new Map<string, number>()
    let owner: ChildProcess | null = null
    let turns = 0
    await new Promise<void>((resolve, reject) => {
      const begin = (way: string): void => {
        const env = { ...process.env, SVC_NATIVES: way }
        const child = fork(script, { execArgv: [], env })
        children.add(child)
        child.on('message', (used: string) => {
          if (owner !== null) return reject(new Error(`two owners, after ${turns} turns`))
          if (used !== WAYS[way as keyof typeof WAYS]) return reject(new Error(`${way}: ${used}`))
          owner = child
          wins.set(way, (wins.get(way) ?? 0) + 1)
          if (++turns === TURNS) return resolve()
          // Others try meanwhile.
          setTimeout(() => end(child, way), 10)
        })
        child.once('error', reject)
        child.once('exit', (code) => {
          if (code !== null) reject(new Error(`${way} ended with ${code}`))
        })
      }
      const end = (child: ChildProcess, way: string): void => {
        owner = null
        if (turns % 2 === 0) return void child.send('release')
        children.delete(child)
        child.kill('SIGKILL')
        begin(way)
      }
      for (const way of [...ways, ...ways, ...ways]) begin(way)
    }).finally(() => {
      for (const child of children) child.removeAllListeners('exit').kill('SIGKILL')
    })
    expect([...wins.keys()].sort()).toEqual([...ways].sort())
  })
})

/** Bundles a program that acquires the lock again and again; it reports each time, and waits. */
function bundleContender(): string {
  const entry = join(folder, 'contender.ts')
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  fs.writeFileSync(
    entry,
    `import { RealFileSystem } from ${module('index.ts')}
     import { lockWay } from ${module('flock.ts')}
     const system = new RealFileSystem(${JSON.stringify(folder)})
     const pause = (ms) => new Promise((done) => setTimeout(done, ms))
     process.on('disconnect', () => process.exit())
     for (;;) {
       await pause(Math.random() * 20)
       let lock
       try { lock = system.lock('LOCK') } catch (error) {
         if (error.code !== 'locked') throw error
         continue
       }
       const released = new Promise((done) => process.once('message', done))
       process.send(lockWay())
       await released
       lock.release()
     }`,
  )
  return bundleInto(folder, entry, 'contender.mjs')
}

describe.runIf(process.platform === 'linux')('the file of a lock', () => {
  const openFiles = (): number => fs.readdirSync('/proc/self/fd').length
  const newSystem = (): { file: string; system: RealFileSystem } => {
    const root = fs.mkdtempSync(join(folder, 'root-'))
    return { file: join(root, 'LOCK'), system: new RealFileSystem(root) }
  }

  it.each(['', '1\n', '123456789012345\nmore'])('names its owner, after %j', (before) => {
    const { file, system } = newSystem()
    fs.writeFileSync(file, before)
    const lock = system.lock('LOCK')
    expect(fs.readFileSync(file, 'utf8')).toBe(`${process.pid}\n`)
    lock.release()
    expect(fs.readFileSync(file, 'utf8')).toBe(`${process.pid}\n`)
  })

  it.each([
    [`${process.pid}\n`, `another server (process ${process.pid})`],
    [`${process.pid} and more`, `another server (process ${process.pid})`],
    ['1', 'another server (process 1)'],
    ['', 'another process'],
    ['0\n', 'another process'],
    [`-${process.pid}\n`, 'another process'],
    ['a server\n', 'another process'],
    // No system has as many processes.
    ['4194305\n', 'another process'],
    ['9999999999999999', 'another process'],
  ])('that holds %j names %s', (content, owner) => {
    const { file, system } = newSystem()
    using _lock = system.lock('LOCK')
    fs.writeFileSync(file, content)
    const files = openFiles()
    const words = `${owner} uses this database: stop it first, or name another database`
    expect(() => system.lock('LOCK')).toThrow(
      expect.objectContaining({ code: 'locked', path: 'LOCK', message: words }),
    )
    expect(() => system.lockForReading('LOCK')).toThrow(words)
    expect(openFiles()).toBe(files)
  })

  it('is closed when the lock is released, and not created for readers', () => {
    const { file, system } = newSystem()
    const files = openFiles()
    system.lockForReading('LOCK').release()
    expect(fs.existsSync(file)).toBe(false)
    system.lock('LOCK').release()
    system.lockForReading('LOCK').release()
    expect(openFiles()).toBe(files)
  })

  it('is closed if the owner cannot be written', () => {
    const { system } = newSystem()
    const files = openFiles()
    const failing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 })
    })
    expect(() => system.lock('LOCK')).toThrow(/^cannot lock `LOCK`: EIO/)
    failing.mockRestore()
    expect(openFiles()).toBe(files)
    system.lock('LOCK').release()
  })
})

describe.runIf(process.platform === 'linux')('the program flock', () => {
  const file = join(folder, 'file')
  fs.writeFileSync(file, '')
  const request = {
    file,
    path: 'LOCK',
    flags: fs.constants.O_RDWR,
    mode: 0o600,
    sharing: 'exclusive',
  } as const
  const lockBy = (programs: readonly string[], sharing: 'exclusive' | 'shared' = 'exclusive') => {
    const fd = fs.openSync(file, 'r+')
    const isLocked = lockByProgram(fd, { ...request, sharing }, programs)
    return { fd, isLocked }
  }
  const programThat = (name: string, text: string): string => {
    const path = join(folder, name)
    fs.writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return path
  }

  it('locks for this process: exclusively, or for readers together', () => {
    const first = lockBy(['flock'], 'shared')
    const second = lockBy(['flock'], 'shared')
    expect([first.isLocked, second.isLocked, lockBy(['flock']).isLocked]).toEqual([
      true,
      true,
      false,
    ])
    fs.closeSync(first.fd)
    fs.closeSync(second.fd)
    const third = lockBy(['flock'])
    expect([third.isLocked, lockBy(['flock'], 'shared').isLocked]).toEqual([true, false])
    fs.closeSync(third.fd)
  })

  it('is looked for in several places, and its absence is reported with what to do', () => {
    const none = join(folder, 'none')
    expect(lockBy([none, 'flock']).isLocked).toBe(true)
    expect(() => lockBy([none])).toThrow(/`LOCK`: there is no program flock: install util-linux/)
  })

  it('that fails for another reason is not taken for a lock of another process', () => {
    const loud = programThat('loud', 'echo "no locks here" >&2; exit 1')
    expect(() => lockBy([loud])).toThrow(/loud: no locks here$/)
    expect(() => lockBy([programThat('odd', 'exit 71')])).toThrow(/odd: 71$/)
    const plain = join(folder, 'plain')
    fs.writeFileSync(plain, '', { mode: 0o644 })
    expect(() => lockBy([plain, 'flock'])).toThrow(/EACCES/)
  })
})

describe('ways to lock', () => {
  it('refuse file systems of other machines where a lock would end with its program', () => {
    for (const type of [0x6969, 0x517b, 0xff534d42, 0xff534d42 | 0, 0xfe534d42]) {
      expect(() => refuseNetwork(type, 'LOCK')).toThrow(/^cannot lock `LOCK`: locks on \w+ need/)
    }
    // ext4, tmpfs, btrfs, overlayfs, xfs
    for (const type of [0xef53, 0x01021994, 0x9123683e, 0x794c7630, 0x58465342]) {
      refuseNetwork(type, 'LOCK')
    }
  })

  it('need no program on other systems', () => {
    expect(['fs-ext', 'open']).toContain(lockWay('darwin'))
    expect(['fs-ext', 'open']).toContain(lockWay('win32'))
  })
})
