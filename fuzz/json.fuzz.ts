// Any bytes as JSON: any division of the bytes gives the same fault, the scanner agrees with
// JSON.parse, and trusting readers stay inside unchecked bytes. The first byte selects the kind of
// text and the size of chunks. Page: format/json/JSON.md

import { isUtf8 } from 'node:buffer'
import { EngineFault } from '../engine/model/index.ts'
import { createIntake, readBody } from '../engine/write/intake/index.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import {
  Canonical,
  compact,
  faultText,
  JsonBuffer,
  JsonScanner,
  Members,
  skipValue,
} from '../format/json/index.ts'
import type { JsonTextKind } from '../format/json/scanner.ts'
import type { FuzzTarget } from './target.ts'

const KINDS: readonly JsonTextKind[] = ['value', 'upload', 'stream']
const TEXTS = [
  '[{"id":1,"a":[1.5e3,-0,null,true],"id":"\\u00e9\\ud83d\\ude00"}] x',
  '{"id":1, "o":{"k":[{}],"k":1}}\n{"id":2}\r\n{"é":"\\n\\/"}',
  '{"a":1e400,"b":[[[[[]]]]],"c":0.1,"d":12345678901234567890123}',
  ' "text" ',
]

export const target: FuzzTarget = {
  name: 'json',
  seeds: () =>
    TEXTS.flatMap((text) =>
      [0, 1, 2].map((first) => Uint8Array.from([first + 24, ...new TextEncoder().encode(text)])),
    ),
  run,
  allows: () => false,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const first = input[0] ?? 0
  const text = input.subarray(1)
  const kind = KINDS[first % KINDS.length]!
  const size = (first >>> 3) + 1
  const whole = scan(text, kind, text.length + 1)
  assert(whole === scan(text, kind, size), 'cuts do not matter')
  if (kind === 'value') compareWithParse(text, whole === 'ok')
  for (const format of ['json', 'ndjson'] as const) {
    const stored = take(text, format, text.length + 1)
    assert(stored === take(text, format, size), 'cuts do not matter to an intake')
  }
  readBent(text)
}

function scan(text: Uint8Array, kind: JsonTextKind, size: number): string {
  const scanner = new JsonScanner(kind)
  for (let at = 0; at < text.length; at += size) {
    scanner.feed(text.slice(at, at + size))
    while (scanner.next()) assert(scanner.documentEnd > scanner.documentStart, 'it has bytes')
  }
  scanner.finish()
  return scanner.fault === null ? 'ok' : faultText(scanner.fault)
}

/**
 * Checks that JSON.parse accepts the texts that the scanner accepts, and that the canonical text
 * has the same value.
 */
function compareWithParse(text: Uint8Array, passed: boolean): void {
  if (!passed) return
  assert(isUtf8(text), 'what passes is UTF-8')
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(text))
  const start = text.findIndex((byte) => byte > 32)
  const once = canonical(text, start)
  assert(JSON.stringify(JSON.parse(once)) === JSON.stringify(value), 'canonical text says the same')
  assert(canonical(new TextEncoder().encode(once), 0) === once, 'canonical text is canonical')
  const out = new JsonBuffer()
  compact(text, start, skipValue(text, start), out)
  const shorter = JSON.parse(new TextDecoder().decode(out.view()))
  assert(JSON.stringify(shorter) === JSON.stringify(value), 'compact text says the same')
}

function canonical(bytes: Uint8Array, at: number): string {
  const out = new JsonBuffer()
  new Canonical().write(bytes, at, out)
  return new TextDecoder().decode(out.view())
}

function take(text: Uint8Array, kind: 'json' | 'ndjson', size: number): string {
  const pieces: Uint8Array[] = []
  try {
    const intake = createIntake({ kind }, (piece) => pieces.push(piece.slice()))
    for (let at = 0; at < text.length; at += size) intake.push(text.slice(at, at + size))
    const { documents } = intake.finish()
    const body = readBody(new Uint8Array(Buffer.concat(pieces)))
    const members = new Members()
    let read = 0
    for (; body.next(); read++) {
      assert(
        members.scan(body.bytes, body.start) === body.end,
        'a document ends where its members do',
      )
    }
    assert(read === documents, 'as many documents are stored as were counted')
    return new TextDecoder().decode(body.bytes)
  } catch (error) {
    // A refusal of the client's body is an allowed outcome.
    if (!(error instanceof EngineFault)) throw error
    return error.message
  }
}

/** Runs the trusting readers on unchecked bytes. */
function readBent(text: Uint8Array): void {
  const runs = [
    () => new Members().scan(text, 0),
    () => canonical(text, 0),
    () => compact(text, 0, text.length, new JsonBuffer()),
    () => skipValue(text, 0),
    () => {
      const body = readBody(text)
      while (body.next()) assert(body.end > body.start, 'a walk moves on')
    },
  ]
  for (const read of runs) {
    try {
      read()
    } catch (error) {
      // Damaged bytes must give this typed error.
      if (!(error instanceof CorruptionError)) throw error
    }
  }
}
