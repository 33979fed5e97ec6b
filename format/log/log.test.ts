// The log: golden bytes, round trips, and the reading of damaged logs. Rules: ./LOG.md

import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { expectRefusals } from '../../fixtures/refusals.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import {
  decodeLogHeader,
  decodeLogRecord,
  encodeLogHeader,
  LOG_HEADER_BYTES,
  LOG_PAYLOAD_BYTES_MAX,
  LOG_SEAL,
  logRecordBytes,
  readLog,
  writeLogRecord,
} from './index.ts'
import { logNotes } from './test-notes.ts'

const KIND = 'TASK'
const HEADER = { kind: KIND, number: 7, salt: 0xa1b2c3d4 }
type Payloads = readonly (readonly string[])[]

/** A log of groups of text payloads, all of type 5. */
function logOf(groups: Payloads, room = 0): Uint8Array {
  const parts: Uint8Array[] = [encodeLogHeader(HEADER)]
  let sequence = 0
  for (const group of groups) {
    const first = sequence
    for (const text of group) {
      const payload = new TextEncoder().encode(text)
      const bytes = new Uint8Array(logRecordBytes(payload.length))
      writeLogRecord(bytes, 0, HEADER.salt, sequence++, first, 5, payload)
      parts.push(bytes)
    }
  }
  parts.push(new Uint8Array(room))
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

type Outcome = { texts: string[]; tail: string; validBytes: number } | 'corrupt' | 'version'

function outcome(bytes: Uint8Array): Outcome {
  const texts: string[] = []
  try {
    const end = readLog(bytes, KIND, (record) => texts.push(textOf(record.payload)))
    return { texts, tail: end.tail, validBytes: end.validBytes }
  } catch (error) {
    if (error instanceof CorruptionError) return 'corrupt'
    if (error instanceof VersionError) return 'version'
    throw error
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const GROUPS: Payloads = [['one'], ['two', 'three is longer'], ['', 'five']]
const ALL = GROUPS.flat()

describe('bytes', () => {
  it('are the golden ones', () => {
    const bytes = logOf([['hi'], ['two', '']], 16)
    const notes = logNotes(bytes, KIND, (record) => `"${textOf(record.payload)}"`)
    const shown = expectGolden('log/v1/three-records', bytes, notes)
    expect(outcome(shown)).toEqual({
      texts: ['hi', 'two', ''],
      tail: 'clean',
      validBytes: bytes.length - 16,
    })
  })

  it('read back as written, from any offset in memory', () => {
    const groups = fc.array(fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 4 }))
    fc.assert(
      fc.property(groups, fc.nat(40), fc.nat(9), (payloads, room, shift) => {
        const bytes = logOf(payloads, room)
        const moved = new Uint8Array(bytes.length + shift).subarray(shift)
        moved.set(bytes)
        const texts = payloads.flat().map((text) => textOf(new TextEncoder().encode(text)))
        expect(outcome(moved)).toEqual({ texts, tail: 'clean', validBytes: bytes.length - room })
      }),
    )
  })

  it('give each record its offset, and each offset its record', () => {
    const bytes = logOf(GROUPS)
    readLog(bytes, KIND, (record) => {
      const part = bytes.slice(record.offset, record.offset + record.bytes)
      expect(decodeLogRecord(part, HEADER, record.offset)).toEqual(record)
      for (let i = 0; i < part.length; i++) {
        part[i]! ^= 1
        expect(() => decodeLogRecord(part, HEADER, record.offset)).toThrow(CorruptionError)
        part[i]! ^= 1
      }
      expect(() => decodeLogRecord(part.subarray(1), HEADER, 0)).toThrow(CorruptionError)
    })
  })

  it('give the offset of the last group', () => {
    const bytes = logOf(GROUPS)
    const offsets: number[] = []
    const contents = readLog(bytes, KIND, (record) => offsets.push(record.offset))
    expect(contents.lastGroup).toBe(offsets[3])
    expect(readLog(logOf([]), KIND, () => undefined).lastGroup).toBe(LOG_HEADER_BYTES)
  })

  it('are visited without seals', () => {
    const bytes = new Uint8Array(LOG_HEADER_BYTES + 24)
    bytes.set(encodeLogHeader(HEADER))
    writeLogRecord(bytes, LOG_HEADER_BYTES, HEADER.salt, 0, 0, LOG_SEAL, new Uint8Array(0))
    expect(outcome(bytes)).toEqual({ texts: [], tail: 'clean', validBytes: bytes.length })
    expect(readLog(bytes, KIND, () => undefined).records).toBe(1)
  })
})

describe('a header', () => {
  it('holds numbers up to 2^53', () => {
    const header = { kind: KIND, number: Number.MAX_SAFE_INTEGER, salt: 1 }
    expect(decodeLogHeader(encodeLogHeader(header), KIND)).toEqual(header)
  })

  it('is refused at every flipped bit and every length', () => {
    const bytes = logOf([['x']])
    for (let bit = 0; bit < LOG_HEADER_BYTES * 8; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      expect(['corrupt', 'version']).toContain(outcome(bytes))
      bytes[bit >> 3]! ^= 1 << (bit & 7)
    }
    for (let length = 0; length < LOG_HEADER_BYTES; length++) {
      expect(outcome(bytes.subarray(0, length))).toBe('corrupt')
    }
  })

  it('has a message for each check', () => {
    const bytes = encodeLogHeader(HEADER)
    expectRefusals('log', [['header', bytes, (damaged) => decodeLogHeader(damaged, KIND)]])
  })

  it('of another kind or version is refused with the matching error', () => {
    expect(() => decodeLogHeader(encodeLogHeader(HEADER), 'MANI')).toThrow(/bad_magic/)
    const later = encodeLogHeader(HEADER)
    later[8] = 2
    expect(() => decodeLogHeader(later, KIND)).toThrow(VersionError)
  })
})

describe('the end of a log', () => {
  it('truncated anywhere is torn or clean, with all complete records before', () => {
    const bytes = logOf(GROUPS)
    const ends: number[] = []
    readLog(bytes, KIND, (record) => ends.push(record.offset + record.bytes))
    for (let length = LOG_HEADER_BYTES; length <= bytes.length; length++) {
      const whole = ends.filter((end) => end <= length).length
      const validBytes = whole === 0 ? LOG_HEADER_BYTES : ends[whole - 1]!
      const zeros = bytes.subarray(validBytes, length).every((byte) => byte === 0)
      const tail = zeros ? 'clean' : 'torn'
      expect(outcome(bytes.subarray(0, length))).toEqual({
        texts: ALL.slice(0, whole),
        tail,
        validBytes,
      })
    }
  })

  it('damaged in the last group is torn, damaged before it is corruption', () => {
    const bytes = logOf(GROUPS)
    const offsets: number[] = []
    readLog(bytes, KIND, (record) => offsets.push(record.offset))
    const lastGroup = offsets[3]!
    for (let bit = LOG_HEADER_BYTES * 8; bit < bytes.length * 8; bit++) {
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      const got = outcome(bytes)
      if (bit >> 3 < lastGroup) expect(got).toBe('corrupt')
      else {
        const whole = offsets.filter((offset) => offset <= bit >> 3).length - 1
        expect(got).toEqual({
          texts: ALL.slice(0, whole),
          tail: 'torn',
          validBytes: offsets[whole],
        })
      }
      bytes[bit >> 3]! ^= 1 << (bit & 7)
    }
  })

  it('is torn when sectors of the last group were written in any subset', () => {
    const texts = Array.from({ length: 12 }, (_, i) => `${i}`.repeat(100))
    const before = logOf([['durable']], 4096)
    const after = logOf([['durable'], texts], 0)
    const offsets: number[] = []
    readLog(after, KIND, (record) => offsets.push(record.offset))
    const sectors = Math.ceil(after.length / 512)
    for (let subset = 0; subset < 1 << sectors; subset++) {
      const disk = before.slice()
      for (let sector = 0; sector < sectors; sector++) {
        if ((subset & (1 << sector)) === 0) continue
        disk.set(after.subarray(sector * 512, sector * 512 + 512), sector * 512)
      }
      const got = outcome(disk)
      if (typeof got === 'string') expect.unreachable(`subset ${subset} was refused`)
      expect(['durable', ...texts].slice(0, got.texts.length)).toEqual(got.texts)
      expect(got.texts.length).toBeGreaterThan(0)
    }
  })

  it('with a seal proves that the last group was durable', () => {
    const bytes = logOf(GROUPS)
    const sealed = new Uint8Array(bytes.length + 24)
    sealed.set(bytes)
    writeLogRecord(sealed, bytes.length, HEADER.salt, 5, 5, LOG_SEAL, new Uint8Array(0))
    expect(outcome(sealed)).toMatchObject({ texts: ALL, tail: 'clean' })
    sealed[bytes.length - 5]! ^= 4
    expect(outcome(sealed)).toBe('corrupt')
  })

  it('is torn when a payload forges a record of an unknown salt', () => {
    const forged = new Uint8Array(32)
    writeLogRecord(forged, 0, 0x12345678, 9, 9, 5, new Uint8Array(8).fill(1))
    const bytes = logOf([['durable']])
    const disk = new Uint8Array(bytes.length + 64)
    disk.set(bytes)
    disk.set(forged, bytes.length + 32)
    expect(outcome(disk)).toMatchObject({ texts: ['durable'], tail: 'torn' })
  })

  it('refuses forged damage instead of searching endlessly', () => {
    const bytes = new Uint8Array(1 << 20)
    bytes.set(encodeLogHeader(HEADER))
    const view = new DataView(bytes.buffer)
    for (let at = 64; at + 24 < bytes.length; at += 24) {
      view.setUint32(at, HEADER.salt, true)
      view.setUint32(at + 8, bytes.length - at - 24, true)
      view.setUint32(at + 12, 9, true)
      view.setUint32(at + 16, 9, true)
    }
    expect(outcome(bytes)).toBe('corrupt')
  })

  it('never accepts a length beyond the limit or the file', () => {
    for (const length of [LOG_PAYLOAD_BYTES_MAX + 1, 0xffffffff, 100]) {
      const bytes = logOf([['x']])
      new DataView(bytes.buffer).setUint32(LOG_HEADER_BYTES + 8, length, true)
      const body = bytes.subarray(LOG_HEADER_BYTES + 8, LOG_HEADER_BYTES + 25)
      new DataView(bytes.buffer).setUint32(LOG_HEADER_BYTES + 4, crc32(body), true)
      expect(outcome(bytes)).toMatchObject({ texts: [], tail: 'torn' })
    }
  })
})

describe('a header', () => {
  it.each([
    [10, 1, 10],
    [11, 1, 10],
    [24, 1, 24],
    [27, 1, 24],
    // Numbers end at 2^53.
    [22, 0x20, 20],
    [22, 0x1f, null],
  ])('with byte %i set to %i and a right checksum is refused at %s', (at, value, offset) => {
    const bytes = encodeLogHeader({ ...HEADER, number: 0xffffffff })
    bytes[at] = value
    new DataView(bytes.buffer).setUint32(28, crc32(bytes.subarray(0, 28)), true)
    const read = () => decodeLogHeader(bytes, KIND)
    if (offset === null) expect(read().number).toBe(0x1f0000 * 2 ** 32 + 0xffffffff)
    else
      expect(read).toThrow(
        expect.objectContaining({ code: 'bad_value', at: { section: 'TASK log', offset } }),
      )
  })

  it('has a salt, and gives back each number', () => {
    const bytes = encodeLogHeader({ ...HEADER, number: Number.MAX_SAFE_INTEGER })
    expect(decodeLogHeader(bytes, KIND).number).toBe(Number.MAX_SAFE_INTEGER)
    const view = new DataView(bytes.buffer)
    view.setUint32(12, 0, true)
    view.setUint32(28, crc32(bytes.subarray(0, 28)), true)
    expect(() => decodeLogHeader(bytes, KIND)).toThrow(
      expect.objectContaining({ code: 'bad_value' }),
    )
  })
})

describe('a record with a right checksum', () => {
  /** Three records of one group, with the last one changed. */
  const changed = (change: (record: DataView) => void) => {
    const bytes = logOf([['a', 'b', 'c']])
    const record = bytes.subarray(LOG_HEADER_BYTES + 2 * logRecordBytes(1))
    const view = new DataView(record.buffer, record.byteOffset)
    change(view)
    view.setUint32(4, crc32(record.subarray(8, 25)), true)
    const { texts, tail } = outcome(bytes) as Exclude<Outcome, string>
    return [texts.join(''), tail]
  }

  it.each([
    [0, ['abc', 'clean']],
    [2, ['abc', 'clean']],
    // Neither the group before it nor one that it begins; and one that is still to come.
    [1, ['ab', 'torn']],
    [3, ['ab', 'torn']],
  ])('of group %i', (group, expected) => {
    expect(changed((record) => record.setUint32(16, group, true))).toEqual(expected)
  })

  it.each([22, 23])('is not sound with a value in its reserved byte %i', (at) => {
    expect(changed((record) => record.setUint8(at, 1))).toEqual(['ab', 'torn'])
  })
})

it('a record ends where the next one begins', () => {
  const bytes = new Uint8Array(200)
  const end = writeLogRecord(bytes, 32, 1, 0, 0, 5, new Uint8Array(3))
  expect(end).toBe(32 + logRecordBytes(3))
})
