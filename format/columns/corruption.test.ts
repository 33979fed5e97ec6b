// Damaged segments are refused with a typed error, with wrong and with right checksums.

import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../fixtures/first-seed.ts'
import { docOf, encodeDocs, openColumns } from '../../fixtures/format/columns/model.ts'
import { expectRefusals, sectionsOf } from '../../fixtures/refusals.ts'
import { target } from '../../fuzz/columns.fuzz.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { checkColumns, PART_LINE } from './index.ts'

const bytes = encodeDocs([
  docOf(10, { 2: 1999, 5: ['Drama', 'Comedy'], 9: null }),
  docOf(11, { 2: 2001.5, 5: ['drama'], 9: [] }, [48.5, 2.25]),
  docOf(13, { 2: [-0, 7], 5: 'Science Fiction', 9: 'éa' }, null, [
    { kind: PART_LINE, points: Float64Array.of(1, 2, 3, 4) },
  ]),
])

/** Opens and reads everything. */
const readAll = (some: Uint8Array): void => checkColumns(Frame.open(some, 'COLS'))

const isTyped = (error: unknown): boolean =>
  error instanceof CorruptionError || error instanceof VersionError

function outcome(run: () => void): string {
  try {
    run()
    return 'accepted'
  } catch (error) {
    return isTyped(error) ? 'refused' : String(error)
  }
}

describe('a damaged segment', () => {
  it('is refused for every flipped bit', () => {
    readAll(bytes)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >>> 3]! ^= 1 << (bit & 7)
      expect(
        outcome(() => readAll(flipped)),
        `bit ${bit}`,
      ).toBe('refused')
    }
  })

  it('is refused at every shorter length', () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(
        outcome(() => readAll(bytes.slice(0, length))),
        `${length} bytes`,
      ).toBe('refused')
    }
  })

  it('is refused when it is of another kind or version', () => {
    const data = Frame.open(bytes, 'COLS')
    const parts = ['DATA', 'FLDS'].map((tag) => data.section(tag).bytes)
    const other = (version: number, kind: string) =>
      encodeFrame(kind, (writer) => {
        writer.section('DATA', 1, parts[0]!)
        writer.section('FLDS', version, parts[1]!)
      })
    openColumns(other(1, 'COLS'))
    expect(() => openColumns(other(2, 'COLS'))).toThrow(VersionError)
    expect(() => openColumns(other(1, 'TEXT'))).toThrow(CorruptionError)
    expect(() => openColumns(encodeFrame('COLS', (w) => w.section('DATA', 1, parts[0]!)))).toThrow(
      CorruptionError,
    )
  })
})

it('each check has its message, under right checksums', () => {
  expectRefusals('columns', sectionsOf('COLS', bytes, readAll))
})

describe('rows with sound checksums', () => {
  it('are refused if they refer to missing values', () => {
    const frame = Frame.open(encodeDocs([docOf(1, { 4: 7 }), docOf(2, { 4: 9 })]), 'COLS')
    const data = frame.section('DATA').bytes.slice()
    // After a head of 17 bytes: the values 0 and 2, then the ordinals 0 and 1.
    expect([...data.subarray(17, 21)]).toEqual([0, 2, 0, 1])
    data[20] = 200
    const damaged = encodeFrame('COLS', (writer) => {
      writer.section('DATA', 1, data)
      writer.section('FLDS', 1, frame.section('FLDS').bytes)
    })
    const field = openColumns(damaged).field(4)!
    expect(() => field.numberAt(field.numbersOf(2)[0]!)).toThrow(CorruptionError)
    const keys = new Uint32Array(1)
    field.sortKeys(Uint32Array.of(2), 0, 1, false, keys)
    expect(() => field.keyValue(keys[0]!, false)).toThrow(CorruptionError)
    expect(() => checkColumns(Frame.open(damaged, 'COLS'))).toThrow(CorruptionError)
  })
})

describe('residues with sound checksums', () => {
  const frame = Frame.open(encodeDocs([docOf(1, { 4: [5, 712345678901234561n] })]), 'COLS')
  const content = frame.section('DATA', 2, 2).bytes
  /** Head of 16 bytes, two doubles, then the residues 0 and 1. */
  const [small, large] = [32, 34]
  const framed = (data: Uint8Array, version = 2) =>
    encodeFrame('COLS', (writer) => {
      writer.section('DATA', version, data)
      writer.section('FLDS', 1, frame.section('FLDS').bytes)
    })

  it('are refused where no whole number has them', () => {
    expect([...content.subarray(small, large + 2)]).toEqual([0, 0, 1, 0])
    for (const [at, byte] of [
      [small, 1],
      [large, 100],
      [large + 1, 0x7f],
    ] as const) {
      const data = content.slice()
      data[at] = byte
      const field = openColumns(framed(data)).field(4)!
      expect(() => [field.numberAt(0), field.numberAt(1)]).toThrow(CorruptionError)
      expect(() => checkColumns(Frame.open(framed(data), 'COLS'))).toThrow(CorruptionError)
    }
  })

  it('are in version 2 only', () => {
    expect(() => openColumns(framed(content, 1)).field(4)).toThrow(CorruptionError)
    expect(() => openColumns(framed(content, 3))).toThrow(VersionError)
  })
})

describe('sections with sound checksums and any content', () => {
  it('give values or typed errors, for any flipped bit', () => {
    for (const seed of target.seeds()) {
      // Flips every bit of small sections, and some bits of large ones.
      const stride = Math.max(1, Math.floor((seed.length * 8) / 120))
      for (let bit = FIRST_SEED % stride; bit < seed.length * 8; bit += stride) {
        const input = seed.slice()
        input[bit >>> 3]! ^= 1 << (bit & 7)
        try {
          target.run(input)
        } catch (error) {
          expect(target.allows(error), `bit ${bit}: ${error}`).toBe(true)
        }
      }
    }
  })

  it('give values or typed errors after many random changes', () => {
    let seed = 42
    const next = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const seeds = target.seeds()
    for (let run = 0; run < 1500; run++) {
      const input = seeds[next(seeds.length)]!.slice()
      for (let change = next(4); change >= 0; change--) {
        input[next(input.length)] = next(3) === 0 ? 255 : next(256)
      }
      try {
        target.run(input)
      } catch (error) {
        expect(target.allows(error), `run ${run}: ${error}`).toBe(true)
      }
    }
  })
})
