// The order of indexing fragments after an import: that of the dump, on each side.
import { expect, test } from 'vitest'
import { applyPatch, defaultSettings, type SettingsPatch, withFragmentOrder } from './index.ts'

const fragments = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { value: name }]))
const rest = {
  source: 'rest',
  url: 'http://h/',
  request: '{{fragment}}',
  response: '{{embedding}}',
  dimensions: 1,
} as const
const searching = { ...rest, searchFragments: fragments('z', 'y') }
const names = (members: object | undefined) => Object.keys(members ?? {})

test('indexing fragments follow the change, search fragments their names', () => {
  const patch: SettingsPatch = {
    stopWords: ['a'],
    embedders: {
      c: {
        source: 'composite',
        searchEmbedder: searching,
        indexingEmbedder: { ...rest, indexingFragments: fragments('d', 'c', 'e') },
      },
      f: { ...searching, indexingFragments: fragments('b', 'c', 'a') },
      u: { source: 'userProvided', dimensions: 1 },
    },
  }
  const { settings } = applyPatch(defaultSettings(), patch)
  const ordered = withFragmentOrder(settings, patch)
  expect(ordered).toEqual(settings)
  const { c, f } = ordered.embedders
  const shown = [c?.indexingEmbedder?.indexingFragments, f?.indexingFragments, f?.searchFragments]
  expect(shown.map(names)).toEqual([
    ['d', 'c', 'e'],
    ['b', 'c', 'a'],
    ['y', 'z'],
  ])
  expect(names(c?.searchEmbedder?.searchFragments)).toEqual(['y', 'z'])
  expect(names(ordered.embedders)).toEqual(['c', 'f', 'u'])
})

test('a removed fragment stays away, and embedders that are not named stay as they are', () => {
  const given: SettingsPatch = {
    embedders: {
      f: { ...searching, indexingFragments: { b: { value: 1 }, x: null, a: { value: 2 } } },
    },
  }
  const { settings } = applyPatch(defaultSettings(), given)
  const { f } = withFragmentOrder(settings, given).embedders
  expect(JSON.stringify(f?.indexingFragments)).toBe('{"b":{"value":1},"a":{"value":2}}')
  for (const patch of [
    {},
    { embedders: null },
    { embedders: { f: null } },
    { embedders: { f: {} } },
  ]) {
    expect(JSON.stringify(withFragmentOrder(settings, patch))).toBe(JSON.stringify(settings))
  }
})
