// Bodies: the message of every refusal, the stored bytes, the same for every division into chunks.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BodyFormat } from '../../model/index.ts'
import { EngineFault } from '../../model/index.ts'
import { shortened } from './faults.ts'
import { createIntake, readBody } from './index.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const JSON_BODY: BodyFormat = { kind: 'json' }
const NDJSON: BodyFormat = { kind: 'ndjson' }
const CSV: BodyFormat = { kind: 'csv', delimiter: ',' }

type Outcome = { readonly documents: number; readonly stored: string } | { readonly fault: string }

function receive(body: string | Uint8Array, format: BodyFormat, size = Infinity): Outcome {
  const bytes = typeof body === 'string' ? encode(body) : body
  const stored: Uint8Array[] = []
  try {
    const intake = createIntake(format, (piece) => stored.push(piece.slice()))
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.slice(at, Math.min(bytes.length, at + size))
      intake.push(chunk)
      chunk.fill(0x22)
    }
    const { documents } = intake.finish()
    return { documents, stored: new TextDecoder().decode(Buffer.concat(stored)) }
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    return { fault: `${error.code}: ${error.message}` }
  }
}

function expectOutcome(body: string | Uint8Array, format: BodyFormat, outcome: Outcome): void {
  for (const size of [Infinity, 1, 2, 3, 7]) {
    expect(receive(body, format, size), String(body).slice(0, 200)).toEqual(outcome)
  }
}

const malformed = (kind: string, detail: string): Outcome => ({
  fault:
    `malformed_payload: The \`${kind}\` payload provided is malformed. ` +
    `\`Couldn't serialize document value: ${detail}\`.`,
})
const malformedCsv = (detail: string): Outcome => ({
  fault: `malformed_payload: The \`csv\` payload provided is malformed: \`${detail}\`.`,
})

describe('JSON bodies', () => {
  const good: readonly (readonly [string, number, string])[] = [
    ['[]', 0, ''],
    ['[{"id":2},{"z":1,"id":3,"a":2.5}]', 2, '{"id":2}{"z":1,"id":3,"a":2.5}'],
    ['{"id": 10, "one": "object"}', 1, '{"id":10,"one":"object"}'],
    ['[{"id":1,"id":2,"n":1e3,"m":1e22}]', 1, '{"id":2,"n":1000.0,"m":1e+22}'],
    [
      '[{"id":1,"n":[18446744073709551616,-9223372036854775809,100000000000000000000000]}]',
      1,
      '{"id":1,"n":[18446744073709551616,-9223372036854775809,100000000000000000000000]}',
    ],
    [
      '[{"id":1,"deep":{"a":[1,null,"x"]},"t":"tab\\t\\"q\\" \\u00e9 \\ud83d\\ude00 \\/"}]',
      1,
      '{"id":1,"deep":{"a":[1,null,"x"]},"t":"tab\\t\\"q\\" é 😀 /"}',
    ],
    ['[{"__proto__":{"x":1},"constructor":1}]', 1, '{"__proto__":{"x":1},"constructor":1}'],
    ['[{}] \r\n', 1, '{}'],
    ['[{}] whatever {', 1, '{}'],
  ]
  for (const [body, documents, stored] of good) {
    it(`stores ${body.slice(0, 40)}`, () => expectOutcome(body, JSON_BODY, { documents, stored }))
  }

  const bad: readonly (readonly [string, string])[] = [
    ['   ', 'EOF while parsing a value at line 1 column 3'],
    ['[{"id":1}', 'EOF while parsing a list at line 1 column 9'],
    ['[{"id":1},]', 'trailing comma at line 1 column 11'],
    ['[{"id":1,}]', 'key must be a string at line 1 column 10'],
    ['{"id":1} {"id":2}', 'trailing characters at line 1 column 10'],
    ['[{}] {', 'trailing characters at line 1 column 6'],
    ['"text"', 'data are neither an object nor a list of objects'],
    ['-1.5', 'data are neither an object nor a list of objects'],
    ['1', 'data are neither an object nor a list of objects'],
    ['nul', 'EOF while parsing a value at line 1 column 3'],
    ['[1]', 'invalid type: integer `1`, expected a map at line 1 column 2'],
    ['[{},[1]]', 'invalid type: sequence, expected a map at line 1 column 4'],
    ['[\n"a"]', 'invalid type: string "a", expected a map at line 2 column 3'],
    ['[{}, null]', 'invalid type: null, expected a map at line 1 column 9'],
    ['[{"a":"\\ud800"}]', 'unexpected end of hex escape at line 1 column 14'],
    ['[{"a":1e999}]', 'number out of range at line 1 column 11'],
  ]
  for (const [body, detail] of bad) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      expectOutcome(body, JSON_BODY, malformed('json', detail))
    })
  }

  it('are missing when empty', () => {
    const missing = (kind: string) => ({ fault: `missing_payload: A ${kind} payload is missing.` })
    expectOutcome('', JSON_BODY, missing('json'))
    expectOutcome('', NDJSON, missing('ndjson'))
    expectOutcome('', CSV, missing('csv'))
  })

  it('are stored as JSON.stringify writes them', () => {
    const documents = fc.array(
      fc.dictionary(
        fc.string().map((k) => `k${k}`),
        fc.jsonValue(),
      ),
    )
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 40 }), (all, size) => {
        // A double is written in another form than JavaScript's, so values are compared.
        const outcome = receive(JSON.stringify(all, null, 1), JSON_BODY, size)
        if ('fault' in outcome) throw new Error(outcome.fault)
        const reader = readBody(encode(outcome.stored))
        const read: unknown[] = []
        while (reader.next()) {
          read.push(
            JSON.parse(new TextDecoder().decode(reader.bytes.subarray(reader.start, reader.end))),
          )
        }
        expect(read).toEqual(JSON.parse(JSON.stringify(all)))
        expect(outcome.documents).toBe(all.length)
      }),
    )
  })

  it('are passed on in pieces, even a large document', () => {
    const documents = Array.from({ length: 3000 }, (_, id) => ({ id, text: 'x'.repeat(100) }))
    documents.push({ id: 1, text: 'é'.repeat(1_500_000) })
    documents.push({ id: 2, text: 'last' })
    const body = JSON.stringify(documents)
    const stored = documents.map((document) => JSON.stringify(document)).join('')
    expect(receive(body, JSON_BODY, 65536)).toEqual({ documents: 3002, stored })
  })
})

