// Files that cannot be mapped: any order of uses loads the right bytes, and no more than needed.

import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { CorruptionError, InvariantError } from '../../../format/errors.ts'
import { Frame } from '../../../format/frame/index.ts'
import { encodeFrame } from '../../../format/frame/writer-v1.ts'
import { StorageError } from '../../model/index.ts'
import { lazyBytes } from './lazy-bytes.ts'
import { LAZY_CHUNK_BYTES } from './limits.ts'

const folder = fs.mkdtempSync(join(tmpdir(), 'svc-lazy-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const LENGTH = LAZY_CHUNK_BYTES * 9 + 77
const content = Uint8Array.from({ length: LENGTH }, (_, i) => (i * 31 + (i >>> 8)) % 251)

function lazyFile(bytes: Uint8Array, name: string) {
  const file = join(folder, name)
  fs.writeFileSync(file, bytes)
  return { file, lazy: lazyBytes(fs.openSync(file, 'r'), name, bytes.length) }
}

describe('lazy bytes', () => {
  it('are those of the file wherever they were loaded, and zero elsewhere', () => {
    const range = fc
      .tuple(fc.nat(LENGTH - 1), fc.nat(LENGTH - 1))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b) + 1])
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
        const { lazy } = lazyFile(content, 'random')
        const chunks = new Set<number>()
        for (const [from = 0, to = 0] of ranges) {
          lazy.load(from, to)
          expect(Buffer.compare(lazy.bytes.subarray(from, to), content.subarray(from, to))).toBe(0)
          for (let at = from; at < to; at++) chunks.add(Math.floor(at / LAZY_CHUNK_BYTES))
        }
        const room = LENGTH - LAZY_CHUNK_BYTES * 9
        const loaded =
          chunks.size * LAZY_CHUNK_BYTES - (chunks.has(9) ? LAZY_CHUNK_BYTES - room : 0)
        expect(lazy.loadedBytes()).toBe(loaded)
        if (!chunks.has(4)) expect(lazy.bytes[4 * LAZY_CHUNK_BYTES + 5]).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  it('stay those of a file that was removed or replaced', () => {
    const { file, lazy } = lazyFile(content, 'removed')
    lazy.load(0, 10)
    fs.rmSync(file)
    fs.writeFileSync(file, 'another file')
    lazy.load(0, LENGTH)
    expect(Buffer.compare(lazy.bytes, content)).toBe(0)
  })

  it('of a file that was truncated are an error of the file, not the end of the process', () => {
    const { file, lazy } = lazyFile(content, 'truncated')
    fs.truncateSync(file, LAZY_CHUNK_BYTES)
    lazy.load(0, 1)
    const load = () => lazy.load(LAZY_CHUNK_BYTES, LAZY_CHUNK_BYTES + 1)
    expect(load).toThrow(StorageError)
    expect(load).toThrow(/`truncated` ends at 65536 instead of \d+: it was changed from outside/)
  })
})

describe('the descriptor of lazy bytes', () => {
  it('is closed once, and nothing is loaded afterwards', () => {
    const { lazy } = lazyFile(content, 'closed')
    lazy.load(0, 1)
    lazy.close()
    lazy.close()
    lazy.load(5, 9)
    expect(() => lazy.load(LAZY_CHUNK_BYTES, LAZY_CHUNK_BYTES + 1)).toThrow(InvariantError)
    expect(lazy.bytes[5]).toBe(content[5])
  })
})

describe('a frame of lazy bytes', () => {
  const frame = encodeFrame('TEST', (writer) => {
    writer.section('AAAA', 1, content)
    writer.section('BBBB', 1, content.subarray(5))
  })

  it('loads what is used, and finds damage where it is used', () => {
    const damaged = frame.slice()
    damaged[LAZY_CHUNK_BYTES * 3]! ^= 1
    const { lazy } = lazyFile(damaged, 'frame')
    const opened = Frame.open(lazy, 'TEST')
    const section = opened.section('BBBB')
    const opening = lazy.loadedBytes()
    expect(opening).toBeLessThanOrEqual(3 * LAZY_CHUNK_BYTES)
    expect(section.read(1000, 9)).toEqual(content.slice(1005, 1014))
    expect(lazy.loadedBytes()).toBeLessThanOrEqual(opening + 2 * LAZY_CHUNK_BYTES)
    expect(opened.section('AAAA').read(0, 9)).toEqual(content.slice(0, 9))
    expect(() => opened.section('AAAA').all()).toThrow(CorruptionError)
  })

  it('is refused like one in memory for every damaged bit', () => {
    const short = encodeFrame('TEST', (writer) => writer.section('AAAA', 1, content.slice(0, 20)))
    const outcome = (open: () => Frame): unknown => {
      try {
        const opened = open()
        opened.verifyAll()
        return [...opened.sections].map(({ bytes }) => bytes.slice())
      } catch (error) {
        return error
      }
    }
    for (let bit = 0; bit < short.length * 8; bit++) {
      const damaged = short.slice()
      damaged[bit >>> 3]! ^= 1 << (bit & 7)
      const { lazy } = lazyFile(damaged, 'bits')
      expect(outcome(() => Frame.open(lazy, 'TEST'))).toEqual(
        outcome(() => Frame.open(damaged, 'TEST')),
      )
    }
  })
})
