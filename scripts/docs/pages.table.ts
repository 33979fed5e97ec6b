// The pages of docs/ in reading order, by section. The contents in docs/README.md, the links at the
// end of each page and the navigation of the site are generated from this table.

export type Page = {
  /** File name in docs/. */
  readonly file: string
  /** Title in the table of contents. */
  readonly title: string
  /** One line about the content of the page. */
  readonly about: string
  /** True if another program generates the page, which then has no links at its end. */
  readonly isGenerated?: true
}

export type Section = { readonly title: string; readonly pages: readonly Page[] }

export const START_PAGE = 'README.md'

export const SECTIONS: readonly Section[] = [
  {
    title: 'First steps',
    pages: [
      {
        file: 'getting-started.md',
        title: 'Getting started',
        about: 'Install, start, add documents, search, in ten minutes.',
      },
    ],
  },
  {
    title: 'Concepts',
    pages: [
      {
        file: 'concepts-documents.md',
        title: 'Indexes and documents',
        about: 'What an index is, what a document may hold, how settings belong to it.',
      },
      {
        file: 'concepts-tasks.md',
        title: 'Tasks',
        about: 'Why writes answer before they are done, and how to see the result.',
      },
      {
        file: 'read-your-writes.md',
        title: 'Reading your own writes',
        about: 'Writes that wait until they are searchable, and reads that name a task.',
      },
      {
        file: 'concepts-ranking.md',
        title: 'Ranking',
        about: 'Which documents a query finds, and why one stands above another.',
      },
    ],
  },
  {
    title: 'Searching',
    pages: [
      {
        file: 'searching.md',
        title: 'Searching',
        about: 'Filters, sorting, facets, highlighting, pages of hits, several searches at once.',
      },
      {
        file: 'suggestions.md',
        title: 'Suggestions and corrections',
        about: 'Completions of what is typed, and “did you mean”.',
      },
      {
        file: 'search-semantics.md',
        title: 'Search semantics',
        about: 'What a search means, rule by rule: words, typos, ranking, filters, merging.',
      },
      {
        file: 'tuning.md',
        title: 'Tuning',
        about: 'Better results and faster searches: the settings that matter, and how to measure.',
      },
      {
        file: 'measuring-relevance.md',
        title: 'Measuring relevance',
        about: 'Queries with judged documents: which of two ways to search is better, and where.',
      },
      {
        file: 'vectors.md',
        title: 'Vectors and hybrid search',
        about: 'Search by meaning, alone or together with words; similar documents.',
      },
      {
        file: 'embedders.md',
        title: 'Embedders',
        about: 'The models that make vectors: OpenAI, Ollama, any server, this machine.',
      },
      {
        file: 'chat.md',
        title: 'Chat',
        about: 'Answers of a language model that searches your documents.',
      },
      {
        file: 'agents.md',
        title: 'Agents',
        about: 'Language models and agents that search by the Model Context Protocol.',
      },
      {
        file: 'experimental-features.md',
        title: 'Experimental features',
        about: 'What is off by default, and how to switch it on.',
      },
    ],
  },
  {
    title: 'Guides',
    pages: [
      {
        file: 'guides/shop.md',
        title: 'An online shop',
        about: 'Filters, ranges of prices, an order that sells, variants, offers that end.',
      },
      {
        file: 'guides/tenants.md',
        title: 'One index for many customers',
        about: 'Each customer finds only its own documents: tokens in Node, Python and PHP.',
      },
      {
        file: 'guides/languages.md',
        title: 'Several languages',
        about: 'Languages of attributes and searches, stems, compounds.',
      },
      {
        file: 'guides/rag.md',
        title: 'Retrieval for a language model',
        about: 'Whole questions, words and meaning together, passages for a prompt.',
      },
      {
        file: 'guides/joins.md',
        title: 'Documents that refer to others',
        about: 'Films and directors: foreign keys in hits and in filters.',
      },
      {
        file: 'guides/geo.md',
        title: 'Places',
        about: 'Within a distance, in a box, nearest first, nearness beside words, several places.',
      },
      {
        file: 'guides/search-rules.md',
        title: 'Rules for chosen searches',
        about: 'Pin, lift, lower or hide documents in the searches that you name.',
      },
      {
        file: 'guides/editing.md',
        title: 'Editing documents by a function',
        about: 'Changes of many documents where they are, in the language Rhai.',
      },
      {
        file: 'guides/proxy.md',
        title: 'Below a path of your site',
        about: 'The search behind nginx or Caddy, below a path.',
      },
      {
        file: 'guides/capacity.md',
        title: 'How large a machine',
        about: 'Disk, memory and processors for your documents, from a tenth of them.',
      },
      {
        file: 'guides/moving.md',
        title: 'Moving to another machine',
        about: 'By a snapshot, a dump, a standby that takes over, or an index at a time.',
      },
      {
        file: 'guides/frameworks.md',
        title: 'Laravel, Rails, Django, Go',
        about: 'Packages for the API of Meilisearch, their settings, and a small program for each.',
      },
    ],
  },
  {
    title: 'Moving here',
    pages: [
      {
        file: 'comparison.md',
        title: 'Comparison',
        about: 'Features beside Meilisearch, Typesense, Algolia and Elasticsearch, with sources.',
      },
      {
        file: 'migrating.md',
        title: 'Migrating from Meilisearch',
        about: 'Dump, import, keys, clients, differences, and the way back.',
      },
      {
        file: 'from-algolia.md',
        title: 'From Algolia',
        about: 'Records, settings and searches, request by request.',
      },
      {
        file: 'from-typesense.md',
        title: 'From Typesense',
        about: 'Collections, schemas and searches, request by request.',
      },
      {
        file: 'from-elasticsearch.md',
        title: 'From Elasticsearch and OpenSearch',
        about: 'Documents, mappings, `match`, `bool`, `function_score` and aggregations.',
      },
      {
        file: 'from-sql.md',
        title: 'From an SQL database',
        about: 'Rows as documents, what has changed since, what is gone.',
      },
      {
        file: 'from-csv.md',
        title: 'From CSV and spreadsheets',
        about: 'Types and lists in tables, separators, updates.',
      },
    ],
  },
  {
    title: 'Running it',
    pages: [
      {
        file: 'packaging.md',
        title: 'Installing',
        about: 'From npm, with systemd, in containers, with Compose or Kubernetes.',
      },
      {
        file: 'operations.md',
        title: 'Operations',
        about: 'Starting, watching, limits, sizing, backups, proxies, rotation, availability.',
      },
      {
        file: 'performance.md',
        title: 'Performance',
        about: 'Time, CPU, memory and disk, measured beside other systems.',
      },
      {
        file: 'hardening.md',
        title: 'Hardening',
        about: 'A checklist for a server that others can reach.',
      },
      { file: 'tls.md', title: 'TLS', about: 'Certificates, client certificates, renewal.' },
      {
        file: 'snapshots.md',
        title: 'Snapshots',
        about: 'Backups of the whole database, in files or in an object store.',
      },
      {
        file: 'dumps.md',
        title: 'Dumps',
        about: 'Everything in one portable file, for other releases and other engines.',
      },
      {
        file: 'upgrade.md',
        title: 'Upgrading',
        about: 'Taking a database over to another release.',
      },
    ],
  },
  {
    title: 'More than one machine',
    pages: [
      {
        file: 'followers.md',
        title: 'Followers',
        about: 'Read-only copies that follow a bucket: more searches per second.',
      },
      {
        file: 'network.md',
        title: 'The network',
        about: 'Documents divided over several instances, with replicas.',
      },
      {
        file: 'scaling.md',
        title: 'How far it scales',
        about: 'Where each design stops, with numbers of a simulation.',
      },
    ],
  },
  {
    title: 'In a program',
    pages: [
      {
        file: 'embedding.md',
        title: 'Embedding in Node',
        about: 'The engine as a library, without a server.',
      },
    ],
  },
  {
    title: 'Inside',
    pages: [
      {
        file: 'internals.md',
        title: 'Internals',
        about: 'What happens in a write and in a search, with diagrams.',
      },
      {
        file: 'glossary.md',
        title: 'Glossary',
        about: 'The words of the code and of these pages.',
      },
      {
        file: 'rooms.md',
        title: 'Rooms',
        about: 'Every folder of the code, in a sentence each.',
        isGenerated: true,
      },
      {
        file: 'formats.md',
        title: 'Formats',
        about: 'The files of a database, with links to the byte formats.',
      },
    ],
  },
  {
    title: 'Reference',
    pages: [
      {
        file: 'reference/search-parameters.md',
        title: 'Search parameters',
        about: 'Every parameter of a search: meaning, type, default, example, error.',
        isGenerated: true,
      },
      {
        file: 'reference/settings.md',
        title: 'Settings',
        about: 'Every setting of an index: meaning, type, default, example, error.',
        isGenerated: true,
      },
      {
        file: 'api.md',
        title: 'HTTP API',
        about: 'Every route, with its right and its parameters.',
        isGenerated: true,
      },
      {
        file: 'launch-options.md',
        title: 'Launch options',
        about: 'Every flag, environment variable and key of the configuration file.',
        isGenerated: true,
      },
      {
        file: 'errors.md',
        title: 'Errors',
        about: 'Every error code, with what to do.',
        isGenerated: true,
      },
      {
        file: 'metrics.md',
        title: 'Metrics',
        about: 'Every metric of `GET /metrics`.',
        isGenerated: true,
      },
      {
        file: 'tools.md',
        title: 'svc-tools',
        about: 'Every command of the tools.',
        isGenerated: true,
      },
    ],
  },
]

/** All pages in reading order, without the start page. */
export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages)
