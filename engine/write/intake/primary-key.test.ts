// Primary keys: paths, inference, and the message of every refusal.
import { describe, expect, it } from 'vitest'
import { JsonBuffer, Members } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { inferPrimaryKey, PrimaryKey, readExternalId } from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const RULE =
  'A document identifier can be of type integer or string, only composed of alphanumeric ' +
  'characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.'

function messageOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    return `${error.code}: ${error.message}`
  }
}

function idOf(document: string, key: string): string {
  const bytes = encode(` ${document}`)
  const members = new Members()
  members.scan(bytes, 1)
  const primaryKey = new PrimaryKey(key)
  return messageOf(() => new TextDecoder().decode(primaryKey.externalId(bytes, 1, members)))
}

const infer = (document: string): string =>
  messageOf(() => {
    const members = new Members()
    members.scan(encode(document), 0)
    return inferPrimaryKey(members)
  })

const invalid = (shown: string): string =>
  `invalid_document_id: Document identifier \`${shown}\` is invalid. ${RULE}`

describe('an external id', () => {
  const good: readonly (readonly [string, string])[] = [
    ['0', '0'],
    ['-1', '-1'],
    ['"-0"', '-0'],
    ['"007"', '007'],
    ['"a-b_C"', 'a-b_C'],
    ['"\\u0061bc"', 'abc'],
    ['9223372036854775807', '9223372036854775807'],
    ['18446744073709551615', '18446744073709551615'],
    [`"${'x'.repeat(511)}"`, 'x'.repeat(511)],
  ]
  for (const [value, id] of good) {
    it(`is ${value.slice(0, 30)}`, () => {
      const bytes = encode(value)
      const read = readExternalId(bytes, 0, bytes.length, new JsonBuffer())
      expect(new TextDecoder().decode(read)).toBe(id)
    })
  }

  const bad: readonly (readonly [string, string])[] = [
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['1e3', '1000.0'],
    ['1.0', '1.0'],
    ['1E0', '1.0'],
    ['-0', '-0.0'],
    ['1.5', '1.5'],
    ['""', '""'],
    ['"bad id"', '"bad id"'],
    ['"é"', '"é"'],
    ['"\\u0031\\u00e9\\n\\u0000"', '"1é\\n\\u0000"'],
    ['null', 'null'],
    ['true', 'true'],
    ['{"a": 1}', '{"a":1}'],
    ['["a"]', '["a"]'],
    [`"${'x'.repeat(512)}"`, `"${'x'.repeat(512)}"`],
  ]
  for (const [value, shown] of bad) {
    it(`is not ${value.slice(0, 30)}`, () =>
      expect(idOf(`{"id":${value}}`, 'id')).toBe(invalid(shown)))
  }
})

describe('a row of a CSV with another delimiter', () => {
  const advice =
    'a CSV that is not separated by commas needs the query parameter `csvDelimiter=%3B`.'

  it('is named where its id is missing, invalid or not found', () => {
    expect(idOf('{"id;name":"1;b"}', 'id')).toMatch(/^missing_document_id: .*`id;name`/)
    expect(idOf('{"id;name":"1;b"}', 'id')).toContain(advice)
    expect(idOf('{"name;id":"b;1"}', 'name;id')).toMatch(/^invalid_document_id: .*`name;id`/)
    expect(idOf('{"name;id":"b;1"}', 'name;id')).toContain(advice)
    expect(infer('{"key;name":"1;b"}')).toMatch(/^index_primary_key_no_candidate_found: /)
    expect(infer('{"key;name":"1;b"}')).toContain(advice)
    expect(idOf('{"id\\tname":"1"}', 'id')).toContain('`csvDelimiter=%09`')
  })

  it('is not seen in other documents', () => {
    for (const document of ['{"name":"a;b"}', '{"a;b":1,"c":2}', '{}']) {
      expect(idOf(document, 'id')).not.toContain('csvDelimiter')
      expect(infer(document)).not.toContain('csvDelimiter')
    }
  })
})

