// Any bytes as CSV: any division of the bytes gives the same outcome, and stored documents are
// JSON. The first byte selects the delimiter and the size of chunks.
import { EngineFault } from '../engine/model/index.ts'
import { createIntake, readBody } from '../engine/write/intake/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const DELIMITERS = [',', ';', '\t', '"', '\n', '|', 'e', '0']
const TEXTS = [
  'id,name\n1,Ann\n',
  'id:number,a:boolean,b:string,a\r\n1,true,"x ""y"", z",\r\n-1.5e2, false ,"two\nlines",é\r\n',
  '\ufeffid,"a"b\n\n1,"open',
  'n:number\nNaN\ninf\n9223372036854775808\n+007\n',
  'j:json,a:json:string\n"{""b"": [1, 712345678901234561]}",x\n,\n 1e3 ,""\n',
]

export const target: FuzzTarget = {
  name: 'csv',
  seeds: () =>
    TEXTS.flatMap((text) =>
      [8, 17].map((first) => Uint8Array.from([first, ...new TextEncoder().encode(text)])),
    ),
  run,
  allows: () => false,
  inputBytesMax: 4096,
}

function run(input: Uint8Array): void {
  const first = input[0] ?? 0
  const body = input.subarray(1)
  const delimiter = DELIMITERS[first % DELIMITERS.length]!
  const whole = take(body, delimiter, body.length + 1)
  assert(whole === take(body, delimiter, (first >>> 3) + 1), 'cuts do not matter')
}

function take(body: Uint8Array, delimiter: string, size: number): string {
  const pieces: Uint8Array[] = []
  try {
    const intake = createIntake({ kind: 'csv', delimiter }, (piece) => pieces.push(piece.slice()))
    for (let at = 0; at < body.length; at += size) intake.push(body.slice(at, at + size))
    const { documents } = intake.finish()
    const stored = readBody(new Uint8Array(Buffer.concat(pieces)))
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    let read = 0
    for (; stored.next(); read++) {
      const row = text.decode(stored.bytes.subarray(stored.start, stored.end))
      assert(typeof JSON.parse(row) === 'object', 'a row is an object')
    }
    assert(read === documents, 'as many rows are stored as were counted')
    return text.decode(stored.bytes)
  } catch (error) {
    // A refusal of the client's body is an allowed outcome.
    if (!(error instanceof EngineFault)) throw error
    return error.message
  }
}
