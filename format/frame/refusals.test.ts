// Frames that are refused: every flipped bit, every truncation, tables that contradict themselves.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { VersionError } from '../errors.ts'
import { FRAME_PAGE_BYTES, Frame } from './index.ts'
import { tagNumber } from './layout-v1.ts'
import { KIND, openAll, outcome, small } from './test-support.ts'

/** Returns the frame with the right checksum of its tail. */
function withChecksum(bytes: Uint8Array, tableOffset: number): Uint8Array {
  const out = bytes.slice()
  const end = out.length - 8
  new DataView(out.buffer).setUint32(end, crc32(out.subarray(tableOffset, end)), true)
  return out
}

describe('refusals', () => {
  it('every flipped bit is refused', () => {
    const bytes = small()
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      expect(openAll(bytes), `bit ${bit}`).not.toBe('ok')
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
    }
    expect(openAll(bytes)).toBe('ok')
  })

  it('every truncation and any extension is refused', () => {
    const bytes = small()
    for (let length = 0; length < bytes.length; length++) {
      expect(openAll(bytes.subarray(0, length)), `${length}`).not.toBe('ok')
      expect(openAll(bytes.subarray(bytes.length - length)), `last ${length}`).not.toBe('ok')
    }
    for (const more of [1, 8, FRAME_PAGE_BYTES]) {
      const longer = new Uint8Array(bytes.length + more)
      longer.set(bytes)
      expect(openAll(longer)).not.toBe('ok')
      longer.set(bytes, more)
      expect(openAll(longer)).not.toBe('ok')
    }
  })

  it('another kind, another version', () => {
    expect(openAll(small(), 'DOCS')).toBe('bad_magic')
    const bytes = small()
    bytes[8] = 2
    expect(() => Frame.open(bytes, KIND)).toThrow(new VersionError('TEST frame', 2, 1, 1))
  })

  it('a missing section, or one of an unknown version', () => {
    const frame = Frame.open(small(), KIND)
    expect(frame.has('ABCD')).toBe(true)
    expect(frame.has('ABCE')).toBe(false)
    expect(outcome(() => frame.section('ABCE'))).toBe('bad_value')
    expect(() => frame.section('LAST')).toThrow(new VersionError('LAST', 2, 1, 1))
    expect(outcome(() => frame.section('LAST', 2, 3))).toBe('ok')
    expect(outcome(() => frame.section('LAST', 3, 4))).toBe('version')
  })

  it.each<[string, (view: DataView) => void]>([
    ['@0: bad_magic, expected SVCF, got SVCG', (view) => view.setUint8(3, 71)],
    ['@15: bad_value, expected 0, got 1', (view) => view.setUint8(15, 1)],
    ['@162: bad_magic, expected FCVS, got GCVS', (view) => view.setUint8(162, 71)],
    ['@158: bad_checksum, expected 0, got', (view) => view.setUint32(158, 0)],
  ])('a bent header or footer: %s', (shown, bend) => {
    const bytes = small()
    bend(new DataView(bytes.buffer))
    expect(() => Frame.open(bytes, KIND)).toThrow(`TEST ${shown}`)
  })

  it('a file that is too short', () => {
    expect(() => Frame.open(new Uint8Array(47), KIND)).toThrow('expected at least 48, got 47')
  })

  // Offsets of the section table, of its entries ABCD and LAST, and of the footer.
  const table = 34
  const [first, last, footer] = [table, table + 64, table + 100]

  it.each<[string, (view: DataView) => void]>([
    ['@34: bad_value, expected reserved zero', (view) => view.setUint16(first + 6, 1, true)],
    ['@98: bad_value, expected reserved zero', (view) => view.setUint32(last + 28, 1, true)],
    ['@42: bad_order, expected 16, got 12', (view) => view.setUint32(first + 8, 12, true)],
    ['@42: bad_order, expected 16, got 8', (view) => view.setUint32(first + 8, 8, true)],
    ['@42: bad_order, expected 16, got 24', (view) => view.setUint32(first + 8, 24, true)],
    ['@106: bad_order, expected 24, got 16', (view) => view.setUint32(last + 8, 16, true)],
    ['@106: bad_order, expected 24, got 4294967320', (view) => view.setUint32(last + 12, 1, true)],
    ['@114: bad_length, expected 10, got 17', (view) => view.setUint32(last + 16, 17, true)],
    ['@34: bad_value, expected 33, got 34', (view) => view.setUint32(last + 16, 9, true)],
    ['@106: bad_value, expected < 2^53', (view) => view.setUint32(last + 12, 0x200000, true)],
    [
      '@98: bad_value, expected a tag not seen, got ABCD',
      (view) => view.setUint32(last, tagNumber('ABCD'), true),
    ],
    ['@150: bad_length, expected 165, got 166', (view) => view.setUint32(footer + 16, 165, true)],
    ['@134: bad_length, expected 134, got 66', (view) => view.setUint32(footer + 8, 1, true)],
    [
      '@146: bad_value, expected 1, got 9',
      (view) => {
        view.setUint32(footer + 8, 2, true)
        view.setUint32(footer + 12, 9, true)
      },
    ],
  ])('a contradictory table under a right checksum: %s', (shown, bend) => {
    const bytes = small()
    const view = new DataView(bytes.buffer)
    expect(view.getUint32(bytes.length - 32, true)).toBe(table)
    bend(view)
    expect(() => Frame.open(withChecksum(bytes, table), KIND)).toThrow(`TEST ${shown}`)
  })

  it('another checksum of a section', () => {
    const bytes = small()
    bytes[first + 24]! ^= 1
    const bent = withChecksum(bytes, table)
    expect(outcome(() => Frame.open(bent, KIND).section('ABCD').all())).toBe('ok')
    expect(openAll(bent)).toBe('bad_checksum')
  })

  it('a footer whose tables begin inside the header', () => {
    const bytes = new Uint8Array(48)
    bytes.set(small().subarray(0, 12))
    const view = new DataView(bytes.buffer)
    view.setUint32(16, 12, true)
    view.setUint32(28, 1, true)
    view.setUint32(32, 48, true)
    view.setUint32(44, 0x53564346, true)
    expect(() => Frame.open(withChecksum(bytes, 12), KIND)).toThrow(
      'TEST @16: bad_value, expected 16, got 12',
    )
  })
})
