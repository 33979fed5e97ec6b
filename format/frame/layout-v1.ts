// Constants of the layout of every write-once file · layout: ./FRAME.md
//
//   header 16 · sections, each at a multiple of 8
//   section table 32 × n · page table 4 × p · footer 32
import { assert } from '../errors.ts'

export const FRAME_PAGE_BYTES = 16384
export const MAGIC = 0x46435653 // "SVCF" read as u32 little-endian
export const END_MAGIC = 0x53564346 // "FCVS"
export const VERSION = 1
export const HEADER_BYTES = 16
export const ENTRY_BYTES = 32
export const FOOTER_BYTES = 32

/** The kind of a frame or the tag of a section: four capital letters or digits. */
export type Tag = string

export function tagNumber(tag: Tag): number {
  assert(/^[A-Z0-9]{4}$/.test(tag), 'a tag is four capital letters or digits')
  return (
    (tag.charCodeAt(0) |
      (tag.charCodeAt(1) << 8) |
      (tag.charCodeAt(2) << 16) |
      (tag.charCodeAt(3) << 24)) >>>
    0
  )
}

export const tagText = (n: number): string =>
  String.fromCharCode(n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24)

/** Returns the number of zero bytes before a section that follows offset `at`. */
export const paddingAt = (at: number): number => (8 - (at % 8)) % 8
