// Settings are decoded once, and recently used ones are cached.

import { expect, it } from 'vitest'
import { cachedSettings } from './settings-cache.ts'
import { encodeSettings } from './stored-text.ts'
import { defaultSettings } from './types.ts'

const textOf = (word: string): string => encodeSettings({ ...defaultSettings(), stopWords: [word] })

it('are the same object for the same text', () => {
  const first = cachedSettings(textOf('a'))
  expect(first.stopWords).toEqual(['a'])
  expect(cachedSettings(textOf('a'))).toBe(first)
  expect(cachedSettings(textOf('b'))).not.toBe(first)
})

it('are evicted after sixteen others were used', () => {
  const [used, unused] = [cachedSettings(textOf('used')), cachedSettings(textOf('unused'))]
  for (let i = 0; i < 15; i++) {
    cachedSettings(textOf(`other ${i}`))
    expect(cachedSettings(textOf('used'))).toBe(used)
  }
  expect(cachedSettings(textOf('unused'))).not.toBe(unused)
  expect(cachedSettings(textOf('unused')).stopWords).toEqual(['unused'])
})

it('are evicted by large ones, of which the newest stays', () => {
  const small = cachedSettings(textOf('small'))
  const text = textOf('x'.repeat(9 << 20))
  const large = cachedSettings(text)
  expect(cachedSettings(text)).toBe(large)
  expect(cachedSettings(textOf('small'))).not.toBe(small)
  expect(cachedSettings(text)).not.toBe(large)
})
