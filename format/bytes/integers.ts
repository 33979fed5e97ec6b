// Little-endian integers at an offset in bytes, without a cursor. Loops over mapped pages call them
// for each number, so they check nothing: bytes beyond the end read as 0.

export const u16At = (bytes: Uint8Array, at: number): number => bytes[at]! | (bytes[at + 1]! << 8)

export const u32At = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
