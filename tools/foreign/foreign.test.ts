// Documents of other engines: identifiers, places, forms of exports, and what stays byte by byte.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowedId } from './ids.ts'
import { Rewriter, reportText, type SourceName } from './index.ts'
import { placesOf } from './places.ts'

function rewrite(from: SourceName, text: string, geo: string | null = null) {
  const rewriter = new Rewriter(from, null, geo)
  const isWhole = text.startsWith('[') || text.startsWith('{"hits"')
  const bytes = Buffer.from(text)
  const out = isWhole ? rewriter.whole(bytes) : rewriter.lines(bytes)
  const lines = Buffer.from(out).toString().split('\n').slice(0, -1)
  return { lines, report: rewriter.report, text: reportText(rewriter.report, geo) }
}

describe('identifiers', () => {
  test('that are allowed stay', () => {
    for (const id of ['a', 'A-1_b', 'x'.repeat(511)]) expect(allowedId(id)).toBe(id)
  })

  test('keep their allowed characters, before a digest of the original', () => {
    // printf %s 'a/b' | sha256sum
    expect(allowedId('a/b')).toBe('a_b-c14cddc033f64b9d')
    expect(allowedId('')).toBe('-e3b0c44298fc1c14')
    expect(allowedId('x'.repeat(600))).toMatch(/^x{480}-[0-9a-f]{16}$/)
  })

  test('are always allowed, always the same, and different for different originals', () => {
    const id = fc.string({
      unit: fc.constantFrom('a', '_', '/', ' ', '-', 'é', '😀'),
      maxLength: 6,
    })
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(allowedId(a)).toMatch(/^[A-Za-z0-9_-]{1,511}$/)
        expect(allowedId(allowedId(a))).toBe(allowedId(a))
        if (a !== b) expect(allowedId(a)).not.toBe(allowedId(b))
      }),
    )
  })
})

test.each([
  [{ lat: 1, lng: 2 }, [[1, 2]]],
  [{ lat: '1.5', lon: '-2' }, [[1.5, -2]]],
  ['48.1, 11.5', [[48.1, 11.5]]],
  ['POINT (11.5 48.1)', [[48.1, 11.5]]],
  [{ type: 'Point', coordinates: [11.5, 48.1] }, [[48.1, 11.5]]],
  [[48.1, 11.5], [[48.1, 11.5]]],
  [
    [
      [48.1, 11.5],
      [1, 2],
    ],
    [
      [48.1, 11.5],
      [1, 2],
    ],
  ],
  [[{ lat: 1, lng: 2 }], [[1, 2]]],
  [[{ lat: 1, lng: 2 }, 'x'], null],
  [{ lat: 91, lng: 0 }, null],
  [{ lat: '', lng: 0 }, null],
  ['u4pruyd', null],
  [[1, 2, 3], null],
  [[], null],
  [7, null],
])('the place %j is %j', (value, expected) => {
  const places = placesOf(value, 'latFirst')
  expect(places?.map(({ lat, lng }) => [lat, lng]) ?? null).toEqual(expected)
  if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'number') {
    expect(placesOf(value, 'lngFirst')).toEqual([{ lat: value[1], lng: value[0] }])
  }
})

test('records of Algolia: ids, _geoloc, lists of it, members of answers', () => {
  const { lines, report, text } = rewrite(
    'algolia',
    '{"objectID":"a/b","n":9007199254740993,"x":1.50,"_geoloc":{"lat":1,"lng":2}}\n\n' +
      '{"objectID":"ok", "_geoloc":[{"lat":1,"lng":2},{"lat":3,"lng":4}], "_rankingInfo":{}}\n' +
      '{"objectID":"c","_geoloc":"nowhere"}\n{"objectID":12,"_geoloc":null}\n',
  )
  expect(lines).toEqual([
    '{"objectID":"a_b-c14cddc033f64b9d","originalId":"a/b","n":9007199254740993,"x":1.50,"_geo":{"lat":1,"lng":2}}',
    '{"objectID":"ok","_geo":{"lat":1,"lng":2},"_geojson":{"type":"MultiPoint","coordinates":[[2,1],[4,3]]}}',
    '{"objectID":"c","_geoloc":"nowhere"}',
    '{"objectID":12}',
  ])
  expect(report).toMatchObject({ documents: 4, ids: 1, places: 1, lists: 1, unread: 1, removed: 1 })
  expect(text).toBe(`Rewritten from Algolia:
  1 identifier had other characters: \`a/b\` is \`a_b-c14cddc033f64b9d\` now; the original is in \`originalId\`
  1 place is in \`_geo\`
  1 document has several places: the first in \`_geo\`, all in \`_geojson\`
  1 place cannot be read and stays in \`_geoloc\`: "nowhere"
  1 member of search answers left out
`)
})

