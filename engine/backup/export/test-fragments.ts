// Settings with fragments for the tests of this folder.
import { applyPatch, defaultSettings, type IndexSettings } from '../../settings/index.ts'

export const FRAGMENT = { value: '{{doc.title}}' }

/** Returns settings whose embedder `e` has these indexing fragments, in their order. */
export const settingsWith = (...names: readonly string[]): IndexSettings =>
  applyPatch(defaultSettings(), {
    embedders: {
      e: {
        source: 'rest',
        url: 'http://h/',
        dimensions: 2,
        request: '{{fragment}}',
        response: '{{embedding}}',
        searchFragments: { q: { value: '{{q}}' } },
        indexingFragments: Object.fromEntries(names.map((name) => [name, FRAGMENT])),
      },
      own: { source: 'userProvided', dimensions: 2 },
    },
  }).settings
