// Frames as fuzz inputs: the sections one after another, each after its length. The frame and its
// checksums are built when the input runs, so changes reach the decoders behind the checksums.

import { ByteReader, ByteWriter } from '../format/bytes/index.ts'
import { Frame, type Tag } from '../format/frame/index.ts'
import { encodeFrame } from '../format/frame/writer-v1.ts'

/**
 * Greatest section version; inputs do not contain versions, so each target chooses which it tries.
 */
const VERSION_MAX = 255

/**
 * Returns the sections of a frame as an input; lengths first, in the order of `tags`. `rest`: a
 * section that not every frame has.
 */
export function inputOfFrame(
  bytes: Uint8Array,
  kind: Tag,
  tags: readonly Tag[],
  rest: Tag | null = null,
): Uint8Array {
  const frame = Frame.open(bytes, kind)
  const out = new ByteWriter(bytes.length)
  for (const tag of tags) out.varint(frame.section(tag, 1, VERSION_MAX).length)
  for (const tag of tags) out.bytes(frame.section(tag, 1, VERSION_MAX).bytes)
  if (rest !== null && frame.has(rest)) out.bytes(frame.section(rest, 1, VERSION_MAX).bytes)
  return out.finish()
}

/**
 * Builds a frame from an input, with right checksums. @throws CorruptionError if lengths exceed the
 * input. `versions`: of sections whose version is not 1. `rest`: the section before the last one
 * that the bytes behind all others become, if there are any.
 */
export function frameOfInput(
  input: Uint8Array,
  kind: Tag,
  tags: readonly Tag[],
  versions: Readonly<Record<Tag, number>> = {},
  rest: Tag | null = null,
): Uint8Array {
  const reader = new ByteReader(input, 'input')
  const lengths = tags.map(() => reader.varint())
  const sections = lengths.map((length) => reader.take(length))
  return encodeFrame(kind, (writer) => {
    tags.forEach((tag, i) => {
      if (i === tags.length - 1 && rest !== null && reader.left > 0) {
        writer.section(rest, 1, reader.take(reader.left))
      }
      writer.section(tag, versions[tag] ?? 1, sections[i]!)
    })
  })
}