test('an array, and an answer with hits', () => {
  const array = rewrite('algolia', '[ {"objectID":"1"} , {"objectID":"2","a":[1,{"b":2}]} ]')
  expect(array.lines).toEqual(['{"objectID":"1"}', '{"objectID":"2","a":[1,{"b":2}]}'])
  expect(array.text).toBe('Nothing had to be rewritten for Algolia.\n')
  expect(rewrite('algolia', '{"hits":[{"objectID":"1"}],"nbHits":1}').lines.length).toBe(1)
  const nested = '{"hits":{"total":{"value":1},"hits":[{"_id":"x y","_source":{"t":"a"}}]}}'
  expect(rewrite('elasticsearch', nested).lines[0]).toMatch(
    /^\{"_id":"x_y-[0-9a-f]{16}","originalId":"x y","t":"a"\}$/,
  )
})

test('documents of Typesense, with the name of their geopoint', () => {
  const line = '{"id":"7.5","place":[48.14,11.58]}\n{"id":"8","place":[[1,2],[3,4]]}'
  expect(rewrite('typesense', line, 'place').lines).toEqual([
    '{"id":"7_5-c4495da75095c64b","originalId":"7.5","_geo":{"lat":48.14,"lng":11.58}}',
    '{"id":"8","_geo":{"lat":1,"lng":2},"_geojson":{"type":"MultiPoint","coordinates":[[2,1],[4,3]]}}',
  ])
  expect(rewrite('typesense', line).report).toMatchObject({ ids: 1, places: 0 })
})

test('hits and bulk lines of Elasticsearch, whose pairs begin with the longitude', () => {
  const hits =
    '{"_index":"i","_id":"1","_score":1,"_source":{"at":[11.5,48.1],"index":{"_id":"z"}}}\n'
  expect(rewrite('elasticsearch', hits, 'at').lines).toEqual([
    '{"_id":"1","_geo":{"lat":48.1,"lng":11.5},"index":{"_id":"z"}}',
  ])
  const bulk =
    '{"index":{"_id":"1"}}\n{"a":1}\n{"create":{"_index":"i","_id":2}}\n{"index":{"_id":5}}\n'
  expect(rewrite('elasticsearch', bulk).lines).toEqual([
    '{"_id":"1","a":1}',
    // A document that looks like an action.
    '{"_id":"2","index":{"_id":5}}',
  ])
})

test('an attribute that is the primary key replaces the `_id` around a document', () => {
  const rewriter = new Rewriter('elasticsearch', 'sku', null)
  const lines =
    '{"_id":"1","_source":{"sku":"a b"}}\n{"index":{"_id":"2"}}\n{"sku":7}\n{"_id":3,"_source":{}}\n'
  expect(Buffer.from(rewriter.lines(Buffer.from(lines))).toString()).toMatch(
    /^\{"sku":"a_b-[0-9a-f]{16}","originalId":"a b"\}\n\{"sku":7\}\n\{"sku":"3"\}\n$/,
  )
})

test.each([
  [
    '{"update":{"_id":"1"}}\n{"doc":{"a":1}}',
    'is the action `update`, which has no whole document',
  ],
  ['{"delete":{"_id":"1"}}', 'is the action `delete`'],
  ['{"_id":"1","_source":[]}', 'has a `_source` that is not an object'],
])('of Elasticsearch, %s is refused: %s', (text, message) => {
  expect(() => rewrite('elasticsearch', text)).toThrow(`line 1 ${message}`)
})

test('a bulk action may end one piece, and its document begin the next', () => {
  const rewriter = new Rewriter('elasticsearch', null, null)
  expect(rewriter.lines(Buffer.from('{"index":{"_id":"1"}}\n')).length).toBe(0)
  const rest = Buffer.from(rewriter.lines(Buffer.from('{"a":1}\n'))).toString()
  expect(rest).toBe('{"_id":"1","a":1}\n')
})

