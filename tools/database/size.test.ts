// The sizes of a database: parts that add up, and a picture of them.

import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MadeDatabase, makeDatabase } from '../test-support.ts'
import { databaseSize, sizePicture } from './index.ts'
import type { SizeNode } from './size.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
}, 120_000)
afterAll(() => made.remove())

const sumOf = (nodes: readonly SizeNode[]): number =>
  nodes.reduce((sum, { bytes }) => sum + bytes, 0)

function expectSums({ bytes, parts }: SizeNode): void {
  if (parts.length === 0) return
  expect(sumOf(parts)).toBe(bytes)
  parts.forEach(expectSums)
}

describe('the sizes of a database', () => {
  it('add up to the lengths of its files, unknown files included', () => {
    writeFileSync(join(made.path, 'segments/000999.text'), 'left over')
    const size = databaseSize(made.path)
    expect(sumOf(size.parts)).toBe(size.bytes)
    size.parts.forEach(expectSums)
    const unnamed = size.parts.find(({ name }) => name === 'unused files')
    expect(unnamed?.bytes).toBe(9)
    const bodies = size.parts.find(({ name }) => name === 'tasks')?.parts
    const body = statSync(join(made.path, 'tasks/bodies/000002.body')).size
    expect(bodies?.find(({ name }) => name === 'waiting bodies')?.bytes).toBe(body)
    expect(size.deadBytes).toBeGreaterThan(0)
  })

  it('are drawn as valid XML: one box per part, with its bytes', () => {
    const size = databaseSize(made.path)
    const hostile = { name: '<script>&"', bytes: 1e6, parts: [] }
    const picture = sizePicture({ ...size, parts: [...size.parts, hostile] })
    expect(XMLValidator.validate(picture)).toBe(true)
    const { svg } = new XMLParser().parse(picture)
    expect(svg).toBeTruthy()
    expect(picture).not.toContain('<script')
    for (const text of ['films', 'postings', 'stored documents']) expect(picture).toContain(text)
    expect(picture).not.toMatch(/NaN|undefined|-\d+\.?\d*" (?:rx|height)/)
  })
})