describe('a byte order mark', () => {
  it.each([
    ['NDJSON', NDJSON, '{"id":1}\n'],
    ['JSON', JSON_BODY, '{"id":1}'],
  ] as const)('before %s is dropped', (_, format, stored) => {
    expectOutcome(`\ufeff${stored}`, format, { documents: 1, stored })
  })

  it('that is not whole, or follows another one, is text', () => {
    const fault = { fault: expect.stringContaining('expected value at line 1 column 1') }
    expectOutcome(Uint8Array.of(0xef, 0xbb, 0x7b, 0x7d), NDJSON, fault as never)
    expectOutcome('\ufeff\ufeff{}', NDJSON, fault as never)
    expectOutcome(Uint8Array.of(0xef, 0xbb), NDJSON, fault as never)
  })
})

describe('NDJSON bodies', () => {
  it('are stored unchanged', () => {
    for (const [body, documents] of [
      ['{"id":1, "s": "one" }\n\n{"id":2}\n', 2],
      ['  {"id":14}  \n\t{"id":15}\t', 2],
      ['{"id":10}{"id":11}', 2],
      ['{"id":1,"id":2,"n":1.10}', 1],
      ['\n', 0],
    ] as const) {
      expectOutcome(body, NDJSON, { documents, stored: body })
    }
  })

  const bad: readonly (readonly [string, string])[] = [
    ['{"id":16},\n{"id":17}', 'expected value at line 1 column 10'],
    ['{"id":26}\n{"id":', 'EOF while parsing a value at line 2 column 6'],
    ['{"id":27}\n{id:28}', 'key must be a string at line 2 column 2'],
    ['{}\n12', 'invalid type: integer `12`, expected a map at line 2 column 2'],
    ['{}\n12 ', 'invalid type: integer `12`, expected a map at line 2 column 2'],
    ['{} [{}]', 'invalid type: sequence, expected a map at line 1 column 3'],
    [
      `"${'é'.repeat(100)}"`,
      `invalid type: string "${'é'.repeat(14)}...${'é'.repeat(23)}", expected a map at line 1 column 202`,
    ],
  ]
  for (const [body, detail] of bad) {
    it(`refuses ${JSON.stringify(body).slice(0, 40)}`, () => {
      expectOutcome(body, NDJSON, malformed('ndjson', detail))
    })
  }

  it('report the position of one bad line of many', () => {
    const lines = Array.from({ length: 20000 }, (_, id) => `{"id":${id}}`)
    lines[12344] = '{"id":oops}'
    expect(receive(lines.join('\n'), NDJSON, 4096)).toEqual(
      malformed('ndjson', 'expected value at line 12345 column 7'),
    )
  })
})

