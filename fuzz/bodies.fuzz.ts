// Any bytes are a body file or are refused with a typed error. A body has one footer; if the first
// byte is odd, the checksum and the length are corrected, so inputs reach the end of the reader.
// Page: format/bodies/BODIES.md

import { crc32 } from 'node:zlib'
import { BODY_FOOTER_BYTES, bodyFooter, documentsOfBody } from '../format/bodies/index.ts'
import { bodyNotes } from '../format/bodies/test-notes.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

export const target: FuzzTarget = {
  name: 'bodies',
  seeds: () => [seed(''), seed('{"id":1}'), seed('{"id":1}\n{"id":2}\n')],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 1024,
}

function seed(text: string): Uint8Array {
  const documents = new TextEncoder().encode(text)
  return Buffer.concat([Uint8Array.of(0), documents, footerOf(documents)])
}

const footerOf = (documents: Uint8Array): Uint8Array =>
  bodyFooter(documents.length, crc32(documents))

function run(input: Uint8Array): void {
  const bytes = input.slice(1)
  if ((input[0] ?? 0) % 2 === 1 && bytes.length >= BODY_FOOTER_BYTES) repair(bytes)
  const documents = documentsOfBody(bytes)
  const footer = bytes.subarray(documents.length)
  assert(Buffer.compare(footer, footerOf(documents)) === 0, 'a body has one footer')
  assert(bodyNotes(bytes).at(-1)!.to === bytes.length, 'every byte is explained')
}

/** Writes the right checksum and length; magic and reserved field keep their content. */
function repair(bytes: Uint8Array): void {
  const at = bytes.length - BODY_FOOTER_BYTES
  bytes.set(footerOf(bytes.subarray(0, at)).subarray(8), at + 8)
}
