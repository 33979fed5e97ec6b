// Frames: golden bytes; checksums are verified when necessary.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { InvariantError } from '../errors.ts'
import { FRAME_PAGE_BYTES, Frame, FrameWriter } from './index.ts'
import { frameNotes } from './test-notes.ts'
import { ascii, KIND, openAll, outcome, small } from './test-support.ts'
import { encodeFrame } from './writer-v1.ts'

/** Returns pseudo-random bytes that depend only on the seed. */
function noise(length: number, seed = 1): Uint8Array {
  const out = new Uint8Array(length)
  let state = seed
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    out[i] = state >>> 24
  }
  return out
}

describe('bytes', () => {
  it('are the golden ones', () => {
    const bytes = small()
    const shown = expectGolden('frame/v1/three-sections', bytes, frameNotes(bytes, KIND))
    const frame = Frame.open(shown, KIND)
    frame.verifyAll()
    const found = [...frame.sections].map(({ tag, version, offset, length }) => [
      tag,
      version,
      offset,
      length,
    ])
    expect(found).toEqual([
      ['ABCD', 1, 16, 5],
      ['NONE', 7, 24, 0],
      ['LAST', 2, 24, 10],
    ])
    expect(frame.section('LAST', 1, 2).all()).toEqual(ascii('0123456789'))
  })

  it('a frame without sections is a frame', () => {
    const bytes = encodeFrame(KIND, () => undefined)
    expectGolden('frame/v1/none', bytes, frameNotes(bytes, KIND))
    expect(openAll(bytes)).toBe('ok')
    expect([...Frame.open(bytes, KIND).sections]).toEqual([])
  })

  it('do not depend on the division into writes', () => {
    const content = noise(3 * FRAME_PAGE_BYTES + 77)
    const whole = encodeFrame(KIND, (writer) => {
      writer.section('AAAA', 1, content)
      writer.section('BBBB', 1, content.subarray(5, 900))
    })
    const size = fc.oneof(fc.nat(9), fc.nat(2 * FRAME_PAGE_BYTES))
    fc.assert(
      fc.property(fc.array(size, { maxLength: 30 }), (sizes) => {
        const pieces: Uint8Array[] = []
        const writer = new FrameWriter(KIND, (bytes) => pieces.push(bytes.slice()))
        for (const [tag, bytes] of [
          ['AAAA', content],
          ['BBBB', content.subarray(5, 900)],
        ] as const) {
          writer.begin(tag, 1)
          let at = 0
          for (const size of sizes) {
            writer.write(bytes.subarray(at, at + size))
            at = Math.min(at + size, bytes.length)
            expect(writer.sectionBytes).toBe(at)
          }
          writer.write(bytes.subarray(at))
          writer.end()
        }
        const length = writer.finish()
        const joined = new Uint8Array(Buffer.concat(pieces))
        expect(length).toBe(joined.length)
        expect(Buffer.compare(joined, whole)).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('any sections survive a round trip, at multiples of 8, from any offset in memory', () => {
    const sections = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 })
    fc.assert(
      fc.property(sections, fc.nat(9), (contents, shift) => {
        const bytes = encodeFrame(KIND, (writer) => {
          contents.forEach((content, i) => {
            writer.section(`SEC${i}`, i, content)
          })
        })
        const elsewhere = new Uint8Array(bytes.length + 16)
        elsewhere.set(bytes, shift)
        const frame = Frame.open(elsewhere.subarray(shift, shift + bytes.length), KIND)
        frame.verifyAll()
        contents.forEach((content, i) => {
          const section = frame.section(`SEC${i}`, i, i)
          expect(section.offset % 8).toBe(0)
          expect(section.all()).toEqual(content)
        })
        expect(frameNotes(bytes, KIND).at(-1)!.to).toBe(bytes.length)
      }),
    )
  })
})

describe('checksums', () => {
  const PAGES = 5
  const content = noise(PAGES * FRAME_PAGE_BYTES - 100)
  const large = encodeFrame(KIND, (writer) => {
    writer.section('HEAD', 1, content.subarray(0, 10))
    writer.section('DATA', 1, content.subarray(0, content.length - 64))
  })

  it('of a page are verified on first use, and not before', () => {
    const bytes = large.slice()
    const bent = 3 * FRAME_PAGE_BYTES + 5
    bytes[bent]! ^= 1
    const frame = Frame.open(bytes, KIND)
    const data = frame.section('DATA')
    const from = 3 * FRAME_PAGE_BYTES - data.offset
    expect(outcome(() => data.touch(0, from))).toBe('ok')
    expect(outcome(() => data.touch(from, 0))).toBe('ok')
    expect(outcome(() => data.touch(from + 1, 0))).toBe('ok')
    expect(outcome(() => data.touch(from, 1))).toBe('bad_checksum')
    expect(outcome(() => data.touch(from - 1, 2))).toBe('bad_checksum')
    expect(outcome(() => data.touch(from + FRAME_PAGE_BYTES, 10))).toBe('ok')
    expect(outcome(() => data.all())).toBe('bad_checksum')
    expect(outcome(() => frame.section('HEAD').all())).toBe('ok')
    expect(outcome(() => frame.verifyAll())).toBe('bad_checksum')
  })

  it('of a verified page are not verified again', () => {
    const bytes = large.slice()
    const frame = Frame.open(bytes, KIND)
    const data = frame.section('DATA')
    data.touch(0, 10)
    bytes[data.offset + 20]! ^= 1
    expect(outcome(() => data.touch(0, 30))).toBe('ok')
    expect(outcome(() => Frame.open(bytes, KIND).section('DATA').touch(0, 30))).toBe('bad_checksum')
    expect(outcome(() => data.verifyChecksum())).toBe('bad_checksum')
  })

  it('any changed byte of a large frame is found, only in its page', () => {
    const bytes = large.slice()
    const tableOffset = Number(new DataView(bytes.buffer).getBigUint64(bytes.length - 32, true))
    expect(Math.ceil(tableOffset / FRAME_PAGE_BYTES)).toBe(PAGES)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        bytes[at]! ^= change
        expect(openAll(bytes)).not.toBe('ok')
        if (at >= 16 && at < tableOffset) {
          const frame = Frame.open(bytes, KIND)
          for (let page = 0; page < PAGES; page++) {
            const [from, to] = [page, page + 1].map((p) => p * FRAME_PAGE_BYTES) as [number, number]
            const bent = at >= from && at < to
            expect(outcome(() => frame.touch(from, Math.min(to, tableOffset)))).toBe(
              bent ? 'bad_checksum' : 'ok',
            )
          }
        }
        bytes[at]! ^= change
      }),
      { numRuns: 200 },
    )
    expect(openAll(bytes)).toBe('ok')
  })

  it.each([0, 1, 7, 8, 15, 16, 17])('%d bytes short of a page', (less) => {
    const bytes = encodeFrame(KIND, (writer) => {
      writer.section('DATA', 1, noise(FRAME_PAGE_BYTES - 16 - less))
    })
    expect(openAll(bytes)).toBe('ok')
    expect(openAll(bytes.subarray(1))).not.toBe('ok')
  })

  it('outside of a section nothing is touched', () => {
    const data = Frame.open(large, KIND).section('DATA')
    for (const [at, length] of [
      [-1, 1],
      [0, -1],
      [0, data.length + 1],
      [data.length, 1],
      [2 ** 53, 2 ** 53],
    ] as const) {
      expect(outcome(() => data.read(at, length))).toBe('bad_length')
    }
    expect(data.read(data.length, 0).length).toBe(0)
    const most = data.length
    expect(() => data.touch(1, most)).toThrow(`at most ${most}, got ${most + 1}`)
  })
})

