// The growth of the cost of searches: the table of given figures, and a run of the built server.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ToolError } from '../../../tools/terminal/index.ts'
import { scale, scaleLines } from './scale.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('is a table of classes and numbers of documents', () => {
  const small = new Map([['one word', { medianMs: 0.5, cpuMs: 0.721 }]])
  const large = new Map([
    ['one word', { medianMs: 1.25, cpuMs: 2 }],
    ['phrase', { medianMs: 3, cpuMs: 4.005 }],
  ])
  expect(
    scaleLines(
      new Map([
        [25_000, small],
        [1_000_000, large],
      ]),
    ),
  ).toEqual([
    '| median, ms (CPU, ms) | 25,000 | 1,000,000 |',
    '|---|---:|---:|',
    '| one word | 0.50 (0.72) | 1.25 (2.00) |',
    '| phrase | – | 3.00 (4.00) |',
  ])
})

it('is measured for each number of documents', { timeout: 240_000 }, async () => {
  const told: string[] = []
  const lines = await scale({ root, sizes: [100, 300], searchMs: 20 }, (line) => told.push(line))
  expect(told).toEqual(['100 documents', '300 documents'])
  expect(lines[0]).toBe('| median, ms (CPU, ms) | 100 | 300 |')
  const rows = lines.slice(2).map((line) => line.split('|').map((cell) => cell.trim()))
  expect(rows.map(([, name]) => name).sort()).toEqual([
    'exact title',
    'facets',
    'filter and sort',
    'one word',
    'phrase',
    'prefix',
    'two words',
    'typo',
  ])
  for (const [, , ...cells] of rows) {
    for (const cell of cells.slice(0, 2)) expect(cell).toMatch(/^\d+\.\d\d \(\d+\.\d\d\)$/)
  }
})

it('needs numbers of documents', async () => {
  for (const sizes of [[Number.NaN], [0], [100, 0.5]]) {
    await expect(scale({ root, sizes, searchMs: 1 }, () => undefined)).rejects.toThrow(ToolError)
  }
})
