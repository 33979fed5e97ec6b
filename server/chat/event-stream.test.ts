// Server-sent events, split at any byte, and hostile ones.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventStreamParser } from './event-stream.ts'

const parse = (text: string, bytesMax?: number): readonly string[] =>
  new EventStreamParser(bytesMax).push(Buffer.from(text))

const inPieces = (bytes: Uint8Array, cuts: readonly number[]): readonly string[] => {
  const parser = new EventStreamParser()
  const events: string[] = []
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    events.push(...parser.push(bytes.subarray(from, Math.max(from, cut))))
    from = Math.max(from, cut)
  }
  return [...events, ...parser.push(bytes.subarray(from))]
}

test.each([
  ['an event', 'data: {"a":1}\n\n', ['{"a":1}']],
  ['no space behind the colon', 'data:x\n\n', ['x']],
  ['one space belongs to the field', 'data:  x\n\n', [' x']],
  ['several lines of data', 'data: a\ndata: b\n\n', ['a\nb']],
  ['a field without a colon', 'data\n\n', ['']],
  ['lines that end with CR LF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['lines that end with CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['comments and other fields', ': hello\nevent: x\nid: 7\nretry: 1\ndata: a\n\n', ['a']],
  ['a field whose name begins alike', 'database: a\n\ndata: b\n\n', ['b']],
  ['empty lines alone', '\n\n\n', []],
  ['an event that does not end', 'data: a\n', []],
  ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
  ['text beyond ASCII', 'data: Grüße ✓ 𝄞\n\n', ['Grüße ✓ 𝄞']],
])('%s', (_, text, events) => {
  expect(parse(text)).toEqual(events)
})

test('events are the same for every split of the bytes', () => {
  const data = fc.string({ unit: 'binary', maxLength: 20 }).map((s) => s.replace(/[\r\n]/g, ' '))
  const line = fc.oneof(
    data.map((text) => `data: ${text}`),
    data.map((text) => `: ${text}`),
    fc.constant('event: message'),
    fc.constant(''),
  )
  const ended = fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')).map(([a, b]) => a + b)
  const stream = fc.array(ended, { maxLength: 20 }).map((lines) => Buffer.from(lines.join('')))
  fc.assert(
    fc.property(stream, fc.array(fc.nat(400), { maxLength: 30 }), (bytes, cuts) => {
      const within = cuts.filter((cut) => cut <= bytes.length)
      expect(inPieces(bytes, within)).toEqual(inPieces(bytes, []))
      const everywhere = Array.from(bytes, (_, at) => at)
      expect(inPieces(bytes, everywhere)).toEqual(inPieces(bytes, []))
    }),
  )
})

test('an event that is too large is refused: in one line, in many, and while it arrives', () => {
  const tooLarge = expect.objectContaining({ type: 'parser_error' })
  expect(parse(`data: ${'x'.repeat(94)}\n\n`, 100)).toEqual(['x'.repeat(94)])
  expect(() => parse(`data: ${'x'.repeat(95)}\n\n`, 100)).toThrow(tooLarge)
  expect(() => parse('data: 0123456789\n'.repeat(11), 100)).toThrow(tooLarge)
  expect(() => parse('x'.repeat(101), 100)).toThrow(tooLarge)
  const parser = new EventStreamParser(100)
  expect(() => {
    for (let i = 0; i < 101; i++) parser.push(Buffer.from('x'))
  }).toThrow(tooLarge)
  // Many small events are not one large one.
  expect(parse('data: 0123456789\n\n'.repeat(100), 100)).toHaveLength(100)
})

test('text that is not UTF-8 is refused', () => {
  const parser = new EventStreamParser()
  const bytes = Buffer.concat([Buffer.from('data: '), Buffer.of(0xff), Buffer.from('\n\n')])
  expect(() => parser.push(bytes)).toThrow(expect.objectContaining({ type: 'invalid_utf8_error' }))
})
