// docs/errors.md matches the catalogue and its advice.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FEATURES } from '../../engine/model/index.ts'
import { featureRefusal } from '../../engine/settings/schema/index.ts'
import { ADVICE } from './advice.table.ts'
import { CATALOGUE } from './catalogue.ts'
import { errorsPage } from './errors-page.ts'

const pageOf = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url)

describe('the page of errors', () => {
  test('is up to date', () => {
    const page = errorsPage()
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(pageOf('errors.md'), page)
    expect(readFileSync(pageOf('errors.md'), 'utf8')).toBe(page)
  })

  test('has advice on every code, in sentences', () => {
    expect(Object.keys(ADVICE).sort()).toEqual(Object.keys(CATALOGUE).sort())
    for (const [code, advice] of Object.entries(ADVICE)) {
      expect(advice, code).toMatch(/^[A-Z`].*\.$/)
      expect(advice.length, code).toBeLessThan(220)
    }
  })
})

test('has a section for every feature that refusals link to', () => {
  const page = readFileSync(pageOf('experimental-features.md'), 'utf8')
  const anchors = new Set(
    [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title!.toLowerCase().replaceAll(' ', '-')),
  )
  for (const feature of [...FEATURES, 'personalization'] as const) {
    const anchor = featureRefusal(feature, 'x').split('#')[1]!
    expect(anchors, feature).toContain(anchor)
    if (feature !== 'personalization') expect(page).toContain(`\`${feature}\``)
  }
})
