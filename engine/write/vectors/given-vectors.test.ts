// The member `_vectors` of a document, as it is parsed.
import { describe, expect, it } from 'vitest'
import { DOCUMENT_ROWS_MAX } from '../../../format/vectors/index.ts'
import { VectorsParser } from './given-vectors.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

function parsed(value: unknown, isStored = false) {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const parser = new VectorsParser((name) => name === 'e')
  const given = parser.parse(bytes, 0, bytes.length, Buffer.from('7'), isStored)
  const entry = given.known.get('e')
  return {
    entry:
      entry === undefined ? null : { ...entry, rows: entry.rows?.map((row) => [...row]) ?? null },
    otherNames: given.otherNames,
    others: given.others === null ? null : text(given.others),
  }
}

describe('the entry of an embedder', () => {
  const own = (rows: number[][] | null, regenerates = false, isOptOut = false) => {
    return { rows, regenerates, isOptOut }
  }
  it.each([
    ['null', own([], false, true)],
    ['[]', own([])],
    ['[ ]', own([])],
    ['[1,-2.5]', own([[1, -2.5]])],
    [
      '[[1,2],[3,4]]',
      own([
        [1, 2],
        [3, 4],
      ]),
    ],
    ['[ [1] , [2] ]', own([[1], [2]])],
    ['[[]]', own([[]])],
    ['{"regenerate":true}', own(null, true)],
    ['{"regenerate":false}', own(null)],
    ['{"regenerate":true,"embeddings":null}', own(null, true)],
    ['{"embeddings":[1],"regenerate":false}', own([[1]])],
    ['{"embeddings":[],"regenerate":true}', own([], true)],
  ])('%s', (value, expected) => {
    expect(parsed(`{"e":${value}}`)).toEqual({ entry: expected, otherNames: [], others: null })
  })

  it.each([
    ['7', 'Expected `._vectors.e` to be an array of floats'],
    ['"x"', 'Expected `._vectors.e` to be'],
    ['{}', 'Missing field `._vectors.e.regenerate`'],
    ['{"regenerate":null}', 'expected a boolean'],
    ['{"regenerate":0}', 'expected a boolean'],
    ['{"regenerate":true,"embedding":[]}', 'trailing characters'],
    ['{"regenerate":true,"embeddings":1}', '`._vectors.e.embeddings`'],
    ['["x"]', '`._vectors.e[0]`'],
    ['[1,"x"]', '`._vectors.e[1]`'],
    ['[[1],2]', '`._vectors.e[1]`'],
    ['[[1],[2,null]]', '`._vectors.e[1][1]`'],
  ])('%s is refused', (value, words) => {
    const parse = () => parsed(`{"e":${value}}`)
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_vectors_type' }))
    expect(parse).toThrow(words)
    expect(parse).toThrow('with id: `7`')
  })

  it('has at most so many vectors; the others are dropped', () => {
    const rows = Array.from({ length: DOCUMENT_ROWS_MAX + 1 }, (_, i) => [i])
    expect(parsed({ e: rows }).entry!.rows).toEqual(rows.slice(0, -1))
  })
})

describe('entries with other names', () => {
  it('stay in the document, in byte order and in the form that clients read', () => {
    const bytes =
      '{"z":[1, 2],"e":[3],"b":null,"a":{"embeddings":[4],"regenerate":true},"c":{"regenerate":false}}'
    expect(parsed(bytes)).toMatchObject({
      otherNames: ['a', 'b', 'c', 'z'],
      others:
        '{"a":{"regenerate":true,"embeddings":[4]},"b":[],"c":{"regenerate":false},"z":[1, 2]}',
    })
  })

  it('are checked once, when the document arrives', () => {
    expect(() => parsed({ other: 7 })).toThrow('`._vectors.other`')
    expect(parsed({ other: 7 }, true).others).toBe('{"other":7}')
    expect(() => parsed({ e: 7 }, true)).toThrow('`._vectors.e`')
  })
})

it('null is an object without entries', () => {
  expect(parsed('null')).toEqual({ entry: null, otherNames: [], others: null })
})

it.each([
  ['[]', 'sequence', 2],
  ['"x"', 'string "x"', 3],
  ['1', 'integer `1`', 1],
])('%s is refused, and the message names the document', (value, kind, column) => {
  expect(() => parsed(value)).toThrow(
    'Bad embedder configuration in the document with id: `7`. Could not parse `._vectors`: ' +
      `invalid type: ${kind}, expected a map at line 1 column ${column}`,
  )
})
