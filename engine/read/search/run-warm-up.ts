// Searches of a thread that prepares itself: run like those of clients, and their answers dropped.
import { EngineFault, FEATURES, type Features, type SearchRequest } from '../../model/index.ts'
import type { Watch } from './control.ts'
import type { SearchJob, WarmUpJob } from './protocol.ts'
import { runDocuments } from './run-documents.ts'
import { runSearch } from './run-search.ts'
import type { SearchableView } from './searchable-view.ts'
import { warmUpFields, warmUpRequest } from './warm-up-requests.ts'

/** Documents that requests are made of, evenly from the index. */
const DOCUMENTS = 48
/** A larger one is left out: it would be parsed for the sake of a few words. */
const DOCUMENT_BYTES_MAX = 64 * 1024

const NO_UID = '00000000-0000-7000-8000-000000000000'

type Document = { readonly [name: string]: unknown }
type Sample = {
  readonly fields: ReturnType<typeof warmUpFields>
  readonly documents: (Document | undefined)[]
}

const NO_FEATURES = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const samples = new WeakMap<SearchableView, Sample>()

/** @throws Canceled, StorageError */
export function runWarmUp(view: SearchableView, job: WarmUpJob, watch: Watch): Uint8Array {
  let sample = samples.get(view)
  if (sample === undefined) {
    sample = { fields: warmUpFields(view.settings), documents: [] }
    samples.set(view, sample)
  }
  for (let number = job.from; number < job.from + job.count; number++) {
    const document = documentOf(view, sample, number % DOCUMENTS, watch)
    const request = warmUpRequest(number, document, sample.fields)
    try {
      runSearch(view, received(job, request), [], watch, null)
    } catch (error) {
      // Settings that allow less than it looks like, such as no comparisons: the next one.
      if (!(error instanceof EngineFault)) throw error
    }
  }
  return new Uint8Array(0)
}

/**
 * The search as the thread would get it: V8 makes other objects of messages than of literals, and
 * code that was compiled for those would be compiled again.
 */
function received({ job, view }: WarmUpJob, request: SearchRequest): SearchJob {
  const names = { requestUid: NO_UID, queryUid: null, sentAt: Date.now() }
  const search = { kind: 'search', request, features: NO_FEATURES, ...names, job, view } as const
  return structuredClone(search)
}

function documentOf(view: SearchableView, sample: Sample, at: number, watch: Watch): Document {
  sample.documents[at] ??= readDocument(view, at, watch)
  return sample.documents[at]
}

/** The document at `at` of `DOCUMENTS` steps through the index; empty if it is large. */
function readDocument(view: SearchableView, at: number, watch: Watch): Document {
  const all = view.view.live().size
  const bytes = runDocuments(
    view,
    {
      offset: Math.floor((all * at) / DOCUMENTS),
      limit: 1,
      fields: null,
      retrieveVectors: false,
      ids: null,
      filter: null,
      sort: null,
    },
    NO_FEATURES,
    watch,
    null,
  )
  if (bytes.length > DOCUMENT_BYTES_MAX) return {}
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  return (JSON.parse(text) as { readonly results: readonly Document[] }).results[0] ?? {}
}
