// A growing text: its ceiling, and the bytes that `take` returns.

import { describe, expect, it } from 'vitest'
import { MiB } from '../bytes/index.ts'
import { JsonBuffer } from './buffer.ts'

const full = (): Error => new Error('too long')

describe('a text with a ceiling', () => {
  it('accepts bytes up to the ceiling, by any method', () => {
    const out = new JsonBuffer(4, { bytesMax: 9, full })
    out.ascii('abcdef')
    out.append(Uint8Array.of(0x67, 0x68), 0, 2)
    out.byte(0x69)
    expect(Buffer.from(out.finish()).toString()).toBe('abcdefghi')
    expect(out.bytes.length).toBe(9)
    expect(() => out.byte(0x6a)).toThrow('too long')
    expect(() => out.ascii('j')).toThrow('too long')
    expect(() => out.append(Uint8Array.of(0x6a), 0, 1)).toThrow('too long')
  })

  it('is refused before memory is allocated', () => {
    const out = new JsonBuffer(4, { bytesMax: 1000, full })
    expect(() => out.reserve(2 ** 40)).toThrow('too long')
    expect(out.bytes.length).toBe(4)
  })
})

it.each([10, MiB - 1, MiB, 3 * MiB])('a text of %i bytes is taken whole', (length) => {
  const out = new JsonBuffer(8)
  const bytes = new Uint8Array(length).fill(0x20)
  for (let at = 0; at < length; at += 5) out.append(bytes, at, Math.min(at + 5, length))
  const taken = out.take()
  expect(Buffer.compare(taken, bytes)).toBe(0)
  // Only a large text is returned with the unused memory after it.
  expect(taken.buffer === out.bytes.buffer).toBe(length >= MiB)
})
