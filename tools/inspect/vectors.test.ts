// The output of the tools for a segment of vectors.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MadeDatabase, makeVectors, VECTOR_DIMENSIONS } from '../test-support.ts'
import {
  segmentLayout,
  segmentLayoutText,
  segmentProperties,
  segmentPropertiesText,
} from './index.ts'

let made: MadeDatabase
let file = ''
beforeAll(async () => {
  made = await makeVectors()
  const names = readdirSync(join(made.path, 'segments'))
  file = join(made.path, 'segments', names.find((name) => name.endsWith('.vecs'))!)
}, 60_000)
afterAll(() => made.remove())

it('gives every byte of its layout a place, and shows its embedders', () => {
  const layout = segmentLayout({ file })
  const { kind, sections, tables } = layout
  expect(kind).toBe('VECT')
  expect(sections.map(({ tag }) => tag)).toEqual(['ROWS', 'EMBS', 'DOCS', 'STAT', 'CODE'])
  const inside = sections.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(inside + layout.otherBytes).toBe(readFileSync(file).length)
  expect(sections.every(({ isSound }) => isSound)).toBe(true)
  const bytes = made.films * VECTOR_DIMENSIONS * 4
  const row = ['own', VECTOR_DIMENSIONS, 'floats', made.films, bytes, made.films, made.films]
  expect(tables[0]!.rows).toEqual([row])
  expect(segmentLayoutText(layout)).toMatch(/CODE .* sound/)
})

it('counts its vectors as properties', () => {
  const { documents, content } = JSON.parse(JSON.stringify(segmentProperties({ file }).properties))
  expect(documents).toBe(made.films)
  expect(content).toMatchObject({
    layer: 'vectors',
    embedders: [{ embedder: 'own', vectors: made.films, own: made.films }],
  })
  const shown = segmentPropertiesText(segmentProperties({ file }))
  expect(shown).toMatch(/layer +vectors/)
})
