// docs/launch-options.md and docs/config.toml match the table of options.
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { configSample } from './config-sample.ts'
import { fileKey, type Option } from './option.ts'
import { OPTION_NAMES, OPTIONS } from './options.table.ts'
import { optionsPage } from './options-page.ts'

test('the page of options is up to date', () => {
  const file = new URL('../../docs/launch-options.md', import.meta.url)
  const page = optionsPage()
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, page)
  expect(readFileSync(file, 'utf8')).toBe(page)
})

test('the sample file matches the table, and every value in it is accepted', () => {
  const file = new URL('../../docs/config.toml', import.meta.url)
  const text = configSample()
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
  expect(parse(text)).toEqual({})
  const uncommented = parse(text.replace(/^# (\w+ = )/gm, '$1'))
  for (const name of OPTION_NAMES) {
    const option = OPTIONS[name] as Option<unknown>
    const isInFile = option.environmentOnly !== true && option.notInFile !== true
    expect(fileKey(name) in uncommented, name).toBe(isInFile)
    if (!isInFile) continue
    const value = option.type.fromToml(uncommented[fileKey(name)])
    const isDefault = option.absent !== null && option.absentWords === undefined
    if (isDefault && typeof option.absent !== 'object') expect(value, name).toBe(option.absent)
  }
})
