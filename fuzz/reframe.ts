// Frames as fuzz inputs: the sections one after another, each behind its length. The frame with its
// checksums is put around them when the input runs, so that changes reach the decoders behind the
// checksums.
import { ByteReader, ByteWriter } from '../format/bytes/index.ts'
import { encodeFrame, Frame, type Tag } from '../format/frame/index.ts'

/** Inputs do not tell versions: each target says which it tries. */
const VERSION_MAX = 255

/** The sections of a frame as an input; lengths first, in the order of `tags`. */
export function inputOfFrame(bytes: Uint8Array, kind: Tag, tags: readonly Tag[]): Uint8Array {
  const frame = Frame.open(bytes, kind)
  const out = new ByteWriter(bytes.length)
  for (const tag of tags) out.varint(frame.section(tag, 1, VERSION_MAX).length)
  for (const tag of tags) out.bytes(frame.section(tag, 1, VERSION_MAX).bytes)
  return out.finish()
}

/**
 * A frame of what the input says, with sound checksums. @throws CorruptionError where lengths leave
 * it. `versions`: of sections that are not of the first one.
 */
export function frameOfInput(
  input: Uint8Array,
  kind: Tag,
  tags: readonly Tag[],
  versions: Readonly<Record<Tag, number>> = {},
): Uint8Array {
  const reader = new ByteReader(input, 'input')
  const lengths = tags.map(() => reader.varint())
  return encodeFrame(kind, (writer) => {
    tags.forEach((tag, i) => {
      writer.section(tag, versions[tag] ?? 1, reader.take(lengths[i]!))
    })
  })
}
