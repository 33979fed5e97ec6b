// Little-endian integers at an offset, against DataView, and beyond the end.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { u16At, u32At } from './integers.ts'

it('equal the values that a DataView reads', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 12 }), fc.nat(8), (bytes, from) => {
      const at = Math.min(from, bytes.length - 4)
      const view = new DataView(bytes.buffer, bytes.byteOffset)
      expect(u16At(bytes, at)).toBe(view.getUint16(at, true))
      expect(u32At(bytes, at)).toBe(view.getUint32(at, true))
    }),
  )
})

it('read 0 beyond the end', () => {
  expect(u16At(Uint8Array.of(7), 0)).toBe(7)
  expect(u32At(Uint8Array.of(1, 2, 3), 1)).toBe(0x302)
  expect(u32At(Uint8Array.of(), 5)).toBe(0)
})
