// Builds are reproducible: a build in another folder has the same bytes as that of the checkout.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { buildIn, differences, sumsOf } from './reproduce.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-reproduce-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('a build has the same bytes in another folder', { timeout: 900_000 }, () => {
  buildIn(join(folder, 'one'))
  // The checkout was built before the tests; the built documentation is another command's.
  const here = [...sumsOf(root)].filter(([path]) => !path.startsWith('docs/'))
  const found = differences(sumsOf(join(folder, 'one')), new Map(here))
  expect(found, 'or dist is older than the sources').toEqual([])
  expect(here.length).toBeGreaterThan(10)
})