describe('a primary key', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['{"id":1,"id":2}', 'id', '2'],
    ['{"\\u0069d":"esc"}', 'id', 'esc'],
    ['{"a":{"b":{"c":"x1"}}}', 'a.b.c', 'x1'],
    ['{"a.b":"lit"}', 'a.b', 'lit'],
    ['{"a":{"b.c":1}}', 'a.b.c', '1'],
    ['{"a":{"b":1,"b.c":2}}', 'a.b.c', '2'],
    ['{"a.b":{"c":3}}', 'a.b.c', '3'],
    ['{"*":1}', '*', '1'],
    ['{"clé primaire":"k"}', 'clé primaire', 'k'],
    ['{"_geo":{"lat":1,"lng":2,"id":3},"x":1}', '_geo.lat', '1'],
    ['{"a":{"b":null}}', 'a.b', invalid('null')],
    [
      '{"a.b":"lit", "a":{"b":"nest"}}',
      'a.b',
      'invalid_document_id: Document have too many matching `a.b` attribute: ' +
        '`{"a.b":"lit","a":{"b":"nest"}}`.',
    ],
    [
      '{"a":[{"b":1}]}',
      'a.b',
      'missing_document_id: Document doesn\'t have a `a.b` attribute: `{"a":[{"b":1}]}`.',
    ],
    ['{"":1}', '', 'missing_document_id: Document doesn\'t have a `` attribute: `{"":1}`.'],
    [
      '{"SKU":"t"}',
      'sku',
      'missing_document_id: Document doesn\'t have a `sku` attribute: `{"SKU":"t"}`.',
    ],
    ['{}', 'id', "missing_document_id: Document doesn't have a `id` attribute: `{}`."],
    [
      '{"z":9,"noid":1,"a":"é\\n","n":1.0,"big":1e2,"k":1,"k":2}',
      'id',
      "missing_document_id: Document doesn't have a `id` attribute: " +
        '`{"z":9,"noid":1,"a":"é\\n","n":1.0,"big":100.0,"k":2}`.',
    ],
  ]
  for (const [document, key, outcome] of cases) {
    it(`${key} of ${document}`, () => expect(idOf(document, key)).toBe(outcome))
  }

  it('returns the position of its value', () => {
    const bytes = encode('{"a" : {"b": [1] }}')
    const members = new Members()
    members.scan(bytes, 0)
    const key = new PrimaryKey('a.b')
    expect(key.find(bytes, members)).toBe(true)
    expect([key.valueStart, key.valueEnd]).toEqual([13, 16])
  })
})

describe('inference', () => {
  const advice = 'Please specify the primary key manually using the `primaryKey` query parameter.'
  const none =
    'index_primary_key_no_candidate_found: The primary key inference failed as the engine did not ' +
    `find any field ending with \`id\` in its name. ${advice}`
  const several = (n: number, first: string, second: string): string =>
    'index_primary_key_multiple_candidates_found: The primary key inference failed as the engine ' +
    `found ${n} fields ending with \`id\` in their names: '${first}' and '${second}'. ${advice}`
  const cases: readonly (readonly [string, string])[] = [
    ['{"id":1}', 'id'],
    ['{"bookId":1,"title":"x"}', 'bookId'],
    ['{"book_ID":1}', 'book_ID'],
    ['{"obj.id":1}', 'obj.id'],
    ['{"прив id":1}', 'прив id'],
    ['{"id":1,"id":2}', 'id'],
    ['{"obj":{"id":1}}', none],
    ['{"identity":1}', none],
    ['{"id ":1}', none],
    ['{"d":1,"İd":1,"ＩＤ":1,"idé":2}', none],
    ['{}', none],
    ['{"a_id":1,"b_id":2}', several(2, 'a_id', 'b_id')],
    ['{"zid":1,"id":2,"mid":3}', several(3, 'id', 'mid')],
    ['{"id":1,"ID":2}', several(2, 'ID', 'id')],
  ]
  for (const [document, outcome] of cases) {
    it(`of ${document}`, () => expect(infer(document)).toBe(outcome))
  }
})
