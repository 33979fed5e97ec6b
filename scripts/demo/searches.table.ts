// The demo's own documents, 10,000 invented events in `events.ndjson.gz`: their settings, and
// searches that show a feature each. Titles, names, texts and dates were generated from lists of
// words written for this project and belong to it, under its licence; places lie near real cities.
import type { SearchParams } from 'meilisearch'

export type DemoSearch = {
  /** The feature that the search shows. */
  readonly about: string
  readonly request: SearchParams
}

export const EVENTS = {
  uid: 'events',
  settings: {
    searchableAttributes: ['title', 'kind', 'tags', 'city', 'venue', 'country', 'about'],
    filterableAttributes: [
      'kind',
      'city',
      'country',
      'tags',
      'price',
      'rating',
      'startsAt',
      '_geo',
    ],
    sortableAttributes: ['price', 'rating', 'startsAt', '_geo'],
    synonyms: { cinema: ['film'], kids: ['children'], exhibit: ['exhibition'] },
    stopWords: ['a', 'an', 'and', 'of', 'the', 'to', 'with'],
  },
}

export const SEARCHES: readonly DemoSearch[] = [
  { about: 'a prefix', request: { q: 'candlel' } },
  { about: 'typos', request: { q: 'photogrpahy exibition' } },
  { about: 'several words', request: { q: 'cello concert candlelight paris' } },
  { about: 'in any order', request: { q: 'weekend bread baking' } },
  { about: 'a phrase', request: { q: '"northern lights"' } },
  { about: 'one word less', request: { q: 'organ recital -bach' } },
  { about: 'a synonym', request: { q: 'cinema prague' } },
  {
    about: 'filter, facets',
    request: { q: 'jazz', filter: 'price < 20 AND rating >= 4', facets: ['kind', 'city'] },
  },
  {
    about: 'near a place',
    request: {
      filter: '_geoRadius(48.2082, 16.3738, 2000)',
      sort: ['_geoPoint(48.2082, 16.3738):asc'],
    },
  },
  { about: 'sort', request: { q: 'market', filter: 'price = 0', sort: ['startsAt:asc'] } },
  { about: 'everything', request: { facets: ['kind', 'country'] } },
]
