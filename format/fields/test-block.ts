// A block in the only section of a frame, written by the functions under test.
import { ByteWriter } from '../bytes/index.ts'
import { FRAME_PAGE_BYTES, Frame, type Section } from '../frame/index.ts'
import { encodeFrame } from '../frame/writer-v1.ts'
import { PartReader, PartWriter } from './parts.ts'

export type Block = {
  /** Returns a new section and a reader of its parts. */
  open(): { readonly section: Section; readonly reader: PartReader }
  /** Returns the block with one damaged byte, once for each of its pages but the first. */
  damaged(): readonly Block[]
}

export const blockOf = (fill: (head: ByteWriter, parts: PartWriter) => void): Block =>
  writtenBlock((out) => {
    const head = new ByteWriter(64)
    const parts = new PartWriter()
    fill(head, parts)
    const bytes = head.finish()
    parts.finish(bytes, out)
    return bytes.length
  })

/** Returns a block that `write` writes completely; it returns the length of the head. */
export function writtenBlock(write: (out: ByteWriter) => number): Block {
  const out = new ByteWriter(64)
  const headLength = write(out)
  const length = out.length
  // Another block follows, as in a file.
  out.bytes(new Uint8Array(8))
  const frame = encodeFrame('COLS', (writer) => writer.section('DATA', 1, out.finish()))
  return blockIn(frame, headLength, length)
}

function blockIn(frame: Uint8Array, headLength: number, length: number): Block {
  const section = (): Section => Frame.open(frame, 'COLS').section('DATA')
  return {
    open: () => {
      const opened = section()
      return { section: opened, reader: new PartReader(opened, 0, headLength, length) }
    },
    damaged: () => {
      const pages = Math.ceil((section().offset + length) / FRAME_PAGE_BYTES)
      return Array.from({ length: pages - 1 }, (_, page) => {
        const bytes = frame.slice()
        bytes[(page + 1) * FRAME_PAGE_BYTES]! ^= 1
        return blockIn(bytes, headLength, length)
      })
    },
  }
}
