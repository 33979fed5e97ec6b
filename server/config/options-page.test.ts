// docs/launch-options.md says what the table of options says.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { optionsPage } from './options-page.ts'

test('the page of options is up to date', () => {
  const file = new URL('../../docs/launch-options.md', import.meta.url)
  const page = optionsPage()
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, page)
  expect(readFileSync(file, 'utf8')).toBe(page)
})
