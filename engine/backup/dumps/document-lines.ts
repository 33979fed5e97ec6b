// Stored bodies hold documents one after another, with any line breaks; a dump holds one document
// per line. Raw line breaks occur between the tokens of a document and never inside a string.
import { NEWLINE, RETURN, SPACE } from '../../../format/bytes/index.ts'
import { JsonScanner } from '../../../format/json/index.ts'
import { StorageError } from '../../model/index.ts'

/** Yields each document of a body on a separate line, one output chunk per input chunk. */
export async function* documentLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const scanner = new JsonScanner('stream')
  for await (const chunk of chunks) yield linesOf(scanner, chunk)
  scanner.finish()
  checkSound(scanner)
}

function linesOf(scanner: JsonScanner, chunk: Uint8Array): Uint8Array {
  const wasInside = scanner.inDocument
  scanner.feed(chunk)
  // A document ends with a bracket, so at most every second byte ends one.
  const out = new Uint8Array(chunk.length + (chunk.length >> 1) + 1)
  let length = 0
  let isFirst = true
  const copy = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      const byte = chunk[i]!
      out[length++] = byte === NEWLINE || byte === RETURN ? SPACE : byte
    }
  }
  while (scanner.next()) {
    const from = isFirst && wasInside ? 0 : scanner.documentStart - scanner.base
    copy(from, scanner.documentEnd - scanner.base)
    out[length++] = NEWLINE
    isFirst = false
  }
  checkSound(scanner)
  if (scanner.inDocument) {
    copy(isFirst && wasInside ? 0 : scanner.documentStart - scanner.base, chunk.length)
  }
  return out.subarray(0, length)
}

function checkSound({ fault }: JsonScanner): void {
  if (fault === null) return
  throw new StorageError('corrupt', '', `a stored body of documents is damaged: ${fault.problem}`)
}