describe('a fault that is often made', () => {
  const faultOf = (body: string, format: BodyFormat): string => {
    const outcome = receive(body, format)
    // However the body is divided, the advice is the same.
    expectOutcome(body, format, outcome)
    return 'fault' in outcome ? outcome.fault : ''
  }
  const words = ['NaN', 'nan', 'Infinity', '-Infinity', 'inf', 'undefined', 'None', 'True', 'False']

  it.each(words)('%s is no word of JSON', (word) => {
    const advice = 'JSON has no `NaN`, `Infinity`'
    expect(faultOf(`[{"id":1,"a":${word}}]`, JSON_BODY)).toContain(advice)
    expect(faultOf(`{"id":1,"a":[0,${word}]}`, NDJSON)).toContain(advice)
  })

  it('NDJSON is not JSON', () => {
    const advice = 'with `Content-Type: application/x-ndjson`'
    expect(faultOf('{"id":1}\n{"id":2}', JSON_BODY)).toContain(advice)
    expect(faultOf('{"id":1}\r\n\r\n{"id":2}\r\n', JSON_BODY)).toContain(advice)
    expect(faultOf('[{"id":1}][{"id":2}]', JSON_BODY)).toContain(advice)
    expect(faultOf('{"id":1}\nx', JSON_BODY)).not.toContain(advice)
    expect(faultOf('{"id":1}}', JSON_BODY)).not.toContain(advice)
  })

  it.each([
    ['id;name\n1;b,c', 'The only field is `id;name`', 'csvDelimiter=%3B'],
    ['id\tname\n1\tb,c', 'The only field is `id\tname`', 'csvDelimiter=%09'],
    ['id|name\n1|b,c', 'The only field is `id|name`', 'csvDelimiter=%7C'],
  ])('%j has another delimiter', (body, field, delimiter) => {
    expect(faultOf(body, CSV)).toContain(field)
    expect(faultOf(body, CSV)).toContain(delimiter)
  })

  it('other faults have no advice', () => {
    expect(faultOf('[{"id":@}]', JSON_BODY)).toMatch(/column 8`\.$/)
    expect(faultOf('[{"id":nulL}]', JSON_BODY)).toMatch(/column 11`\.$/)
    expect(faultOf('a\n1,2', CSV)).toMatch(/1 fields`\.$/)
  })
})

describe('details', () => {
  it('lose their middle beyond 138 bytes', () => {
    expect(shortened('x'.repeat(138))).toBe('x'.repeat(138))
    expect(shortened(`${'a'.repeat(60)}${'b'.repeat(100)}`)).toBe(
      `${'a'.repeat(50)}...${'b'.repeat(85)}`,
    )
    expect(shortened(`x${'é'.repeat(100)}`)).toBe(`x${'é'.repeat(24)}...${'é'.repeat(42)}`)
  })
})

describe('CSV bodies', () => {
  const good: readonly (readonly [string, string, ...unknown[]])[] = [
    [
      'id,name,age\n1,Ann,33\n2,Bob,\n',
      '{"id":"1","name":"Ann","age":"33"}{"id":"2","name":"Bob","age":null}',
    ],
    [
      'id:number,name:string,age:number,ok:boolean\n1,Ann,33,true\n2,Bob,-1.5e2,false\n',
      '{"id":1,"name":"Ann","age":33,"ok":true}{"id":2,"name":"Bob","age":-150.0,"ok":false}',
    ],
    ['id:number,age:number,ok:boolean,s:string\n1,,,\n', '{"id":1,"age":null,"ok":null,"s":null}'],
    [
      'id,a:b,c:Number,d:int,e:,:f,g:h:number\n1,2,3,4,5,6,7\n',
      '{"id":"1","a:b":"2","c:Number":"3","d:int":"4","e:":"5",":f":"6","g:h":7}',
    ],
    ['id,price: number,x :number\n1,2,3\n', '{"id":"1","price: number":"2","x ":3}'],
    [
      'id,name\n1,"Ann, the ""best"""\n2,"two\nlines"\n',
      '{"id":"1","name":"Ann, the \\"best\\""}{"id":"2","name":"two\\nlines"}',
    ],
    ['id,name\r\n1,Ann\r\n2,Bob', '{"id":"1","name":"Ann"}{"id":"2","name":"Bob"}'],
    ['id,name\n\n1,Ann\n\n2,Bob\n\n', '{"id":"1","name":"Ann"}{"id":"2","name":"Bob"}'],
    ['id,name\n1, Ann \n', '{"id":"1","name":" Ann "}'],
    ['\ufeffid,name\n1,été 日本 😀\n', '{"id":"1","name":"été 日本 😀"}'],
    ['id,id\n1,2\n', '{"id":"2"}'],
    ['id,a,a:number\n1,x,3\n', '{"id":"1","a":3}'],
    ['id,a:number,a\n1,3,x\n', '{"id":"1","a":"x"}'],
    ['id,\n1,x\n', '{"id":"1","":"x"}'],
    ['id,:number\n1,4\n', '{"id":"1","":4}'],
    ['id,"q""u\\o"\n1,x\n', '{"id":"1","q\\"u\\\\o":"x"}'],
    ['id,a\n1,"open\n', '{"id":"1","a":"open\\n"}'],
    ['id,a\n1,x"y"z\n', '{"id":"1","a":"x\\"y\\"z"}'],
    ['id,a\n1,"x"y\n', '{"id":"1","a":"xy"}'],
    ['id,a\n1,"x"y"z\n', '{"id":"1","a":"xy\\"z"}'],
    [
      'id,n:number\n1,NaN\n2,inf\n3,-Infinity\n4,1e400\n',
      '{"id":"1","n":null}{"id":"2","n":null}{"id":"3","n":null}{"id":"4","n":null}',
    ],
    [
      'id,n:number\n1, 2\n2,1 \n3,\u00a07\u2003\n4,  \n',
      '{"id":"1","n":2}{"id":"2","n":1}{"id":"3","n":7}{"id":"4","n":null}',
    ],
    [
      'n:number\n9223372036854775807\n9223372036854775808\n-9223372036854775808\n-0\n.5\n5.\n+3\n007\n-0.0\n',
      '{"n":9223372036854775807}{"n":9223372036854775808}{"n":-9223372036854775808}{"n":0}{"n":0.5}{"n":5.0}{"n":3}{"n":7}{"n":-0.0}',
    ],
    [`n:number\n-00${'9'.repeat(30)}\n${'9'.repeat(309)}\n`, `{"n":-${'9'.repeat(30)}}{"n":null}`],
    [
      'id,j:json\n1,"{""b"": [1.50, 712345678901234561],""b"":null}"\n2, [true] \n3,\n4,""""""\n',
      '{"id":"1","j":{"b":null}}{"id":"2","j":[true]}{"id":"3"}{"id":"4","j":""}',
    ],
    ['j:json,n:json:string\n,x\n1e3,\n', '{"n:json":"x"}{"j":1000.0,"n:json":null}'],
    ['j:json,k\n,""\n', '{"k":null}'],
    ['id,a\n1,"x\r\n\n', '{"id":"1","a":"x\\r\\n\\n"}'],
    ['id,b:boolean\n1, true\n', '{"id":"1","b":true}'],
    ['id,a\n1,[1;2]\n2,{}\n', '{"id":"1","a":"[1;2]"}{"id":"2","a":"{}"}'],
    ['""\n""\n', '{"":null}'],
    ['a\n"x\n', '{"a":"x\\n"}'],
  ]
  for (const [body, stored] of good) {
    it(`store ${JSON.stringify(body).slice(0, 60)}`, () => {
      const reader = readBody(encode(stored))
      let documents = 0
      while (reader.next()) documents++
      expectOutcome(body, CSV, { documents, stored })
    })
  }

  it('may hold no rows', () => {
    for (const body of ['id,name\n', '\n', '   ', '[{"id":1}]', '\ufeff', '\r\n\r\n', 'x']) {
      expectOutcome(body, CSV, { documents: 0, stored: '' })
    }
  })

  it('have other delimiters', () => {
    const stored = '{"id":"1","name":"a,b"}'
    for (const delimiter of [';', '\t', '|', ' ']) {
      const body = `id${delimiter}name\n1${delimiter}a,b\n`
      expectOutcome(body, { kind: 'csv', delimiter }, { documents: 1, stored })
    }
    expectOutcome('id,a\n1,x\n', { kind: 'csv', delimiter: '\n' }, { documents: 0, stored: '' })
    expectOutcome('idzaz1zx\n', { kind: 'csv', delimiter: 'z' }, { documents: 0, stored: '' })
    expectOutcome(
      'id,a\n1,x\n',
      { kind: 'csv', delimiter: '"' },
      { documents: 1, stored: '{"id,a":"1,x"}' },
    )
  })

  const cells = 'found record with'
  const bad: readonly (readonly [string, string])[] = [
    [
      'id,a\n1,2,3\n',
      `CSV error: record 1 (line: 2, byte: 5): ${cells} 3 fields, but the previous record has 2 fields`,
    ],
    [
      'id,a,b\n1,2\n',
      `CSV error: record 1 (line: 2, byte: 7): ${cells} 2 fields, but the previous record has 3 fields`,
    ],
    [
      'id,a\n1,2\n3\n',
      `CSV error: record 2 (line: 3, byte: 9): ${cells} 1 fields, but the previous record has 2 fields`,
    ],
    [
      'id,n:number\n1,1\n2,1_000\n',
      'Error parsing number "1_000" at line 2: invalid float literal',
    ],
    ['id,n:number\n1,0x10\n', 'Error parsing number "0x10" at line 1: invalid float literal'],
    ['id,n:number\n1,"1,5"\n', 'Error parsing number "1,5" at line 1: invalid float literal'],
    ['id,n:number\n1,.\n', 'Error parsing number "." at line 1: invalid float literal'],
    [
      'id,j:json\n1,1\n2,{]\n',
      'Error parsing json "{]" at line 2: key must be a string at line 1 column 2',
    ],
    [
      `j:json\n${'['.repeat(127)}${']'.repeat(127)}\n`,
      `Error parsing json "${'['.repeat(127)}${']'.repeat(127)}" at line 1: ` +
        'recursion limit exceeded at line 1 column 128',
    ],
    [
      'id,b:boolean\n1,true\n2,True\n',
      'Error parsing boolean "True" at line 2: provided string was not `true` or `false`',
    ],
  ]
  const unclosed = (line: number): string =>
    `CSV error: the quote that opens in line ${line} is never closed, so the rows after it would ` +
    'become part of its field. Close it, or write a quote that is text as two quotes'
  const open: readonly (readonly [string, number])[] = [
    ['id,a\n1,"x\n2,y\n', 2],
    ['id,a\n1,"x\ny"\n2,z\n3,"é\r\n4,5', 5],
    ['id,a\n1,x\n2,"y""\nz', 3],
    ['"id\n1', 1],
  ]
  const unclosedOnes = open.map(([body, line]) => [body, unclosed(line)] as const)
  for (const [body, detail] of [...bad, ...unclosedOnes]) {
    it(`refuse ${JSON.stringify(body)}`, () => expectOutcome(body, CSV, malformedCsv(detail)))
  }

  const places: readonly (readonly [string, string])[] = [
    [
      'id,_geo\n1,"48.85, -2"\n2,\n',
      '{"id":"1","_geo":{"lat":48.85,"lng":-2}}{"id":"2","_geo":null}',
    ],
    ['_geo.lng:number,id,_geo.lat\n2,1, 1.5\n', '{"_geo":{"lat":1.5,"lng":2},"id":"1"}'],
    ['_geo.lat,_geo.lng\n , \n', '{"_geo":null}'],
    ['_geo.lat,n\n1,2\n', '{"_geo.lat":"1","n":"2"}'],
    ['_geo:string\n"1,2"\n', '{"_geo":"1,2"}'],
    ['_geo:json\n"{""lat"":1,""lng"":2}"\n', '{"_geo":{"lat":1,"lng":2}}'],
    ['_geo.lat:json,_geo.lng:json\n1,2\n', '{"_geo.lat":1,"_geo.lng":2}'],
    [
      '_geo.lat,_geo.lng,_geo\n1,2,"3,4"\n',
      '{"_geo.lat":"1","_geo.lng":"2","_geo":{"lat":3,"lng":4}}',
    ],
  ]
  for (const [body, stored] of places) {
    const documents = body.split('\n').length - 2
    it(`have places: ${JSON.stringify(body)}`, () =>
      expectOutcome(body, CSV, { documents, stored }))
  }

  const noPlaces: readonly (readonly [string, string])[] = [
    [
      'id,_geo\n1,"1,2"\n\n2,north\n',
      '`_geo` field in row 2 (line 4) of the `csv` payload is no place. Was expecting two finite numbers, `lat,lng`, but instead got `"north"`.',
    ],
    [
      '_geo\n"1,2,3"\n',
      '`_geo` field in row 1 (line 2) of the `csv` payload is no place. Was expecting two finite numbers, `lat,lng`, but instead got `"1,2,3"`.',
    ],
    [
      '_geo\n"inf,2"\n',
      '`_geo` field in row 1 (line 2) of the `csv` payload is no place. Was expecting two finite numbers, `lat,lng`, but instead got `"inf,2"`.',
    ],
    [
      '_geo.lat,_geo.lng\n1,\n',
      'pair of `_geo.lat` and `_geo.lng` in row 1 (line 2) of the `csv` payload is no place. Was expecting two finite numbers but instead got `"1"` and `""`.',
    ],
  ]
  for (const [body, detail] of noPlaces) {
    const fault = `invalid_document_geo_field: The ${detail}`
    it(`refuse places: ${JSON.stringify(body)}`, () => expectOutcome(body, CSV, { fault }))
  }

  it('are UTF-8', () => {
    const bytesOf = (head: string, ...tail: number[]) => Uint8Array.from([...encode(head), ...tail])
    const where = (record: string, field: number, byte: number, index: number) =>
      malformedCsv(
        `CSV parse error: record ${record}, field: ${field}, byte: ${byte}): ` +
          `invalid utf-8: invalid UTF-8 in field ${field} near byte index ${index}`,
      )
    expectOutcome(bytesOf('id,name\n7,caf', 0xe9, 10), CSV, where('1 (line 2', 1, 8, 3))
    expectOutcome(bytesOf('id,n', 0xe9, 0x6d, 10), CSV, where('0 (line 1', 1, 0, 1))
    expectOutcome(bytesOf('id,name\n7,caf', 0xe2, 0x82), CSV, where('1 (line 2', 1, 8, 3))
    // Dropping a quote may join the parts of a character.
    const joined = bytesOf('a\n"', 0xe2, 0x82, 0x22, 0xac, 10)
    expectOutcome(joined, CSV, { documents: 1, stored: '{"a":"€"}' })
    expectOutcome(
      bytesOf('a\n"', 0xe2, 0x82, 0x22, 0xac, 10, 0xff),
      CSV,
      where('2 (line 3', 0, 8, 0),
    )
  })

  it('restore the written values', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') })
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((n) => fc.array(fc.array(cell, { minLength: n, maxLength: n }), { maxLength: 6 }))
    const quoted = (text: string, force: boolean): string =>
      force || /["\n\r,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    fc.assert(
      fc.property(table, fc.boolean(), fc.integer({ min: 1, max: 9 }), (rows, crlf, size) => {
        const n = rows[0]?.length ?? 1
        const head = Array.from({ length: n }, (_, i) => `c${i}`)
        const lines = [head, ...rows].map((row) =>
          row.map((text, i) => quoted(text, i === 0)).join(','),
        )
        const stored = rows.map((row) =>
          JSON.stringify(
            Object.fromEntries(row.map((text, i) => [`c${i}`, text === '' ? null : text])),
          ),
        )
        expect(receive(lines.join(crlf ? '\r\n' : '\n'), CSV, size)).toEqual({
          documents: rows.length,
          stored: stored.join(''),
        })
      }),
    )
  })
})
