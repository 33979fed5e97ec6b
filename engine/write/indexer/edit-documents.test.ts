// The result of a function on single documents: which bytes change, which id must stay, and when a
// run is stopped.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import { RUN_MS_MAX } from '../../script/language/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import { liveDocuments } from '../vectors/stored-records.ts'
import { DocumentEditor, type EditingOptions } from './edit-documents.ts'
import { type Document, importOf, inlineBody, SmallIndex } from './test-support.ts'

/** Returns the record of a document, and the names of its fields. */
async function recordOf(text: string, primaryKey: string | null) {
  const index = new SmallIndex(defaultSettings())
  const bytes = Buffer.from(text)
  await index.run([importOf([], { body: inlineBody(bytes, 1), primaryKey })])
  const [stored] = [...liveDocuments(index.view)].map(({ record, externalId }) => ({
    record: record.slice(),
    externalId: externalId.slice(),
  }))
  return { ...stored!, names: index.ref.fields, primaryKey: index.ref.primaryKey }
}

async function edited(
  text: string,
  script: string,
  options: Partial<EditingOptions> = {},
): Promise<string | null> {
  const { record, externalId, names, primaryKey } = await recordOf(text, options.primaryKey ?? null)
  const editor = new DocumentEditor({
    uid: asIndexUid('x'),
    primaryKey,
    names: new FieldNames(names),
    script,
    context: null,
    pause: () => undefined,
    now: () => 0,
    ...options,
  })
  const json = editor.edit(record, externalId)
  if (json === null) return null
  return json === record ? 'as it was' : Buffer.from(json).toString()
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof EngineFault ? `${error.code} ${error.message}` : error),
  )

