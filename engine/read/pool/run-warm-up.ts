// Runs warm-up searches of a thread in the same way as those of clients, and drops their answers.
import {
  Canceled,
  EngineFault,
  FEATURES,
  type Features,
  type SearchRequest,
} from '../../model/index.ts'
import type { SearchableView, SearchJob, WarmUpJob, Watch } from '../jobs/index.ts'
import { runDocuments, runSearch } from '../search/index.ts'
import { warmUpFields, warmUpRequest } from './warm-up-requests.ts'

/** Documents used for requests, evenly distributed over the index. */
const DOCUMENTS = 48
/** Larger documents are skipped: parsing one for a few words costs too much. */
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
    if (watch()) throw new Canceled()
    const request = warmUpRequest(number, document, sample.fields)
    try {
      runSearch(view, received(job, request), [], watch, null)
    } catch (error) {
      // Settings may allow less than they seem to, such as no comparisons: continue with the next
      // one.
      if (!(error instanceof EngineFault)) throw error
    }
  }
  return new Uint8Array(0)
}

/**
 * Copies the job as if it had been received: V8 gives received objects other hidden classes than
 * literals, and code compiled for those would be compiled again.
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

/**
 * Reads the document at step `at` of `DOCUMENTS` steps through the index; returns an empty one if
 * it is too large.
 */
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
