// The effect of a change of settings on fields: selected ones, differently processed ones, and
// names inside of known fields.
import { describe, expect, test } from 'vitest'
import type { Layer } from '../../format/manifest/index.ts'
import {
  affectedFields,
  applyPatch,
  defaultSettings,
  handlingChanged,
  type SettingsPatch,
  selectedFields,
} from './index.ts'

const settingsOf = (patch: SettingsPatch) => applyPatch(defaultSettings(), patch).settings
const FIELDS = ['a', 'b', 'b.c', 'd', 'e', 'f', 'g', 'h']

const selecting = settingsOf({
  searchableAttributes: ['h'],
  sortableAttributes: ['a'],
  filterableAttributes: ['b.c'],
  rankingRules: ['words', 'd:asc'],
  distinctAttribute: 'e',
  expiresAtAttribute: 'f',
})

test.each<[Layer, string[], string[]]>([
  ['columns', ['a', 'b.c', 'd', 'e', 'f'], ['b']],
  ['text', ['h'], []],
  ['vectors', [], []],
])('the layer %s stores the fields that any of its settings selects', (layer, held, holders) => {
  const { holds, holdsBelow } = selectedFields(layer, selecting)
  expect([FIELDS.filter(holds), FIELDS.filter(holdsBelow)]).toEqual([held, holders])
})

test.each<[Layer, SettingsPatch, string[]]>([
  ['text', {}, []],
  ['text', { typoTolerance: { enabled: false } }, []],
  ['text', { stopWords: [] }, []],
  ['text', { stopWords: ['x'] }, FIELDS],
  ['columns', { stopWords: ['x'] }, []],
  ['text', { infixSearch: { attributes: ['b'] } }, ['b', 'b.c']],
  ['text', { localizedAttributes: [{ attributePatterns: ['a'], locales: ['fr'] }] }, ['a']],
  [
    'text',
    {
      infixSearch: { attributes: ['b.c'] },
      localizedAttributes: [{ attributePatterns: ['d'], locales: ['fr'] }],
    },
    ['b.c', 'd'],
  ],
])('the layer %s processes, after %j, these fields differently: %j', (layer, patch, fields) => {
  const before = defaultSettings()
  const after = settingsOf(patch)
  expect(FIELDS.filter(handlingChanged(layer, before, after))).toEqual(fields)
  expect(FIELDS.filter(handlingChanged(layer, after, before))).toEqual(fields)
})

describe('fields that a change may affect are the known ones, and', () => {
  const STAND_IN = '\u0001'
  test.each<[string, string[], SettingsPatch, SettingsPatch, string[]]>([
    ['nothing else', ['a', 'b'], { sortableAttributes: ['b'] }, {}, []],
    ['names inside of them', ['a', 'b.c'], {}, { sortableAttributes: ['a.x', 'b.x'] }, ['a.x']],
    ['names that were set before', ['a'], { filterableAttributes: ['a.x.y'] }, {}, ['a.x.y']],
    ['no names beside them', ['a'], {}, { sortableAttributes: ['ab', 'b', 'c.a'] }, []],
    [
      'each name once',
      ['a'],
      { distinctAttribute: 'a.x' },
      { sortableAttributes: ['a.x'] },
      ['a.x'],
    ],
    ['no known names', ['a', 'a.x'], {}, { sortableAttributes: ['a.x'] }, []],
    [
      'a name for each pattern',
      ['a'],
      {},
      { localizedAttributes: [{ attributePatterns: ['*_x', '*y*'], locales: ['fr'] }] },
      [`${STAND_IN}_x`, `${STAND_IN}y${STAND_IN}`],
    ],
    [
      'no pattern if there are no fields',
      [],
      {},
      { localizedAttributes: [{ attributePatterns: ['*_x', 'a'], locales: ['fr'] }] },
      [],
    ],
    [
      'names of every setting that selects fields',
      ['a'],
      {},
      {
        searchableAttributes: ['a.1'],
        filterableAttributes: ['a.2'],
        sortableAttributes: ['a.3'],
        rankingRules: ['words', 'a.4:desc'],
        distinctAttribute: 'a.5',
        localizedAttributes: [{ attributePatterns: ['a.6'], locales: ['fr'] }],
        infixSearch: { attributes: ['a.7'] },
        expiresAtAttribute: 'a.8',
        attributeWeights: { 'a.9': 2 },
        displayedAttributes: ['a.10'],
      },
      ['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6', 'a.7', 'a.8', 'a.9'],
    ],
  ])('%s', (_, fields, before, after, more) => {
    const affected = affectedFields(settingsOf(before), settingsOf(after), fields)
    expect(affected).toEqual([...fields, ...more])
  })
})