describe('an edited document', () => {
  it('keeps the bytes of unchanged members, even if they were read', async () => {
    const text = '{"id":1,"big":18446744073709551615,"e":1.50e3,"o":{"z":1,"a":2.0},"u":"\\u00e9"}'
    const all = '{"big":18446744073709551615,"e":1.50e3,"id":1,"o":{"z":1,"a":2.0},"u":"\\u00e9"}'
    expect(await edited(text, 'doc.big; doc.o.z; doc.e + 1.0; doc.u.len()')).toBe('as it was')
    expect(await edited(text, 'doc.n = 1')).toBe(all.replace('"id":1,', '"id":1,"n":1,'))
    expect(await edited(text, 'doc.o.z = 5; doc.u += "x"')).toBe(
      '{"big":18446744073709551615,"e":1.50e3,"id":1,"o":{"a":2.0,"z":5},"u":"éx"}',
    )
  })

  it('distinguishes integers from floats', async () => {
    const numbers = '{"id":1,"a":3,"b":3.0,"c":-0.0,"d":9223372036854775807,"e":1e2}'
    const script =
      'let t = []; for k in ["a","b","c","d","e"] { t.push(type_of(doc[k])) } ' +
      'for k in doc.keys() { if k != "id" { doc.remove(k) } } doc.t = t'
    const types = '["i64","f64","f64","i64","f64"]'
    expect(await edited(numbers, script)).toBe(`{"id":1,"t":${types}}`)
    expect(await edited('{"id":1,"a":3}', 'doc.a = [doc.a * 1.0, doc.a / 2, 1.0/3.0]')).toBe(
      '{"a":[3.0,1,0.3333333333333333],"id":1}',
    )
  })

  it('keeps its id and the type of it', async () => {
    const moved = "Index `x`: Document editions cannot modify a document's primary key"
    const fault = `edit_documents_by_function_error ${moved}`
    expect(await edited('{"id":1}', 'doc.id = 1')).toBe('as it was')
    expect(await edited('{"id":"1"}', 'doc.id = "1"; doc.n = 2')).toBe('{"id":"1","n":2}')
    expect(await failure(edited('{"id":1}', 'doc.id = "1"'))).toBe(fault)
    expect(await failure(edited('{"id":"1"}', 'doc.id = 1'))).toBe(fault)
    expect(await failure(edited('{"id":1}', 'doc.id += 1'))).toBe(fault)
    expect(await failure(edited('{"id":1}', 'doc.id = 1.5'))).toMatch(/^invalid_document_id Index/)
    expect(await failure(edited('{"id":1}', 'doc.clear()'))).toBe(
      "missing_document_id Index `x`: Document doesn't have a `id` attribute: `{}`.",
    )
  })

  it('may be deleted, and must stay an object', async () => {
    expect(await edited('{"id":1}', 'doc = ()')).toBe(null)
    expect(await edited('{"id":1}', 'doc = #{id: 1, a: #{}}')).toBe('{"a":{},"id":1}')
    const fault =
      'edit_documents_by_function_error Index `x`: Document editions must keep documents as objects'
    for (const value of ['1', '"x"', '[doc]', 'true', '|x| x', '1..2']) {
      expect(await failure(edited('{"id":1}', `doc = ${value}`))).toBe(fault)
    }
  })

  it('reads the context as it was sent, and cannot change it', async () => {
    const context = '{"list":[1,2],"map":{"a":"b"},"half":2.0}'
    expect(await edited('{"id":7}', 'doc.n = doc.id / context.half', { context })).toBe(
      '{"id":7,"n":3.5}',
    )
    const read = 'doc.l = context.list; doc.l.push(3); doc.m = context.map.a'
    expect(await edited('{"id":1}', read, { context })).toBe('{"id":1,"l":[1,2,3],"m":"b"}')
    for (const change of [
      'context = 1',
      'context.list = 1',
      'context.list.push(3)',
      'context.list[0] = 1',
    ]) {
      expect(await failure(edited('{"id":1}', change, { context }))).toMatch(
        /Cannot modify constant context \(line 1, position 1\)$/,
      )
    }
    expect(await failure(edited('{"id":1}', 'doc.n = context'))).toMatch(
      /Variable not found: context/,
    )
    expect(await edited('{"id":1}', 'let c = context; c.list.clear()', { context })).toBe(
      'as it was',
    )
  })

  it('is stopped after the time limit, or when the batch is canceled', async () => {
    let now = 0
    const slow = { now: () => (now += 6000) }
    expect(await failure(edited('{"id":1}', 'loop { }', slow))).toMatch(
      /running the function: The function takes longer than 10 seconds$/,
    )
    const taking = (ms: number) => {
      let asked = 0
      return { now: () => (asked++ === 0 ? 0 : ms) }
    }
    const script = 'for i in 0..10_000 { } doc.n = 1'
    expect(await edited('{"id":1}', script, taking(RUN_MS_MAX))).toBe('{"id":1,"n":1}')
    expect(await failure(edited('{"id":1}', script, taking(RUN_MS_MAX + 1)))).toMatch(/10 sec/)
    const pause = () => {
      throw new Canceled()
    }
    expect(await failure(edited('{"id":1}', 'loop { }', { pause }))).toBeInstanceOf(Canceled)
    expect(await failure(edited('{"id":1}', 'try { loop { } } catch { }', slow))).toMatch(/10 sec/)
  })

  it('has the same depth limit as an incoming document', async () => {
    const nest = (levels: number): string =>
      `let a = []; for i in 0..${levels} { a = [a] } doc.a = a`
    expect(await edited('{"id":1}', nest(125))).toMatch(/^\{"a":\[{126}\]{126},"id":1\}$/)
    expect(await failure(edited('{"id":1}', nest(126)))).toMatch(/Data is nested too deep/)
    const inside = 'let m = #{}; m.d = doc; for i in 0..130 { m.d = #{x: m.d} } doc.m = m.d'
    expect(await failure(edited('{"id":1}', inside))).toMatch(/Data is nested too deep/)
  })

  it('reports a stored function with a syntax error', async () => {
    expect(await failure(edited('{"id":1}', 'doc.'))).toBe(
      'edit_documents_by_function_error Index `x`: Document edition runtime error encountered ' +
        'while compiling the function: Expecting name of a property (line 1, position 5)',
    )
  })
})

describe('any document', () => {
  const document = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 6,
  })

  it('is unchanged after decoding and encoding', async () => {
    await fc.assert(
      fc.asyncProperty(document, async (members) => {
        const whole = { ...members, id: 7 } as unknown as Document
        const text = JSON.stringify(whole)
        for (const script of [
          '',
          'let d = doc; doc = d',
          'for k in doc.keys() { let v = doc[k]; doc.remove(k); doc[k] = v }',
          'doc = parse_json(doc.to_json())',
          'doc = doc.map(|k, v| v)',
        ]) {
          const json = await edited(text, script, { primaryKey: 'id' })
          expect([script, json]).toEqual([script, 'as it was'])
        }
      }),
      { numRuns: 40 },
    )
  })
})
