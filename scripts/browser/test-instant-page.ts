// A page built with the usual widgets of InstantSearch. It runs in the browser; the test bundles it
// and inserts the server's address.
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch'
import instantsearch from 'instantsearch.js'
import {
  clearRefinements,
  configure,
  hits,
  pagination,
  rangeInput,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from 'instantsearch.js/es/widgets/index.js'

type Hit = { readonly id: number; readonly price: number; readonly category: string }
type Parts = {
  readonly html: (texts: TemplateStringsArray, ...values: readonly unknown[]) => unknown
  readonly components: {
    readonly Highlight: (options: { readonly hit: Hit; readonly attribute: string }) => unknown
  }
}

/** Inserted by the bundler. */
declare const SERVER_URL: string

const { searchClient } = instantMeiliSearch(SERVER_URL, '', { finitePagination: true })

const search = instantsearch({
  indexName: 'wares',
  // The adapter's client fits InstantSearch; their declarations name the type differently.
  searchClient: searchClient as never,
  future: { preserveSharedStateOnUnmount: true },
})

search.addWidgets([
  configure({ hitsPerPage: 12 }),
  searchBox({ container: '#query' }),
  stats({ container: '#stats' }),
  clearRefinements({ container: '#clear' }),
  sortBy({
    container: '#sort',
    items: [
      { value: 'wares', label: 'Relevance' },
      { value: 'wares:price:asc', label: 'Cheapest' },
      { value: 'wares:price:desc', label: 'Dearest' },
    ],
  }),
  refinementList({ container: '#category', attribute: 'category' }),
  refinementList({ container: '#colours', attribute: 'colours', operator: 'or' }),
  rangeInput({ container: '#price', attribute: 'price' }),
  hits({
    container: '#hits',
    templates: {
      item: (hit: Hit, { html, components }: Parts) =>
        html`<article data-id="${hit.id}" data-price="${hit.price}">
          <h2>${components.Highlight({ hit, attribute: 'name' })}</h2>
          <p>${hit.category}</p>
        </article>`,
      empty: 'Nothing was found.',
    },
  }),
  pagination({ container: '#pages' }),
])
search.start()