describe('numbers in place', () => {
  const floats = [0, -0.5, 1e300, Number.NaN, Number.NEGATIVE_INFINITY]
  const bytes = encodeFrame(KIND, (writer) => {
    writer.section('INTS', 1, Uint8Array.of(1, 0, 0, 0, 255, 255, 255, 255, 9, 9))
    writer.section('REAL', 1, new Uint8Array(Float64Array.from(floats).buffer))
  })

  const check = (frame: Frame): void => {
    expect([...frame.section('INTS').u32()]).toEqual([1, 0xffffffff])
    expect([...frame.section('REAL').f64()]).toEqual(floats)
  }

  it.each([0, 1, 4, 8, 12])('at a shift of %d bytes, as an array or as a Buffer', (shift) => {
    const elsewhere = new Uint8Array(bytes.length + 16).fill(0x77)
    elsewhere.set(bytes, shift)
    check(Frame.open(elsewhere.subarray(shift, shift + bytes.length), KIND))
    check(Frame.open(Buffer.from(elsewhere.buffer, shift, bytes.length), KIND))
  })

  it('aligned ones are views, not copies', () => {
    const frame = Frame.open(bytes, KIND)
    expect(frame.section('INTS').u32().buffer).toBe(bytes.buffer)
    expect(frame.section('REAL').f64().buffer).toBe(bytes.buffer)
    const read = frame.section('INTS').read(4, 4)
    expect(read.buffer).toBe(bytes.buffer)
    expect([...read]).toEqual([255, 255, 255, 255])
  })
})

describe('the writer', () => {
  const writer = (): FrameWriter => new FrameWriter(KIND, () => undefined)
  const open = (): FrameWriter => {
    const one = writer()
    one.begin('AAAA', 1)
    return one
  }

  it.each<[string, () => unknown]>([
    ['bytes outside of a section', () => writer().write(Uint8Array.of(1))],
    ['an end without a beginning', () => writer().end()],
    ['two sections at once', () => open().begin('BBBB', 1)],
    ['the end inside a section', () => open().finish()],
    [
      'a version that does not fit',
      () => encodeFrame(KIND, (w) => w.section('AAAA', 65536, noise(1))),
    ],
    ['a tag of three letters', () => open().begin('AAA', 1)],
    ['a tag in small letters', () => writer().begin('aaaa', 1)],
    ['a kind that is no tag', () => new FrameWriter('text', () => undefined)],
    [
      'a tag twice',
      () =>
        encodeFrame(KIND, (w) => {
          w.section('AAAA', 1, noise(1))
          w.section('AAAA', 1, noise(1))
        }),
    ],
    [
      'anything after the footer',
      () => {
        const one = writer()
        one.finish()
        one.begin('AAAA', 1)
      },
    ],
    [
      'two footers',
      () => {
        const one = writer()
        one.finish()
        one.finish()
      },
    ],
  ])('does not write %s', (_, work) => {
    expect(work).toThrow(InvariantError)
  })
})