test.each([
  ['{"objectID":1', 'line 1 is not JSON'],
  ['{"objectID":"1"}\n7\n', 'line 2 is not an object'],
  ['{"objectID":"a b","originalId":1}', 'there is a member `originalId` already'],
  ['{"_geo":1,"_geoloc":{"lat":1,"lng":2}}', 'there is a member `_geo` already'],
  ['{"_geojson":1,"_geoloc":["1,2","3,4"]}', 'there is a member `_geojson` already'],
  [`${'['.repeat(5000)}${']'.repeat(5000)}`, 'the file is not JSON: recursion limit exceeded'],
  ['["a"]', 'line 1 is not an object'],
  ['{"hits":7}', 'the file is not an array of documents'],
])('%s is refused: %s', (text, message) => {
  expect(() => rewrite('algolia', text)).toThrow(message)
})

describe('equals a model that parses whole documents', () => {
  const value = fc.jsonValue({ maxDepth: 2 })
  const place = fc.record({
    lat: fc.integer({ min: -99, max: 99 }),
    lng: fc.integer({ min: -199, max: 199 }),
  })
  const record = fc.record({
    objectID: fc.oneof(fc.string({ maxLength: 6 }), fc.integer({ min: 0, max: 99 })),
    'a"b\n': value,
    _geoloc: fc.option(fc.oneof(place, fc.array(place, { minLength: 1, maxLength: 3 }), value)),
    _snippetResult: value,
    z: value,
  })
  type Algolia = { objectID: string | number; _geoloc: unknown; _snippetResult: unknown }

  const isPlace = (one: unknown): one is { lat: number; lng: number } => {
    const { lat, lng } = (one ?? {}) as { lat?: unknown; lng?: unknown }
    return (
      typeof lat === 'number' && typeof lng === 'number' && lat ** 2 <= 8100 && lng ** 2 <= 32400
    )
  }

  /** Records whose places have one of the two forms of Algolia. */
  function model({ objectID, _geoloc, _snippetResult, ...rest }: Algolia): object {
    const id = typeof objectID === 'string' ? allowedId(objectID) : objectID
    const original = id === objectID ? {} : { originalId: objectID }
    const all = [_geoloc].flat() as readonly unknown[]
    const places = all.filter(isPlace).map(({ lat, lng }) => ({ lat, lng }))
    const coordinates = places.map(({ lat, lng }) => [lng, lat])
    const isRead = all.length > 0 && places.length === all.length
    const shape =
      isRead && places.length > 1 ? { _geojson: { type: 'MultiPoint', coordinates } } : {}
    if (isRead) return { objectID: id, ...original, ...rest, _geo: places[0], ...shape }
    return { objectID: id, ...original, ...rest, ...(_geoloc === null ? {} : { _geoloc }) }
  }

  const hasForm = ({ _geoloc }: Algolia): boolean =>
    _geoloc === null ||
    [_geoloc].flat().every((one) => typeof one === 'object' && !Array.isArray(one))

  test.each(['\n', '\r\n', '\n\n'])('lines that end with %j', (newline) => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const all = (records as Algolia[]).filter(hasForm)
        const text = all.map((one) => `${JSON.stringify(one)}${newline}`).join('')
        const { lines, report } = rewrite('algolia', text)
        expect(lines.map((line) => JSON.parse(line))).toEqual(
          all.map((one) => JSON.parse(JSON.stringify(model(one)))),
        )
        expect(report).toMatchObject({ documents: all.length, removed: all.length })
        const numbers = report.places + report.lists + report.unread
        expect(numbers).toBe(all.filter(({ _geoloc }) => _geoloc !== null).length)
      }),
    )
  })

  test('an array with spaces has the same documents as lines', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), (records) => {
        const lines = records.map((one) => `${JSON.stringify(one)}\n`).join('')
        const array = rewrite('algolia', JSON.stringify(records, null, 2))
        const parsed = array.lines.map((line) => JSON.parse(line))
        expect(parsed).toEqual(rewrite('algolia', lines).lines.map((line) => JSON.parse(line)))
      }),
    )
  })
})
